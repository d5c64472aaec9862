import { useTranslation } from 'react-i18next';
import { storedToken } from '../api/session.ts';
import { ErrorBoundary, type SectionBoundaryProps } from '../shell/error-boundary.tsx';
import { ErrorState } from '../ui/data/error-state.tsx';
import { Modal } from '../ui/modal.tsx';

export type DialogBoundaryProps = SectionBoundaryProps & { onClose: () => void };

/** Error boundary of a dialog: shows a render error in a dialog with retry and close. */
export function DialogBoundary({ sectionName, onClose, children }: DialogBoundaryProps) {
  return (
    <ErrorBoundary
      sectionName={sectionName}
      fallback={(retry, reset) => (
        <DialogError
          onRetry={retry}
          onClose={() => {
            // Clears the error, because a dialog that stays mounted can open again.
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
