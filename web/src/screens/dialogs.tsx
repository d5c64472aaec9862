import { type ReactElement, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { BannerModal } from '../ui/art/banner-carousel.tsx';
import { readyForHtml } from '../ui/data/safe-html.tsx';

/** The dialogs of the home page form one chunk: on a slow connection another request costs more than their bytes. */
export { DepositDialog } from '../features/deposit/deposit-dialog.tsx';
export { GameDialog } from '../features/game/game-dialog.tsx';
export { InviteDialog } from '../features/invite/invite-dialog.tsx';
export { ReceivePopup } from '../features/invite/receive-popup.tsx';
export { RefundDialog } from '../features/refund/refund-dialog.tsx';
export { TransferDialog } from '../features/transfer/transfer-dialog.tsx';
export { WithdrawDialog } from '../features/withdraw/withdraw-dialog.tsx';

export type DialogWithBanners = 'invite' | 'refund';

/**
 * Shows the operator's banners before a dialog. Without banners, or if they can't be loaded, returns the dialog alone.
 * @param scope scope of the calls and namespace of the dialog
 */
export async function withBannersFirst(scope: DialogWithBanners, dialog: ReactElement): Promise<ReactElement> {
  try {
    const banners = await call(`GET /api/${scope}/banners`, { quiet: true });
    if (banners.length === 0) return dialog;
    await readyForHtml();
    return (
      <BannersBefore scope={scope} banners={banners}>
        {dialog}
      </BannersBefore>
    );
  } catch {
    return dialog;
  }
}

type BannersBeforeProps = {
  scope: DialogWithBanners;
  banners: readonly { image: string; html: string }[];
  children: ReactNode;
};

function BannersBefore({ scope, banners, children }: BannersBeforeProps) {
  const { t } = useTranslation(scope);
  const [areBannersClosed, setBannersClosed] = useState(false);
  return areBannersClosed ? (
    children
  ) : (
    <BannerModal title={t('title')} banners={banners} onClose={() => setBannersClosed(true)} />
  );
}
