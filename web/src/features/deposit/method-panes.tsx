import type { Candidate } from '@krapao/contract/deposit-advice';
import { useQueries } from '@tanstack/react-query';
import { type ReactElement, useRef, useState } from 'react';
import { useBack } from '../../ui/core/overlay-stack.ts';
import { useIsWide } from '../../ui/modal.tsx';
import { AmountQuestion } from './advice/amount-question.tsx';
import { MethodPreview, BackToQuestion } from './advice/method-preview.tsx';
import { type Advice, useAdvice } from './advice/use-advice.ts';
import { useDepositFacts } from './advice/use-deposit-facts.ts';
import { useDepositReceived } from './deposit-received.tsx';
import { MethodList } from './method-list.tsx';
import { MethodPanel, type PanelProps } from './method-panel.tsx';
import { lastMethod, rememberMethod, SLIP_METHOD, type DepositMethod, type MethodGroup } from './methods.ts';
import { ListSkeleton } from './panel-parts.tsx';
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

/**
 * Which method is open. `isFollowed`: by the question's button, not chosen in the list. `opening`: number of the press
 * that opened it.
 */
type Choice = { id: string | null | undefined; isFollowed: boolean; takesFocus: boolean; opening: number };

type ChoiceOptions = {
  methods: readonly DepositMethod[];
  shownFirst: DepositMethod | undefined;
  /** A requested code decides the method, else the last choice. */
  qrcodeId: string | undefined;
};

/** The open method: the only one, one with an unpaid code, or the chosen one. */
function useMethodChoice({ methods, shownFirst, qrcodeId }: ChoiceOptions) {
  // id undefined: nothing chosen · null: back at the question and the list
  const [choice, setChoice] = useState<Choice>(() => ({
    id: qrcodeId ? undefined : lastMethod(),
    isFollowed: false,
    takesFocus: false,
    opening: 0,
  }));
  const [left, setLeft] = useState<string>();
  const [only] = methods.length === 1 ? methods : [];
  const begun = choice.id === undefined ? shownFirst : undefined;
  const method = only ?? begun ?? methods.find(({ id }) => id === choice.id);
  // A method that opened automatically stays open when its code expires.
  if (!choice.id && begun) setChoice({ ...choice, id: begun.id });
  const open = (id: string, more: Partial<Choice> = {}): void => {
    rememberMethod(id, more.isFollowed);
    setChoice({ id, isFollowed: false, takesFocus: false, opening: choice.opening + 1, ...more });
  };
  return {
    choice,
    method,
    left,
    choose: (id: string, takesFocus = false): void => open(id, { takesFocus }),
    follow: (id: string): void => open(id, { isFollowed: true }),
    /** To the list. */
    goBack: (): void => {
      setLeft(method?.id);
      setChoice({ ...choice, id: null, takesFocus: false });
    },
    /** To the question. */
    ask: (): void => {
      setLeft(undefined);
      setChoice({ ...choice, id: null, takesFocus: true });
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

/**
 * Question with list, and panel: side by side where both fit, else one at a time. Only one of them asks for the amount,
 * which they share: beside the question, the recommended method has no form.
 */
export function MethodPanes({ groups, candidates, qrcodeId, lockedNote, ...props }: MethodPanesProps) {
  const { methods, live, isPending, shownFirst } = useMethods(groups, qrcodeId);
  const facts = useDepositFacts();
  const isWide = useIsWide();
  const isSeveral = methods.length > 1;
  const advice = useAdvice(methods, candidates, isPending ? undefined : facts);
  const chosen = useMethodChoice({ methods, shownFirst, qrcodeId });
  const { choice, method, choose, goBack, ask } = chosen;
  useDepositReceived(() => {
    advice.setTyped('');
    if (choice.isFollowed) ask();
  });
  const back = method && !isWide && isSeveral ? goBack : undefined;
  useBack(back);
  // The method of this visit opens as soon as it is listed.
  if (!isWide && isPending && choice.id) return <ListSkeleton />;
  const openSlip = (): void => choose(SLIP_METHOD, true);
  const panel = method && (
    <MethodPanel
      key={choice.isFollowed ? `${method.id} ${choice.opening}` : method.id}
      method={method}
      advice={advice}
      onBack={back}
      takesFocus={choice.takesFocus}
      onSlip={openSlip}
      {...props}
    />
  );
  return (
    <Layout
      isBeside={isWide && (isPending || isSeveral)}
      panel={panel}
      preview={<MethodPreview methods={methods} advice={advice} onSlip={openSlip} onArrived={props.onArrived} />}
      lockedNote={lockedNote}
    >
      <QuestionAndList
        methods={methods}
        groups={isPending ? undefined : groups}
        live={live}
        advice={advice}
        chosen={chosen}
        isWide={isWide}
      />
    </Layout>
  );
}

/** Moves focus to the list and marks it for a moment: it may be in view already. */
function showList(list: HTMLElement | null): void {
  list?.querySelector('button')?.focus();
  list?.scrollIntoView({ block: 'nearest' });
  const mark = { outline: '2px solid var(--color-gold)', outlineOffset: '4px', borderRadius: '12px' };
  list?.animate([mark, { ...mark, outlineColor: 'transparent' }], { duration: 1_500, easing: 'ease-in' });
}

type QuestionAndListProps = {
  methods: readonly DepositMethod[];
  /** Undefined while loading. */
  groups: readonly MethodGroup[] | undefined;
  live: ReadonlySet<string>;
  advice: Advice;
  chosen: ReturnType<typeof useMethodChoice>;
  isWide: boolean;
};

/** The question, or the way back to it beside the form of a method; and the list. */
function QuestionAndList({ methods, groups, live, advice, chosen, isWide }: QuestionAndListProps) {
  const { choice, method, left, choose, follow, ask } = chosen;
  const list = useRef<HTMLDivElement>(null);
  const selected = method ?? (isWide ? advice.method : undefined);
  return (
    <>
      {method ? (
        <BackToQuestion method={advice.method} amount={advice.amount} onOpen={ask} />
      ) : (
        <AmountQuestion
          methods={methods}
          advice={advice}
          takesFocus={choice.takesFocus}
          onChoose={follow}
          onOtherWays={() => showList(list.current)}
        />
      )}
      <div ref={list}>
        {groups ? (
          <MethodList
            groups={groups}
            liveIds={live}
            selected={selected?.id}
            follows={method !== undefined && choice.opening > 0}
            focusedId={left}
            onChoose={(id) => choose(id)}
          />
        ) : (
          <ListSkeleton rows={8} />
        )}
      </div>
    </>
  );
}

type LayoutProps = {
  isBeside: boolean;
  /** The question and the list. */
  children: ReactElement;
  panel: ReactElement | undefined;
  /** Beside the question while no method is open. */
  preview: ReactElement;
  lockedNote: ReactElement;
};

/** The same tree in both layouts: a rotation keeps the panel mounted with its input. */
function Layout({ isBeside, children, panel, preview, lockedNote }: LayoutProps) {
  return (
    <div
      className={
        isBeside
          ? '-mx-5 -my-4 grid h-[min(42rem,calc(100dvh-8rem))] grid-cols-[17rem_minmax(0,1fr)] low:h-[calc(100dvh-3.875rem)] low:grid-cols-[clamp(14rem,40%,17rem)_minmax(0,1fr)] low:has-[[data-question]]:grid-cols-2 low:has-[[role=timer]]:grid-cols-[14rem_minmax(0,1fr)]'
          : 'contents'
      }
    >
      {(isBeside || !panel) && (
        <div
          className={
            isBeside
              ? 'overflow-y-auto rounded-bl-lg border-r border-line bg-(--pane) p-3 [--pane:color-mix(in_srgb,var(--color-well)_60%,var(--color-panel))] low:scroll-pb-28'
              : 'contents'
          }
        >
          {!isBeside && lockedNote}
          {children}
        </div>
      )}
      <div className={isBeside ? 'flex flex-col overflow-y-auto px-5 py-4' : 'contents'}>
        {(panel ?? isBeside) && lockedNote}
        {panel ?? (isBeside && preview)}
      </div>
    </div>
  );
}
