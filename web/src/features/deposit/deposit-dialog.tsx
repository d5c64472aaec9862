import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { invalidate } from '../../api/query.ts';
import { Modal } from '../../ui/overlay/modal.tsx';
import { MoneyArrived } from './arrival.tsx';
import { useArrival } from './use-arrival.ts';
import { Ways } from './ways-panes.tsx';

export type DepositDialogProps = {
  onClose: () => void;
  /** Opens the list of slips with their outcomes. */
  onSlips: () => void;
};

/** The ways to put money in, as the operator lists them, up to the money's arrival. */
export function DepositDialog({ onClose, onSlips }: DepositDialogProps) {
  const { t } = useTranslation('deposit');
  const [arrived, setArrived] = useState<number>();
  useArrival(setArrived);
  const again = (): void => {
    setArrived(undefined);
    // The event of the money may precede the paid state of its code: a paid code is not shown again.
    void invalidate('qrcode');
  };
  return (
    <Modal open onClose={onClose} title={t('title')} size="lg">
      {arrived !== undefined && <MoneyArrived amount={arrived} onAgain={again} onClose={onClose} />}
      {/* Kept while the arrival is shown: a slip may still be in flight. */}
      <div hidden={arrived !== undefined}>
        <Ways onClose={onClose} onSlips={onSlips} onArrived={setArrived} />
      </div>
    </Modal>
  );
}
