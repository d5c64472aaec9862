import { useTranslation } from 'react-i18next';
import { buttonClass } from '../../../ui/button-class.ts';
import { OpenIcon } from '../../../ui/icons/media-icons.tsx';
import { Modal } from '../../../ui/overlay/modal.tsx';
import { isHere, outward } from './web-address.ts';

/** A picture as large as the screen lets it be, whole. */
export function PictureModal({ address, name, onClose }: { address: string; name: string; onClose: () => void }) {
  const { t } = useTranslation('chat');
  return (
    <Modal
      open
      onClose={onClose}
      title={t('media.picture')}
      size="lg"
      footer={
        !isHere(address) && (
          <a href={address} {...outward} className={buttonClass('quiet', 'sm', true)}>
            <OpenIcon className="size-5" />
            {t('media.openAlone')}
          </a>
        )
      }
    >
      <img
        src={address}
        alt={name}
        referrerPolicy="no-referrer"
        className="-mx-5 -my-4 block h-[70dvh] w-[calc(100%+2.5rem)] max-w-none bg-well object-contain"
      />
    </Modal>
  );
}
