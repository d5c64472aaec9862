import { type ReactElement, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { BannerModal } from '../ui/art/banner-carousel.tsx';
import { readyForHtml } from '../ui/data/safe-html.tsx';

/** Dialogs of the home page in one chunk: on a slow connection a request costs more than their bytes. */
export { DepositDialog } from '../features/deposit/deposit-dialog.tsx';
export { GameDialog } from '../features/game/game-dialog.tsx';
export { InviteDialog } from '../features/invite/invite-dialog.tsx';
export { ReceivePopup } from '../features/invite/receive-popup.tsx';
export { RefundDialog } from '../features/refund/refund-dialog.tsx';
export { TransferDialog } from '../features/transfer/transfer-dialog.tsx';
export { WithdrawDialog } from '../features/withdraw/withdraw-dialog.tsx';

export type WithBanners = 'invite' | 'refund';

/**
 * A dialog behind the operator's banners; without banners, or if they can't be loaded, the dialog alone.
 * @param word names the calls and the namespace of the dialog
 */
export async function bannersFirst(word: WithBanners, dialog: ReactElement): Promise<ReactElement> {
  try {
    const banners = await call(`GET /api/${word}/banners`, { quiet: true });
    if (banners.length === 0) return dialog;
    await readyForHtml();
    return (
      <Before word={word} banners={banners}>
        {dialog}
      </Before>
    );
  } catch {
    return dialog;
  }
}

type BeforeProps = { word: WithBanners; banners: readonly { image: string; html: string }[]; children: ReactNode };

function Before({ word, banners, children }: BeforeProps) {
  const { t } = useTranslation(word);
  const [isSeen, setSeen] = useState(false);
  return isSeen ? children : <BannerModal title={t('title')} banners={banners} onClose={() => setSeen(true)} />;
}
