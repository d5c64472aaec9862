import { type Candidate, recommend, type Recommendation, reliableMedian } from '@krapao/contract/deposit-advice';
import { STATED_MINUTES, type UsualTime } from '@krapao/contract/usual-time';
import { useState } from 'react';
import { readAmount } from '../../../format/typed-amount.ts';
import { useCurrency } from '../../../member/use-currency.ts';
import { type DepositMethod, isAutomatic, SLIP_METHOD } from '../methods.ts';
import type { DepositFacts } from './use-deposit-facts.ts';

export type Advice = {
  /**
   * Typed amount without separators: one for the question and the form of every method. Until something is typed, the
   * amount of the last deposit.
   */
  typed: string;
  setTyped: (typed: string) => void;
  /** Undefined without a valid amount. */
  amount: number | undefined;
  /** Undefined while methods or facts are loading. */
  recommendation: Recommendation | undefined;
  /** The recommended method; undefined without one. */
  method: DepositMethod | undefined;
  /** Usual time of a method; undefined while facts are loading. */
  usualOf: (method: DepositMethod) => UsualTime | undefined;
  /** The method that last created no code. */
  failed: string | undefined;
  /** Recommends the next method instead of one that created no code. */
  skip: (id: string) => void;
};

/** The amount of the dialog and the method recommended for it. @param facts undefined while loading */
export function useAdvice(
  methods: readonly DepositMethod[],
  candidates: readonly Candidate[],
  facts: DepositFacts | undefined,
): Advice {
  const { bankAmountField } = useCurrency();
  const [input, setTyped] = useState<string>();
  const typed = input ?? String(facts?.lastAmount ?? '');
  const [failed, setFailed] = useState<readonly string[]>([]);
  const amount = readAmount(typed, bankAmountField) || undefined;
  const recommendation =
    facts &&
    recommend(
      candidates.filter(({ id }) => !failed.includes(id)),
      facts,
      amount,
    );
  const method = recommendation?.outcome === 'METHOD' ? methods.find(({ id }) => id === recommendation.id) : undefined;
  return {
    typed,
    setTyped,
    amount,
    recommendation,
    method,
    usualOf: (one) => facts && usualTimeOf(one, facts),
    failed: failed.at(-1),
    skip: (id) => setFailed([...failed, id]),
  };
}

/** A transfer that needs a slip takes as long as slips do. */
function usualTimeOf(method: DepositMethod, { ways }: DepositFacts): UsualTime {
  const id = method.kind === 'bank' && !isAutomatic(method) ? SLIP_METHOD : method.id;
  const medianSeconds = reliableMedian(ways.find((way) => way.id === id));
  return { medianSeconds, statedMinutes: STATED_MINUTES.deposit };
}
