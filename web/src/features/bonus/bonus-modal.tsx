import { useTranslation } from 'react-i18next';
import { bonusPicture } from '../../ui/art/bonus-art.tsx';
import { BannerCarousel } from '../../ui/carousel/banner-carousel.tsx';
import type { Bonus } from './card-state.ts';
import { BonusNotice } from './bonus-notice.tsx';
import { ReceiveModal } from './receive/receive-modal.tsx';
import { Terms, useGives } from './terms.tsx';

export type BonusModalProps = {
  bonus: Bonus;
  /** Another bonus or promotion that is in use; this one can be received after it. */
  other: string | undefined;
  onDeposit: () => void;
  onClose: () => void;
};

/** A bonus: what the operator shows of it, what it gives and asks, and its button. */
export function BonusModal({ bonus, other, onDeposit, onClose }: BonusModalProps) {
  const { t } = useTranslation('bonus');
  const gives = useGives();
  // A picture of ours at the front where the operator has none.
  const [first = { image: '', html: '' }, ...more] = bonus.banners;
  const banners = [{ ...first, image: first.image || bonusPicture(bonus.type) }, ...more];
  const isActive = bonus.userBonus?.isActive ?? false;
  return (
    <ReceiveModal
      title={bonus.name}
      offer={{ kind: 'bonus', code: bonus.code }}
      canReceive
      // Nothing can be received now: the button confirms that one has read that, no more.
      isActive={isActive || other !== undefined}
      onDeposit={onDeposit}
      onClose={onClose}
    >
      {isActive && <p className="rounded-md bg-jade-deep px-4 py-3 text-jade">{t('alreadyActive')}</p>}
      {other !== undefined && !isActive && (
        <p className="rounded-md bg-amber-deep px-4 py-3 text-amber">{t('otherActive', { name: other })}</p>
      )}
      <BannerCarousel label={bonus.name} banners={banners} />
      <Terms gives={gives(bonus)} often={t(`often.${bonus.type}`, { count: bonus.maxReceived })} offer={bonus} />
      <BonusNotice percentFail={bonus.percentFail} />
    </ReceiveModal>
  );
}
