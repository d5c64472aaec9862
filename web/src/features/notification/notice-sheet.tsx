import { useEffect, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { navigate } from 'wouter/use-browser-location';
import { call, serverNow } from '../../api/call.ts';
import { failureText } from '../../api/error-text.ts';
import { invalidate, usePaged } from '../../api/query/query.ts';
import { MemberAmount } from '../../shared/balance-display.tsx';
import { Button } from '../../ui/core/button.tsx';
import { CheckIcon, ChevronRightIcon, CloseIcon, ContactIcon, InfoIcon, LockIcon } from '../../ui/core/icons.tsx';
import { useOnline } from '../../ui/core/offline-banner.tsx';
import { toast } from '../../ui/core/toast.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ErrorState } from '../../ui/data/error-state.tsx';
import { DepositIcon } from '../../ui/data/member-icons.tsx';
import { Pagination } from '../../ui/data/pagination.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { Modal } from '../../ui/modal.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { messageKey, type Notice, useNotices } from './use-notices.ts';

/** The member's notices, newest first, ten per page. Each opens what it reports. Shown notices become read. */
export function NoticeSheet({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('push');
  const { data, pager, isPending, isChangingPage, isLoadingError, refetch } = usePaged('POST /api/notices', {
    quiet: true,
  });
  const { unreadIds, clearMarks } = useUnreadMarks(isChangingPage ? [] : (data?.notices ?? []));
  const online = useOnline();
  // Without a connection, the first load waits instead of failing.
  const hasFailed = isLoadingError || (isPending && !online);
  const openNotice = ({ target }: Notice): void => {
    onClose();
    navigate(target);
  };
  return (
    <Modal open onClose={onClose} title={t('bell.title')}>
      {isPending && !hasFailed && <NoticesSkeleton />}
      {hasFailed && <ErrorState title={t(online ? 'bell.failed' : 'bell.offline')} money={false} onRetry={refetch} />}
      {data?.total === 0 && <EmptyState title={t('bell.empty')} text={t('bell.emptyHint')} />}
      {data && data.total > 0 && (
        <>
          <ReadButton hasMarks={unreadIds.size > 0} onRead={clearMarks} />
          <ul aria-label={t('bell.title')} className={`grid gap-2 ${isChangingPage ? 'opacity-60' : ''}`}>
            {data.notices.map((notice) => (
              <NoticeRow
                key={notice.id}
                notice={notice}
                isUnread={unreadIds.has(notice.id)}
                onOpen={() => openNotice(notice)}
              />
            ))}
          </ul>
        </>
      )}
      {pager && <Pagination {...pager} />}
    </Modal>
  );
}

/** How long notices are shown until they count as read, in ms. */
const READ_AFTER_MS = 1_000;

/**
 * Marks shown notices as read on the server, so that the bells of all devices agree.
 * @returns ids of notices that were unread when the sheet first showed them: they keep their mark while it is open
 */
function useUnreadMarks(notices: readonly Notice[]) {
  const [unreadIds, setUnreadIds] = useState<ReadonlySet<string>>(new Set());
  const unread = notices.filter(({ isRead }) => !isRead);
  const unmarked = unread.filter(({ id }) => !unreadIds.has(id));
  if (unmarked.length > 0) setUnreadIds(new Set([...unreadIds, ...unmarked.map(({ id }) => id)]));
  const [until, from] = [unread[0]?.id, unread.at(-1)?.id];
  useEffect(() => {
    if (until === undefined || from === undefined) return undefined;
    // After a failure the notices stay unread; opening the list again repeats this.
    const timer = setTimeout(() => void markRead({ until, from }).catch(() => undefined), READ_AFTER_MS);
    return () => clearTimeout(timer);
  }, [until, from]);
  return { unreadIds, clearMarks: () => setUnreadIds(new Set()) };
}

async function markRead(range: { until: string; from?: string }): Promise<void> {
  await call('POST /api/notices/read', { body: range, quiet: true });
  await invalidate('notices');
}

/** Marks all notices up to the newest known one as read. The row stays, so that the list does not move. */
function ReadButton({ hasMarks, onRead }: { hasMarks: boolean; onRead: () => void }) {
  const { t } = useTranslation('push');
  const { data } = useNotices();
  const [isSending, setSending] = useState(false);
  const newestId = data?.notices[0]?.id;
  const markAllRead = async (until: string): Promise<void> => {
    setSending(true);
    try {
      await markRead({ until });
      onRead();
    } catch (failure) {
      toast.danger(failureText(failure));
    } finally {
      setSending(false);
    }
  };
  return (
    <div className="mb-2 flex min-h-11 justify-end">
      {newestId !== undefined && data !== undefined && (data.unread > 0 || hasMarks) && (
        <Button
          variant="plain"
          size="sm"
          icon={<CheckIcon className="size-5" />}
          busy={isSending && t('bell.markRead')}
          onClick={() => void markAllRead(newestId)}
        >
          {t('bell.markRead')}
        </Button>
      )}
    </div>
  );
}

const looks = {
  good: { box: 'bg-jade-deep text-jade', Icon: CheckIcon },
  in: { box: 'bg-jade-deep text-jade', Icon: DepositIcon },
  bad: { box: 'bg-coral-deep text-coral', Icon: CloseIcon },
  support: { box: 'bg-raised text-gold', Icon: ContactIcon },
  security: { box: 'bg-amber-deep text-amber', Icon: LockIcon },
  other: { box: 'bg-raised text-gold', Icon: InfoIcon },
};
type Look = (typeof looks)[keyof typeof looks];
const looksByKind: Readonly<Record<string, Look>> = {
  'money-in': looks.in,
  'paid-out': looks.good,
  refused: looks.bad,
  support: looks.support,
  security: looks.security,
} satisfies Record<Notice['kind'], Look>;

type NoticeRowProps = { notice: Notice; isUnread: boolean; onOpen: () => void };

function NoticeRow({ notice, isUnread, onOpen }: NoticeRowProps) {
  const { t } = useTranslation('push');
  const { kind, at, facts } = notice;
  const { box, Icon } = looksByKind[kind] ?? looks.other;
  const key = messageKey(notice);
  return (
    <li>
      <button
        type="button"
        onClick={onOpen}
        className="flex min-h-16 w-full items-center gap-3 rounded-md p-3 text-left ring-1 ring-line hover:bg-raised"
      >
        <span className={`relative flex size-10 shrink-0 items-center justify-center rounded-full ${box}`}>
          <Icon className="size-5" />
          {isUnread && (
            <span className="absolute top-0 right-0 size-3 rounded-full bg-gold ring-2 ring-panel">
              <span className="sr-only">{t('bell.unread')}</span>
            </span>
          )}
        </span>
        <span className="min-w-0 grow leading-snug">
          <span className="flex flex-wrap justify-between gap-x-3">
            <span className={isUnread ? 'font-semibold' : ''}>{t(`message.${key}.title`)}</span>
            {facts.amount !== undefined && (
              <MemberAmount
                value={kind === 'paid-out' ? -facts.amount : facts.amount}
                currency={facts.currency ?? 'BAHT'}
                withSign
                signed={kind === 'refused' ? false : 'neutral'}
                className={`font-semibold ${kind === 'money-in' ? 'text-jade' : ''}`}
              />
            )}
          </span>
          <span className="block text-sm text-muted">
            {t(key === 'moneyIn' && facts.bonus !== undefined ? 'message.moneyIn.withBonus' : `message.${key}.body`)}
          </span>
          <span className="flex flex-wrap justify-between gap-x-3">
            <RelativeTime at={at} now={serverNow} className="text-xs text-faint" />
            {facts.bonus !== undefined && (
              <span className="text-sm text-jade">
                {t('bell.bonus')}{' '}
                <MemberAmount value={facts.bonus} currency={facts.currency ?? 'BAHT'} withSign signed="neutral" />
              </span>
            )}
          </span>
        </span>
        <ChevronRightIcon className="size-5 shrink-0 text-muted" />
      </button>
    </li>
  );
}

function NoticesSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')} className="grid gap-2 pt-13">
      {[1, 2, 3].map((row) => (
        <div key={row} className="flex min-h-16 items-center gap-3 rounded-md p-3 ring-1 ring-line">
          <Skeleton className="size-10 rounded-full" />
          <div className="grow space-y-2">
            <Skeleton className="h-5 w-36" />
            <Skeleton className="h-4 w-20" />
          </div>
          <Skeleton className="h-5 w-20" />
        </div>
      ))}
    </div>
  );
}
