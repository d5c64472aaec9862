/**
 * The dialogs of the home page, imported by one `import()` so that they are one file: one request each costs more than
 * their bytes, on a slow line and on a slow phone.
 */
export { DepositDialog } from '../features/deposit/deposit-dialog.tsx';
export { GameDialog } from '../features/game/game-dialog.tsx';
export { InviteDialog } from '../features/invite/invite-dialog.tsx';
export { ReceivePopup } from '../features/invite/receive-popup.tsx';
export { RefundDialog } from '../features/refund/refund-dialog.tsx';
export { TransferDialog } from '../features/transfer/transfer-dialog.tsx';
export { WithdrawDialog } from '../features/withdraw/withdraw-dialog.tsx';
export { bannersFirst } from './banners-first.tsx';
