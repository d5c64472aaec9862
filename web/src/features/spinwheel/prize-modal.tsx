import { useTranslation } from 'react-i18next';
import { GiftArt } from '../../ui/art/gift-art.tsx';
import { Button } from '../../ui/button.tsx';
import { Modal } from '../../ui/overlay/modal.tsx';
import { SafeHtml } from '../../ui/text/safe-html.tsx';
import type { Slice, SpinResult } from './wheel/use-wheel.ts';

export type PrizeModalProps = { spun: SpinResult; slice: Slice | undefined; onClose: () => void };

/** What was won: it waits as a coupon in the list below the wheel. */
export function PrizeModal({ spun, slice, onClose }: PrizeModalProps) {
  const { t } = useTranslation('spinwheel');
  return (
    <Modal
      open
      onClose={onClose}
      title={t('prizeTitle')}
      footer={
        <Button onClick={onClose} data-autofocus>
          {t('prizeClose')}
        </Button>
      }
    >
      <div className="grid justify-items-center gap-3 py-2 text-center">
        <GiftArt className="leaf h-28 w-36" />
        <p className="text-2xl font-bold text-gold-lit">{spun.label}</p>
        {slice?.htmlDescription && <SafeHtml html={slice.htmlDescription} className="text-sm" />}
        <p className="text-sm text-muted">{t(slice?.prizeKind === 'GOODS' ? 'prizeGoods' : 'prizeWaits')}</p>
      </div>
    </Modal>
  );
}
