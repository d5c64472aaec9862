import { useTranslation } from 'react-i18next';
import { Link } from 'wouter';
import { useWallet } from '../../member/wallet.ts';
import { prefetch } from '../../routing/router.ts';
import { useState, type ReactElement } from 'react';
import { invalidate, apiQuery } from '../../api/query/query.ts';
import { Modal } from '../../ui/modal.tsx';
import { DepositReceived, useDepositReceived } from './deposit-received.tsx';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useBack } from '../../ui/core/overlay-stack.ts';
import { Button } from '../../ui/core/button.tsx';
import { EmptyState } from '../../ui/data/empty-state.tsx';
import { useIsWide } from '../../ui/use-is-wide.ts';
import {
  lastMethod,
  rememberMethod,
  groupMethods,
  SLIP_METHOD,
  type DepositMethod,
  type MethodGroup,
} from './methods.ts';
import { ListSkeleton } from './panel-parts.tsx';
import { qrQuery } from './qrcode/use-qr-deposit.ts';
import { MethodList } from './method-list.tsx';
import { type PanelProps, MethodPanel } from './method-panel.tsx';

const BONUS_PAGE = '/user/bonus';

/** Warns that a deposit is also locked while a condition is open; links to the bonus page. */
export function LockedNote({ onLeave }: { onLeave: () => void }) {
  const { t } = useTranslation('deposit');
  const [condition] = useWallet().data?.conditions ?? [];
  if (!condition) return null;
  return (
    <div className="mb-3 rounded-md bg-amber-deep px-4 py-2 text-sm text-amber">
      <p>{t('locked', { name: condition.name })}</p>
      <Link
        href={BONUS_PAGE}
        onClick={onLeave}
        onPointerEnter={() => prefetch(BONUS_PAGE)}
        onFocus={() => prefetch(BONUS_PAGE)}
        className="inline-flex min-h-11 items-center font-semibold underline underline-offset-4"
      >
        {t('seeCondition')}
      </Link>
    </div>
  );
}

export type DepositDialogProps = {
  onClose: () => void;
  /** Opens the list of slips. */
  onSlips: () => void;
};

/** The operator's deposit methods, and the received deposit. */
export function DepositDialog({ onClose, onSlips }: DepositDialogProps) {
  const { t } = useTranslation('deposit');
  const [arrived, setArrived] = useState<number>();
  useDepositReceived(setArrived);
  const again = (): void => {
    setArrived(undefined);
    // The event of the money may precede the paid state of its code: a paid code is not shown again.
    void invalidate('qrcode');
  };
  return (
    <Modal open onClose={onClose} title={t('title')} size="lg">
      {arrived !== undefined && <DepositReceived amount={arrived} onAgain={again} onClose={onClose} />}
      {/* Kept while the arrival is shown: a slip may still be in flight. */}
      <div hidden={arrived !== undefined}>
        <MethodPicker onClose={onClose} onSlips={onSlips} onArrived={setArrived} />
      </div>
    </Modal>
  );
}

/** Refresh interval of the methods while the dialog is open, in ms: an account may be closed. */
const ASK_AGAIN_MS = 60_000;

/** Methods for the member's currency, loaded at each opening; shows an empty state. */
export function MethodPicker(props: PanelProps) {
  const { t } = useTranslation(['deposit', 'common']);
  const { data, isError, refetch } = useQuery({
    ...apiQuery('GET /api/lookup/deposit', { quiet: true }),
    staleTime: 0,
    refetchInterval: ASK_AGAIN_MS,
  });
  const wallet = useWallet();
  const currency = wallet.data?.profile.currency;
  const groups = data && currency ? groupMethods(data, currency) : undefined;
  const again = (): void => {
    if (!wallet.data) void wallet.refetch();
    void refetch();
  };
  const askAgain = (
    <Button variant="quiet" size="sm" onClick={again}>
      {t('common:retry')}
    </Button>
  );
  // A failed load is not an empty list; it can be retried.
  if ((isError && !data) || (wallet.isError && !wallet.data))
    return <div className="grid min-h-40 place-items-center">{askAgain}</div>;
  if (groups?.length === 0) return <EmptyState title={t('empty')} text={t('emptyHint')} action={askAgain} />;
  return groups ? <Panes groups={groups} {...props} /> : <ListSkeleton />;
}

/** Gateways with an unpaid QR code. All are queried, again after a code is created. */
function useLiveQrs(ways: readonly DepositMethod[]): { isLoading: boolean; live: ReadonlySet<string> } {
  const gateways = ways.filter((way) => way.kind === 'qr');
  const answers = useQueries({ queries: gateways.map(({ account }) => qrQuery(account.bankCode)) });
  const live = gateways.filter((_, index) => answers[index]?.data?.hasQrcode).map(({ id }) => id);
  return { isLoading: answers.some((answer) => answer.isLoading), live: new Set(live) };
}

/** The displayed method: the only or the chosen one; in the two-pane layout, else the first. */
function wayOf(
  ways: readonly DepositMethod[],
  chosen: string | null | undefined,
  isWide: boolean,
): DepositMethod | undefined {
  if (ways.length === 1) return ways[0];
  return ways.find(({ id }) => id === chosen) ?? (isWide ? ways[0] : undefined);
}

/** List and panel: side by side where both fit, else one at a time. */
function Panes({ groups, ...props }: PanelProps & { groups: readonly MethodGroup[] }) {
  const ways = groups.flatMap((group) => group.ways);
  const { isLoading, live } = useLiveQrs(ways);
  // undefined: nothing chosen · null: back at the list
  const [chosen, setChosen] = useState<string | null | undefined>(lastMethod);
  const [left, setLeft] = useState<string>();
  const [isLed, setLed] = useState(false);
  const isWide = useIsWide();
  const begun = chosen === undefined ? ways.find(({ id }) => live.has(id)) : undefined;
  const way = wayOf(ways, begun?.id ?? chosen, isWide);
  // A method that opened automatically stays open when its code expires or the screen is rotated.
  if (!chosen && way && (begun || !isLoading)) setChosen(way.id);
  const choose = (id: string, led = false): void => {
    rememberMethod(id);
    setChosen(id);
    setLed(led);
  };
  const goBack = (): void => {
    setLeft(way?.id);
    setChosen(null);
  };
  const back = way && !isWide && ways.length > 1 ? goBack : undefined;
  useBack(back);
  if (isLoading && chosen === undefined) return <ListSkeleton />;
  const panel = way && (
    <MethodPanel
      key={way.id}
      way={way}
      onBack={back}
      isLed={isLed}
      onSlip={() => choose(SLIP_METHOD, true)}
      {...props}
    />
  );
  const list = (
    <MethodList groups={groups} live={live} selected={way?.id} focused={left} onChoose={(id) => choose(id)} />
  );
  return (
    <Layout
      isBeside={isWide && ways.length > 1}
      list={list}
      panel={panel}
      note={<LockedNote onLeave={props.onClose} />}
    />
  );
}

type LayoutProps = {
  isBeside: boolean;
  list: ReactElement;
  panel: ReactElement | undefined;
  /** Above the panel, or above the list without a panel. */
  note: ReactElement;
};

/** The same tree in both layouts: a rotation keeps the panel mounted with its input. */
function Layout({ isBeside, list, panel, note }: LayoutProps) {
  return (
    <div
      className={
        isBeside
          ? '-mx-5 -my-4 grid h-[min(42rem,calc(100dvh-8rem))] grid-cols-[17rem_minmax(0,1fr)] low:h-[calc(100dvh-3.875rem)] low:grid-cols-[14rem_minmax(0,1fr)]'
          : 'contents'
      }
    >
      {(isBeside || !panel) && (
        <div className={isBeside ? 'overflow-y-auto rounded-bl-lg border-r border-line bg-well/60 p-3' : 'contents'}>
          {!panel && note}
          {list}
        </div>
      )}
      <div className={isBeside ? 'flex flex-col overflow-y-auto px-5 py-4' : 'contents'}>
        {panel && note}
        {panel}
      </div>
    </div>
  );
}
