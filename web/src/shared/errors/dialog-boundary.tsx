import { useTranslation } from 'react-i18next';
import { storedToken } from '../../api/session.ts';
import { Modal } from '../../ui/overlay/modal.tsx';
import { ErrorState } from '../../ui/state/error-state.tsx';
import { ErrorBoundary, type PartBoundaryProps } from './error-boundary.tsx';

export type DialogBoundaryProps = PartBoundaryProps & { onClose: () => void };

/** Around a dialog: an error in it shows in a dialog that can be closed. */
export function DialogBoundary({ part, onClose, children }: DialogBoundaryProps) {
  return (
    <ErrorBoundary
      part={part}
      fallback={(retry, reset) => (
        <DialogError
          onRetry={retry}
          onClose={() => {
            // One that stays mounted opens again later.
            reset();
            onClose();
          }}
        />
      )}
    >
      {children}
    </ErrorBoundary>
  );
}

function DialogError({ onRetry, onClose }: { onRetry: () => void; onClose: () => void }) {
  const { t } = useTranslation('common');
  return (
    <Modal open title={t('broken.title')} onClose={onClose}>
      <ErrorState title={t('broken.dialog')} money={storedToken() !== null && t('broken.money')} onRetry={onRetry} />
    </Modal>
  );
}
