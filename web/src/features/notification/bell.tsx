import { useTranslation } from 'react-i18next';
import { DialogBoundary } from '../../shared/dialog-boundary.tsx';
import { useLazyDialog } from '../../shared/lazy-dialog.ts';
import { IconButton } from '../../ui/core/icon-button.tsx';
import { icon } from '../../ui/core/icons.tsx';
import { useNotices } from './use-notices.ts';

const BellIcon = icon(
  'M5.5 17c1.300-1.400 1.800-3 1.800-6.300a4.700 4.700 0 0 1 9.400 0c0 3.300.5 4.900 1.800 6.300ZM10 19.800a2.200 2.200 0 0 0 4 0M12 4v2',
);

const loadSheet = async () => (await import('./notice-sheet.tsx')).NoticeSheet;

/** Largest number shown on the bell. */
const COUNT_MAX = 99;

/** Opens the list of notices, and shows how many are unread. */
export function Bell() {
  const { t } = useTranslation('push');
  const { opened: sheet, open, close } = useLazyDialog(loadSheet);
  const unread = useNotices().data?.unread ?? 0;
  return (
    <>
      <IconButton
        label={unread > 0 ? t('bell.openUnread', { number: unread }) : t('bell.title')}
        aria-haspopup="dialog"
        onClick={() => open()}
        onPointerEnter={() => void loadSheet().catch(() => undefined)}
        className="relative"
      >
        <BellIcon />
        {unread > 0 && (
          <span
            aria-hidden="true"
            className="amount absolute top-0 right-0 grid h-5 min-w-5 place-items-center rounded-full bg-lacquer px-1 text-xs leading-none font-bold text-on-lacquer ring-2 ring-ground"
          >
            {unread > COUNT_MAX ? `${COUNT_MAX}+` : unread}
          </span>
        )}
      </IconButton>
      {sheet && (
        <DialogBoundary sectionName="dialog notices" onClose={close}>
          <sheet.loaded onClose={close} />
        </DialogBoundary>
      )}
    </>
  );
}
