import { type ReactElement, type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { call } from '../api/call.ts';
import { BannerModal } from '../ui/carousel/banner-modal.tsx';
import { readyForHtml } from '../ui/text/safe-html.tsx';

export type WithBanners = 'invite' | 'refund';

/**
 * A dialog behind the banners that the operator shows before it: without any, or when they can't be had, the dialog.
 * @param word names the calls and the words of the dialog
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
