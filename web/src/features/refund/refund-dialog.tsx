import { useTranslation } from 'react-i18next';
import { RefundArt } from '../../ui/art/refund-art.tsx';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Modal } from '../../ui/modal.tsx';

export type RefundDialogProps = {
  /** `saved`: a refund has been received. */
  onClose: (saved: boolean) => void;
};

/** What comes back of what was lost: nothing at the moment. */
export function RefundDialog({ onClose }: RefundDialogProps) {
  const { t } = useTranslation(['refund', 'common']);
  const close = (): void => onClose(false);
  return (
    <Modal
      open
      onClose={close}
      title={t('title')}
      footer={
        <Button variant="quiet" onClick={close}>
          {t('common:close')}
        </Button>
      }
    >
      <EmptyState art={<RefundArt />} title={t('none')} text={t('hint')} />
    </Modal>
  );
}
