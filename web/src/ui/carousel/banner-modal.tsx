import { useTranslation } from 'react-i18next';
import { type Banner, BannerCarousel } from './banner-carousel.tsx';
import { Button } from '../button.tsx';
import { Modal } from '../overlay/modal.tsx';

export type BannerModalProps = { title: string; banners: readonly Banner[]; onClose: () => void };

/** What the operator shows before something opens. However it is closed, one goes on. */
export function BannerModal({ title, banners, onClose }: BannerModalProps) {
  const { t } = useTranslation('parts');
  return (
    <Modal
      open
      onClose={onClose}
      title={title}
      size="lg"
      footer={<Button onClick={onClose}>{t('carousel.goOn')}</Button>}
    >
      <BannerCarousel label={title} banners={banners} />
    </Modal>
  );
}
