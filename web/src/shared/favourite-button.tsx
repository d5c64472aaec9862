import { call } from '../api/call.ts';
import { invalidate } from '../api/query/query.ts';
import type { GameAccount } from '../member/wallet.ts';
import { IconButton } from '../ui/core/icon-button.tsx';
import { StarIcon, StarOutlineIcon } from '../ui/data/member-icons.tsx';
import { useSavedChoice } from './saved-choice.ts';

type FavouriteButtonProps = { game: Pick<GameAccount, 'code' | 'isFavourite'>; label: string; className?: string };

/** Adds a game to the favourites, or removes it. */
export function FavouriteButton({ game: { code, isFavourite }, label, className = '' }: FavouriteButtonProps) {
  const save = async (isAdded: boolean): Promise<void> => {
    await call(isAdded ? 'PUT /api/wallet/favourite/{slotCode}' : 'DELETE /api/wallet/favourite/{slotCode}', {
      params: { slotCode: code },
    });
    await invalidate('wallet');
  };
  const { isOn, change } = useSavedChoice(isFavourite, { save, scope: 'wallet' });
  return (
    <IconButton
      label={label}
      aria-pressed={isOn}
      onClick={() => change(!isOn)}
      className={`text-gold-lit! ${className}`}
    >
      {isOn ? <StarIcon className="size-5" /> : <StarOutlineIcon className="size-5" />}
    </IconButton>
  );
}
