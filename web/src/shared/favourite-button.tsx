import { useMutation } from '@tanstack/react-query';
import { call } from '../api/call.ts';
import { invalidate } from '../api/query/query.ts';
import type { GameAccount } from '../member/wallet.ts';
import { IconButton } from '../ui/core/icon-button.tsx';
import { StarIcon, StarOutlineIcon } from '../ui/data/member-icons.tsx';

type FavouriteButtonProps = { game: Pick<GameAccount, 'code' | 'isFavourite'>; label: string; className?: string };

/** Adds a game to the favourites, or removes it. */
export function FavouriteButton({ game: { code, isFavourite }, label, className = '' }: FavouriteButtonProps) {
  const save = useMutation({
    mutationFn: () =>
      call(isFavourite ? 'DELETE /api/wallet/favourite/{slotCode}' : 'PUT /api/wallet/favourite/{slotCode}', {
        params: { slotCode: code },
      }),
    onSettled: () => invalidate('wallet'),
  });
  return (
    <IconButton
      label={label}
      aria-pressed={isFavourite}
      onClick={() => save.mutate()}
      className={`text-gold-lit! ${className}`}
    >
      {isFavourite ? <StarIcon className="size-5" /> : <StarOutlineIcon className="size-5" />}
    </IconButton>
  );
}
