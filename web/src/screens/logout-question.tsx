import { useTranslation } from 'react-i18next';
import { Popup } from '../ui/popup.tsx';

export type LogoutQuestionProps = {
  /** Number of pending items. */
  pendingCount: number;
  onLogout: () => void;
  onClose: () => void;
};

/** Asks before a logout while money is pending. */
export function LogoutQuestion({ pendingCount, onLogout, onClose }: LogoutQuestionProps) {
  const { t } = useTranslation(['money', 'common']);
  return (
    <Popup
      open
      tone="info"
      title={t('logout.title')}
      message={t('logout.pending', { count: pendingCount })}
      onClose={onClose}
      confirm={{ label: t('common:logout'), onConfirm: onLogout, leave: t('logout.stay') }}
    />
  );
}
