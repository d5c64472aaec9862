import { useQueries, useQuery } from '@tanstack/react-query';
import { type ReactElement, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { apiQuery } from '../../api/query.ts';
import { useWallet } from '../../shared/wallet/use-wallet.ts';
import { useBack } from '../../ui/overlay/back-stack.ts';
import { Button } from '../../ui/button.tsx';
import { EmptyState } from '../../ui/state/empty-state.tsx';
import { useIsWide } from '../../ui/use-is-wide.ts';
import { lastWay, rememberWay } from './last-way.ts';
import { LockedNote } from './locked-note.tsx';
import { ListSkeleton } from './panel-skeleton.tsx';
import { qrQuery } from './qrcode/use-qr-deposit.ts';
import { WayList } from './way-list.tsx';
import { type PanelProps, WayPanel } from './way-panel.tsx';
import { groupsOf, SLIP_WAY, type Way, type WayGroup } from './ways.ts';

/** How often the ways are asked again while one looks on, in ms: an account may be closed meanwhile. */
const ASK_AGAIN_MS = 60_000;

/** All ways of the member's currency: asks for them each time that they are shown, and says so when there are none. */
export function Ways(props: PanelProps) {
  const { t } = useTranslation(['deposit', 'common']);
  const { data, isError, refetch } = useQuery({
    ...apiQuery('GET /api/lookup/deposit', { quiet: true }),
    staleTime: 0,
    refetchInterval: ASK_AGAIN_MS,
  });
  const wallet = useWallet();
  const currency = wallet.data?.profile.currency;
  const groups = data && currency ? groupsOf(data, currency) : undefined;
  const again = (): void => {
    if (!wallet.data) void wallet.refetch();
    void refetch();
  };
  const askAgain = (
    <Button variant="quiet" size="sm" onClick={again}>
      {t('common:retry')}
    </Button>
  );
  // A failed look-up says nothing, least of all that there are no ways; it can be asked for again.
  if ((isError && !data) || (wallet.isError && !wallet.data))
    return <div className="grid min-h-40 place-items-center">{askAgain}</div>;
  if (groups?.length === 0) return <EmptyState title={t('empty')} text={t('emptyHint')} action={askAgain} />;
  return groups ? <Panes groups={groups} {...props} /> : <ListSkeleton />;
}

/** Which gateways have a code that waits to be paid. All are asked, and asked again when a code is made at one. */
function useLiveQrs(ways: readonly Way[]): { isLoading: boolean; live: ReadonlySet<string> } {
  const gateways = ways.filter((way) => way.kind === 'qr');
  const answers = useQueries({ queries: gateways.map(({ account }) => qrQuery(account.bankCode)) });
  const live = gateways.filter((_, index) => answers[index]?.data?.hasQrcode).map(({ id }) => id);
  return { isLoading: answers.some((answer) => answer.isLoading), live: new Set(live) };
}

/** The way to show: the only one, or the chosen one; where both panes fit, else the first. */
function wayOf(ways: readonly Way[], chosen: string | null | undefined, isWide: boolean): Way | undefined {
  if (ways.length === 1) return ways[0];
  return ways.find(({ id }) => id === chosen) ?? (isWide ? ways[0] : undefined);
}

/** The list, and what is chosen of it: beside each other where there is room, else one after the other. */
function Panes({ groups, ...props }: PanelProps & { groups: readonly WayGroup[] }) {
  const ways = groups.flatMap((group) => group.ways);
  const { isLoading, live } = useLiveQrs(ways);
  // undefined: nothing yet · null: one went back to the list
  const [chosen, setChosen] = useState<string | null | undefined>(lastWay);
  const [left, setLeft] = useState<string>();
  const [isLed, setLed] = useState(false);
  const isWide = useIsWide();
  const begun = chosen === undefined ? ways.find(({ id }) => live.has(id)) : undefined;
  const way = wayOf(ways, begun?.id ?? chosen, isWide);
  // A method that opened automatically stays open when its code expires or the screen is rotated.
  if (!chosen && way && (begun || !isLoading)) setChosen(way.id);
  const choose = (id: string, led = false): void => {
    rememberWay(id);
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
    <WayPanel key={way.id} way={way} onBack={back} isLed={isLed} onSlip={() => choose(SLIP_WAY, true)} {...props} />
  );
  const list = <WayList groups={groups} live={live} selected={way?.id} focused={left} onChoose={(id) => choose(id)} />;
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
  /** Shown above the panel, or above the list where there is none. */
  note: ReactElement;
};

/** One tree for both layouts: turning the screen keeps the panel mounted, with what was typed into it. */
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
