/** What opens over the page of the wheel: one part, that comes after the page itself. */
export { ClaimDialogs } from './coupon/claim-dialogs.tsx';
export { PrizeModal } from './prize-modal.tsx';
export { SpinTrouble } from './spin-trouble.tsx';
