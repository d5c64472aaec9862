import type { MemberEvent } from '@krapao/contract/events';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { failureText } from '../../api/error-text.ts';
import { ApiFailure } from '../../api/errors.ts';
import { onMemberEvent } from '../../api/query/member-events.ts';
import { apiQuery, invalidate } from '../../api/query/query.ts';
import { isOnline, onConnectionChange } from '../../browser/connection.ts';
import { formatTime } from '../../format/date.ts';
import { useShownOutcomes } from '../../member/shown-outcomes.ts';
import { Amount } from '../../ui/amount.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ErrorState } from '../../ui/data/error-state.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { Modal } from '../../ui/modal.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { amountSign, type TimelineItem, shownAmount, useItemTitle, useMoneyTexts } from './money-texts.ts';
import { SheetActions, type SheetActionsProps } from './sheet-actions.tsx';
import { Timeline } from './timeline.tsx';

/** Polling interval of an open item, in ms: not every step has an event. */
const OPEN_AGAIN_MS = 15_000;

/** A member has at most one pending withdrawal. Another deposit or transfer may end beside the shown one. */
const WITHDRAWAL: readonly MemberEvent['kind'][] = ['withdraw'];
const NONE: readonly MemberEvent['kind'][] = [];

type MoneySheetProps = { id: string } & Omit<SheetActionsProps, 'item'>;

/** A money item: amount, steps with their times, accounts, and its receipt. */
export function MoneySheet({ id, onClose, onReopen }: MoneySheetProps) {
  const { t } = useTranslation('money');
  const titleOf = useItemTitle();
  const query = useQuery({
    ...apiQuery('GET /api/money/{key}', { params: { key: id }, quiet: true }),
    refetchInterval: ({ state }) => state.data?.status === 'PROCESSING' && OPEN_AGAIN_MS,
  });
  useEffect(() => onMemberEvent(() => void invalidate('money')), []);
  const { data, error, dataUpdatedAt } = query;
  useShownOutcomes(data?.kind === 'withdraw' && data.status === 'PROCESSING' ? WITHDRAWAL : NONE);
  const online = useSyncExternalStore(onConnectionChange, isOnline);
  const isMissing = error instanceof ApiFailure && error.message === 'NO_DATA';
  return (
    <Modal open onClose={onClose} title={data ? titleOf(data) : t('steps')}>
      {data && (
        <>
          {(error || !online) && (
            <p role="status" className="mb-3 rounded-md bg-amber-deep px-4 py-2 text-sm text-amber">
              {t('asOf', { time: formatTime(dataUpdatedAt) })}
            </p>
          )}
          <Details item={data} />
          <SheetActions item={data} onClose={onClose} onReopen={onReopen} />
        </>
      )}
      {!data && isMissing && <EmptyState title={t('notFound')} />}
      {!data && error && !isMissing && (
        <ErrorState title={t('loadFailed')} reason={failureText(error)} onRetry={() => void query.refetch()} />
      )}
      {!data && !error && <SheetSkeleton />}
    </Modal>
  );
}

function Details({ item }: { item: TimelineItem }) {
  const { t } = useTranslation('money');
  const { facts, reason, note } = useMoneyTexts(item);
  const { currency, status, reference, kind } = item;
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-x-3 gap-y-1">
        <p className="text-2xl leading-tight font-bold text-gold-lit">
          <Amount value={shownAmount(item)} currency={currency} withSign signed={amountSign(item)} />
        </p>
        <StatusBadge status={status} />
      </div>
      {item.isLate && (
        <p role="status" className="mt-3 rounded-md bg-amber-deep px-4 py-2 text-sm text-amber">
          {t('late')}
        </p>
      )}
      <Timeline item={item} />
      {reason && <p className="mt-3 text-sm text-coral">{reason}</p>}
      {note && <p className="mt-3 text-sm text-muted">{note}</p>}
      <dl className="mt-4 grid grid-cols-[auto_minmax(0,1fr)] gap-x-4 gap-y-1.5 border-t border-line pt-4 text-sm">
        {facts.map(({ label, value }) => (
          <div key={label} className="contents">
            <dt className="text-muted">{label}</dt>
            <dd className="text-right font-medium break-words">{value}</dd>
          </div>
        ))}
        <dt className="mt-0.5 self-center text-muted">{t(kind === 'deposit' ? 'bankReference' : 'reference')}</dt>
        <dd className="mt-0.5 flex items-center justify-end font-semibold">
          <span translate="no" className="amount min-w-0 break-all">
            {reference}
          </span>
          <span className="-mr-3 shrink-0">
            <CopyButton compact text={reference} label={t('copy')} />
          </span>
        </dd>
      </dl>
    </>
  );
}

/** Three steps. */
function SheetSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')} className="grid gap-4 pb-2">
      <Skeleton className="h-9 w-40" />
      {[1, 2, 3].map((step) => (
        <div key={step} className="flex items-center gap-3">
          <Skeleton className="size-6 rounded-full!" />
          <Skeleton className="h-5 grow" />
        </div>
      ))}
    </div>
  );
}
