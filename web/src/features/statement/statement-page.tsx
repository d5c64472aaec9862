import { PAGE_SIZE } from '@krapao/contract/constants';
import { toWire } from '@krapao/contract/money';
import { isOwnTransfer, REFERENCE_PREFIX_MIN } from '@krapao/contract/statement';
import { trimPasted } from '@krapao/contract/text/digits';
import { Fragment, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { serverNow } from '../../api/call.ts';
import { usePaged } from '../../api/query/query.ts';
import type { Reply } from '../../api/types.ts';
import { formatDate, formatDateTime } from '../../format/date.ts';
import { loadNamespaces } from '../../i18n/i18n.ts';
import { fromWire } from '../../member/amounts.ts';
import { useWallet } from '../../member/wallet.ts';
import { useHashTarget } from '../../routing/hash-target.ts';
import { useLazyModule } from '../../routing/navigation.ts';
import { DialogBoundary } from '../../shared/dialog-boundary.tsx';
import { Amount } from '../../ui/amount.tsx';
import { Button } from '../../ui/core/button.tsx';
import { Card } from '../../ui/core/card.tsx';
import { IconButton } from '../../ui/core/icon-button.tsx';
import { useOnline } from '../../ui/core/offline-banner.tsx';
import { useHydrated } from '../../ui/core/use-hydrated.ts';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { ErrorState } from '../../ui/data/error-state.tsx';
import { RefreshIcon } from '../../ui/data/member-icons.tsx';
import { Pagination } from '../../ui/data/pagination.tsx';
import { Skeleton } from '../../ui/data/skeleton.tsx';
import { SlipIcon } from '../../ui/deposit-icons.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { type LastStatement, useLastStatement } from './last-statement.ts';
import { FilterBar, filterBody, filterSearch, type Filter, NO_FILTER, useAddressFilter } from './statement-filter.tsx';
import { StatementRow, type StatementRowProps } from './statement-row.tsx';

const DAY_MS = 24 * 3_600_000;

/** URL hash that opens the slips modal. */
const SLIPS_HASH = '#slips';

/** Statement of the wallet, newest first, ten entries per page. */
export function StatementPage() {
  const isHydrated = useHydrated();
  const { filter, applied, setFilter, setTyped } = useAddressFilter(isHydrated);
  const [from, setFrom] = useState<{ key: string; before: string }>();
  const appliedKey = filterSearch(applied);
  const body = { ...filterBody(applied), ...(from?.key === appliedKey && { before: from.before }) };
  const list = usePaged('POST /api/statement', { body });
  const { data, pager, isFetching, refetch } = list;
  const { data: wallet, isPending: isWalletPending } = useWallet();
  // Also waits for the wallet, which contains the currency and the names of games. Otherwise rows would show codes, and
  // kip as baht.
  const isPending = list.isPending || isWalletPending;
  const { isOutdated, hasFailed, ...displayed } = useDisplayed(list, applied);
  const last = useLastStatement(data, wallet, displayed.isNewest);
  const { openDialog, setDialog, closeDialog } = useOpenDialog(isHydrated);
  const games = wallet?.slots ?? [];
  return (
    <div className="mx-auto w-full max-w-2xl">
      <Heading isFetching={isFetching} onRefresh={refetch} onSlips={() => setDialog('slips')} />
      <FilterBar
        filter={filter}
        found={displayed.isFiltered && !isOutdated && data ? displayed.total : undefined}
        onType={setTyped}
        onSearch={() => {
          setFilter(filter);
          if (hasFailed) refetch();
        }}
        onOpen={() => setDialog('filter')}
        onExport={() => setDialog('export')}
      />
      {/* After a failed first load, neither rows nor skeletons are shown. */}
      {(isPending || data) && (
        <Card className="px-2 py-2 sm:px-3">
          {isPending ? (
            <Unloaded last={last} />
          ) : hasFailed ? (
            <ErrorState money={false} onRetry={refetch} />
          ) : (
            data && (
              <StatementRows
                key={displayed.key}
                {...data}
                total={displayed.total}
                isFiltered={displayed.isFiltered}
                search={displayed.search}
                page={displayed.page}
                onClear={() => setFilter(NO_FILTER)}
                onOlder={(before) => setFrom({ key: appliedKey, before })}
                isBusy={isFetching}
                isDimmed={isOutdated}
                games={games}
                currency={wallet?.profile.currency}
              />
            )
          )}
        </Card>
      )}
      <StatementDialog name={openDialog} filter={filter} games={games} onFilter={setFilter} onClose={closeDialog} />
      {pager && <Pagination key={displayed.key} {...pager} />}
    </div>
  );
}

type StatementList = Pick<
  ReturnType<typeof usePaged<'POST /api/statement'>>,
  'data' | 'pager' | 'isChangingPage' | 'isError' | 'isFetching'
>;

/**
 * Filter, page and number of the displayed rows: the previous ones until the next rows have loaded. The key remounts the rows,
 * because moved rows would count as layout shift.
 */
function useDisplayed({ data, pager, isChangingPage, isError, isFetching }: StatementList, applied: Filter) {
  const current = { data, filter: applied, page: pager?.page ?? 1, total: pager?.total ?? 0 };
  const [displayed, setDisplayed] = useState(current);
  if (displayed.data !== data) setDisplayed(current);
  const { filter, page, total } = displayed;
  const key = filterSearch(filter);
  const isOutdated = isChangingPage || key !== filterSearch(applied);
  const hasFailed = isOutdated && isError && !isFetching;
  const isFiltered = key !== '';
  const isNewest = !isFiltered && page === 1 && !isOutdated;
  return { key, isFiltered, isNewest, search: trimPasted(filter.search), page, total, isOutdated, hasFailed };
}

type DialogName = 'slips' | 'filter' | 'export';

/** The open dialog. The hash of the address opens the slips once. */
function useOpenDialog(isHydrated: boolean) {
  // Null once a dialog was closed: the hash then opens nothing.
  const [dialog, setDialog] = useState<DialogName | null>();
  const isRequestedByHash = dialog === undefined && isHydrated && location.hash === SLIPS_HASH;
  // The address keeps its hash, so that a reload opens the modal again.
  useHashTarget((name) => {
    if (name === 'slips') setDialog(name);
    return false;
  });
  const openDialog = isRequestedByHash ? 'slips' : dialog;
  return { openDialog, setDialog, closeDialog: () => setDialog(null) };
}

type StatementDialogProps = Pick<StatementRowProps, 'games'> & {
  name: DialogName | null | undefined;
  filter: Filter;
  onFilter: (filter: Filter) => void;
  onClose: () => void;
};

async function loadSheets() {
  const [{ ExportSheet, FilterSheet }, { SlipsModal }] = await Promise.all([
    import('./statement-sheets.tsx'),
    import('./slips.tsx'),
    loadNamespaces(['money']),
  ]);
  return { ExportSheet, FilterSheet, SlipsModal };
}

function StatementDialog({ name, filter, games, onFilter, onClose }: StatementDialogProps) {
  const { loadedModule: sheets } = useLazyModule(loadSheets, { isEnabled: Boolean(name) });
  const apply = (next: Filter): void => {
    onClose();
    onFilter(next);
  };
  return (
    name &&
    sheets && (
      <DialogBoundary sectionName={`dialog ${name}`} onClose={onClose}>
        {name === 'slips' && <sheets.SlipsModal onClose={onClose} />}
        {name === 'export' && <sheets.ExportSheet filter={filter} onClose={onClose} />}
        {name === 'filter' && <sheets.FilterSheet filter={filter} games={games} onApply={apply} onClose={onClose} />}
      </DialogBoundary>
    )
  );
}

/** Placeholders; offline the newest page of an earlier visit. */
function Unloaded({ last }: { last: LastStatement | undefined }) {
  return !useOnline() && last ? <LastStatementRows last={last} /> : <StatementSkeleton />;
}

/** The newest page of an earlier visit, with its age. */
function LastStatementRows({ last: { list, games, currency, at } }: { last: LastStatement }) {
  const { t } = useTranslation('statement');
  return (
    <>
      <p className="px-1 pt-2 text-sm text-amber sm:px-2">
        {t('asOf')} <span className="amount">{formatDateTime(at)}</span> <RelativeTime at={at} now={serverNow} />
      </p>
      <StatementRows
        {...list}
        games={games}
        currency={currency}
        isFiltered={false}
        search=""
        page={1}
        onClear={doNothing}
        onOlder={doNothing}
        isBusy={false}
        isDimmed={false}
      />
    </>
  );
}

const doNothing = (): void => undefined;

type HeadingProps = { isFetching: boolean; onRefresh: () => void; onSlips: () => void };

function Heading({ isFetching, onRefresh, onSlips }: HeadingProps) {
  const { t } = useTranslation('statement');
  return (
    <div className="mb-4 flex flex-wrap items-center gap-2">
      <h1 className="grow text-2xl font-bold">{t('title')}</h1>
      <Button
        variant="quiet"
        size="sm"
        aria-haspopup="dialog"
        icon={<SlipIcon className="size-5" />}
        className="order-1 w-full sm:order-none sm:w-auto"
        onClick={onSlips}
      >
        {t('slips.open')}
      </Button>
      <IconButton label={t('refresh')} onClick={onRefresh} disabled={isFetching}>
        <RefreshIcon className={`size-6 ${isFetching ? 'motion-safe:animate-spin' : ''}`} />
      </IconButton>
    </div>
  );
}

type StatementRowsProps = Reply<'POST /api/statement'> &
  Pick<StatementRowProps, 'games' | 'currency'> & {
    isBusy: boolean;
    isDimmed: boolean;
    isFiltered: boolean;
    search: string;
    page: number;
    onClear: () => void;
    /** Continues a search before a cursor. */
    onOlder: (before: string) => void;
  };

function StatementRows({
  total,
  statements,
  older,
  isFiltered,
  search,
  onClear,
  onOlder,
  page,
  isBusy,
  isDimmed,
  games,
  currency,
}: StatementRowsProps) {
  const { t } = useTranslation('statement');
  const olderButton = older && (
    <Button variant="quiet" onClick={() => onOlder(older.before)}>
      {t('searchOlder', { time: formatDateTime(older.searchedFrom) })}
    </Button>
  );
  if (total === 0 && isFiltered) {
    const isShort = search !== '' && search.length < REFERENCE_PREFIX_MIN;
    const hint = isShort ? t('filter.referenceShort', { count: REFERENCE_PREFIX_MIN }) : t('noMatchHint');
    return (
      <EmptyState
        title={t('noMatch')}
        text={hint}
        action={
          <>
            {olderButton}
            <Button variant="quiet" onClick={onClear}>
              {t('filter.clear')}
            </Button>
          </>
        }
      />
    );
  }
  if (total === 0) return <EmptyState title={t('empty')} text={t('emptyHint')} />;
  const isLastPage = page * PAGE_SIZE >= total;
  const days = groupByDay(statements);
  return (
    <>
      {days.map(({ day, entries }, index) => {
        // The day may continue on a neighbouring page, and a filter leaves entries out.
        const isComplete = !isFiltered && (index > 0 || page === 1) && (index < days.length - 1 || isLastPage);
        return (
          <Fragment key={day}>
            <DayHeading day={day} entries={isComplete ? entries : []} currency={currency} />
            <ul
              aria-label={`${t('title')} ${day}`}
              aria-busy={isBusy}
              className={isDimmed ? 'opacity-60 transition-opacity delay-200' : ''}
            >
              {entries.map((entry) => (
                <StatementRow key={entry._id} entry={entry} games={games} currency={currency} />
              ))}
            </ul>
          </Fragment>
        );
      })}
      {isLastPage && olderButton}
    </>
  );
}

type Entry = Reply<'POST /api/statement'>['statements'][number];

/** Neighbouring entries of one day, in their order. */
function groupByDay(entries: readonly Entry[]): { day: string; entries: Entry[] }[] {
  const days: { day: string; entries: Entry[] }[] = [];
  for (const entry of entries) {
    const day = formatDate(entry.createdAt);
    const last = days.at(-1);
    if (last?.day === day) last.entries.push(entry);
    else days.push({ day, entries: [entry] });
  }
  return days;
}

type DayHeadingProps = { day: string; entries: readonly Entry[]; currency: StatementRowProps['currency'] };

/** A day and, if all its entries are known, what arrived and what left. Transfers between wallet and games do neither. */
function DayHeading({ day, entries, currency = 'BAHT' }: DayHeadingProps) {
  const { t } = useTranslation('statement');
  const now = serverNow();
  const name = day === formatDate(now) ? t('today') : day === formatDate(now - DAY_MS) ? t('yesterday') : undefined;
  const sum = (isIncoming: boolean): number =>
    toWire(
      entries
        .filter((entry) => !isOwnTransfer(entry) && entry.amount > 0 === isIncoming)
        .reduce((total, { amount }) => total + (fromWire(amount) ?? 0n), 0n),
    );
  const incoming = sum(true);
  const outgoing = sum(false);
  return (
    <h2 className="flex flex-wrap items-baseline gap-x-3 px-1 pt-4 pb-1 text-sm font-semibold text-gold-lit sm:px-2">
      <span className="grow">{name ? `${name} ${day}` : day}</span>
      {incoming > 0 && <Amount value={incoming} currency={currency} signed withSign className="text-xs" />}
      {outgoing < 0 && <Amount value={outgoing} currency={currency} signed withSign className="text-xs" />}
    </h2>
  );
}

function StatementSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')}>
      {Array.from({ length: 6 }, (_, i) => (
        <div key={i} className="flex items-center gap-3 border-b border-line px-2 py-3 last:border-b-0">
          <Skeleton className="size-11 rounded-full!" />
          <div className="grow space-y-2">
            <Skeleton className="h-5 w-2/3" />
            <Skeleton className="h-4 w-1/2" />
          </div>
          <Skeleton className="h-5 w-20" />
        </div>
      ))}
    </div>
  );
}
