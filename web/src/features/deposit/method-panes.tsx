import { type Candidate, type KnownFacts, recommend } from '@krapao/contract/deposit-advice';
import { useQueries } from '@tanstack/react-query';
import { type ReactElement, useRef, useState } from 'react';
import { useBack } from '../../ui/core/overlay-stack.ts';
import { useIsWide } from '../../ui/modal.tsx';
import { AmountQuestion } from './advice/amount-question.tsx';
import { useDepositFacts } from './advice/use-deposit-facts.ts';
import { MethodList } from './method-list.tsx';
import { MethodPanel, type PanelProps } from './method-panel.tsx';
import { lastMethod, rememberMethod, SLIP_METHOD, type DepositMethod, type MethodGroup } from './methods.ts';
import { ListSkeleton, PanelSkeleton } from './panel-parts.tsx';
import { qrQuery } from './qrcode/use-qr-deposit.ts';

/**
 * All methods, and those with an unpaid QR code. Gateways are queried again after a code is created. `shownFirst`: the
 * method of the requested code, else the first one with an unpaid code.
 */
function useMethods(groups: readonly MethodGroup[] | undefined, qrcodeId: string | undefined) {
  const methods = groups?.flatMap((group) => group.methods) ?? [];
  const gateways = methods.filter((method) => method.kind === 'qr');
  const replies = useQueries({ queries: gateways.map(({ account }) => qrQuery(account.bankCode)) });
  const live = gateways.filter((_, index) => replies[index]?.data?.hasQrcode).map(({ id }) => id);
  const isPending = !groups || replies.some((reply) => reply.isLoading);
  const requested = gateways.find((_, index) => qrcodeId && replies[index]?.data?.qrcodeId === qrcodeId);
  // While a gateway has not replied, the requested code may be its own.
  const first = qrcodeId && isPending ? undefined : gateways.find(({ id }) => live.includes(id));
  return { methods, live: new Set(live), isPending, shownFirst: requested ?? first };
}

/** The id of the method recommended before an amount is entered, else of the first; none while the facts are loading. */
function recommendedId(
  methods: readonly DepositMethod[],
  candidates: readonly Candidate[],
  facts: KnownFacts | undefined,
): string | undefined {
  if (!facts) return undefined;
  const advice = recommend(candidates, facts, undefined);
  return advice.outcome === 'METHOD' ? advice.id : methods[0]?.id;
}

/** Which method is open. `amount`: entered before, fills its form. `opening`: number of the press that opened it. */
type Choice = { id: string | null | undefined; takesFocus: boolean; amount: number | undefined; opening: number };

type ChoiceOptions = {
  methods: readonly DepositMethod[];
  shownFirst: DepositMethod | undefined;
  /** A requested code decides the method, else the last choice. */
  qrcodeId: string | undefined;
  isPending: boolean;
  /** Opened where both panes fit and nothing is chosen. */
  recommended: string | undefined;
};

/** The open method: the only one, one with an unpaid code, the chosen one, or the recommended one. */
function useMethodChoice({ methods, shownFirst, qrcodeId, isPending, recommended }: ChoiceOptions) {
  // id undefined: nothing chosen · null: back at the list
  const [choice, setChoice] = useState<Choice>(() => ({
    id: qrcodeId ? undefined : lastMethod(),
    takesFocus: false,
    amount: undefined,
    opening: 0,
  }));
  const [left, setLeft] = useState<string>();
  const [only] = methods.length === 1 ? methods : [];
  const find = (chosen: string | null | undefined) => methods.find(({ id }) => id === chosen);
  const begun = choice.id === undefined ? shownFirst : undefined;
  const method = only ?? begun ?? find(choice.id) ?? find(recommended);
  // A method that opened automatically stays open when its code expires or the screen is rotated.
  if (!choice.id && method && (begun || !isPending)) setChoice({ ...choice, id: method.id });
  const open = (id: string, more: Partial<Choice> = {}): void =>
    setChoice({ id, takesFocus: false, amount: undefined, opening: choice.opening + 1, ...more });
  return {
    choice,
    method,
    left,
    choose: (id: string, takesFocus = false): void => {
      rememberMethod(id);
      open(id, { takesFocus });
    },
    follow: (id: string, amount: number): void => {
      rememberMethod(id, true);
      open(id, { amount });
    },
    goBack: (): void => {
      setLeft(method?.id);
      setChoice({ ...choice, id: null, amount: undefined });
    },
  };
}

type MethodPanesProps = PanelProps & {
  /** Shows the gateway of this QR code first, if the code is unpaid. */
  qrcodeId: string | undefined;
  /** Undefined while loading. */
  groups: readonly MethodGroup[] | undefined;
  candidates: readonly Candidate[];
  /** Above the panel, or above the question without a panel. */
  lockedNote: ReactElement;
};

/** Question with list, and panel: side by side where both fit, else one at a time. */
export function MethodPanes({ groups, candidates, qrcodeId, lockedNote, ...props }: MethodPanesProps) {
  const { methods, live, isPending, shownFirst } = useMethods(groups, qrcodeId);
  const facts = useDepositFacts();
  const isWide = useIsWide();
  const list = useRef<HTMLDivElement>(null);
  const isSeveral = methods.length > 1;
  const recommended = isWide ? recommendedId(methods, candidates, facts) : undefined;
  const { choice, method, left, choose, follow, goBack } = useMethodChoice({
    methods,
    shownFirst,
    qrcodeId,
    isPending,
    recommended,
  });
  const back = method && !isWide && isSeveral ? goBack : undefined;
  useBack(back);
  // The method of this visit opens as soon as it is listed.
  if (!isWide && isPending && choice.id) return <ListSkeleton />;
  const panel = method && (
    <MethodPanel
      key={choice.amount === undefined ? method.id : `${method.id} ${choice.opening}`}
      method={method}
      amount={choice.amount}
      onBack={back}
      takesFocus={choice.takesFocus}
      onSlip={() => choose(SLIP_METHOD, true)}
      {...props}
    />
  );
  return (
    <Layout isBeside={isWide && (isPending || isSeveral)} panel={panel} lockedNote={lockedNote}>
      <AmountQuestion
        methods={methods}
        candidates={candidates}
        facts={isPending ? undefined : facts}
        onChoose={follow}
        onOtherWays={() => list.current?.querySelector('button')?.focus()}
      />
      <div ref={list}>
        {isPending || !groups ? (
          <ListSkeleton rows={8} />
        ) : (
          <MethodList
            groups={groups}
            liveIds={live}
            selected={method?.id}
            follows={choice.opening > 0}
            focusedId={left}
            onChoose={(id) => choose(id)}
          />
        )}
      </div>
    </Layout>
  );
}

type LayoutProps = {
  isBeside: boolean;
  /** The question and the list. */
  children: ReactElement[];
  panel: ReactElement | undefined;
  lockedNote: ReactElement;
};

/** The same tree in both layouts: a rotation keeps the panel mounted with its input. */
function Layout({ isBeside, children, panel, lockedNote }: LayoutProps) {
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
          {!panel && lockedNote}
          {children}
        </div>
      )}
      <div className={isBeside ? 'flex flex-col overflow-y-auto px-5 py-4' : 'contents'}>
        {panel && lockedNote}
        {panel ?? (isBeside && <PanelSkeleton />)}
      </div>
    </div>
  );
}
