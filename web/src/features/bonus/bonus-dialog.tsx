import { type ActiveStatus, nameOf } from './active/active-status.ts';
import { BonusModal } from './bonus-modal.tsx';
import { CancelBonus } from './active/cancel-bonus.tsx';
import type { Bonus } from './card-state.ts';
import { PromotionModal } from './promotion/promotion-modal.tsx';
import type { Offer } from './receive/use-receive-bonus.ts';

/** What can be open over the page: an offer, or the question whether the one in use is given up. */
export type OpenDialog =
  | Offer
  | { kind: 'cancel'; active: ActiveStatus }
  | { kind: 'giveBack'; condition: ActiveStatus['conditions'][number] };

export type BonusDialogProps = {
  open: OpenDialog;
  bonuses: readonly Bonus[] | undefined;
  /** The bonus or promotion in use. */
  active: ActiveStatus | undefined;
  /** Opens the dialog to deposit, over this one. */
  onDeposit: () => void;
  onClose: () => void;
};

/** The dialog that is open; it stays while what is behind it changes. */
export function BonusDialog({ open, bonuses, active, onDeposit, onClose }: BonusDialogProps) {
  if (open.kind === 'promotion') return <PromotionModal code={open.code} onDeposit={onDeposit} onClose={onClose} />;
  // One that has just ended by itself is still answered for.
  if (open.kind === 'cancel') {
    const ending = active ?? open.active;
    return <CancelBonus name={nameOf(ending)} ifCleared={ending.ifCleared} onClose={onClose} />;
  }
  if (open.kind === 'giveBack') return <CancelBonus {...open.condition} onClose={onClose} />;
  const bonus = bonuses?.find(({ code }) => code === open.code);
  return bonus && <BonusModal bonus={bonus} other={active && nameOf(active)} onDeposit={onDeposit} onClose={onClose} />;
}
