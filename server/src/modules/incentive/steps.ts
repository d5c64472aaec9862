import { conditionTransitions, grantTransitions } from '@krapao/contract/states';
import type { Operation, Step } from '../../ledger/module.ts';
import { assertTransition } from '../../settlement/transition.ts';
import type { Condition, ConditionKind, Grant } from './incentive.ts';
import { LEASE_MS } from './queries.ts';

// What the letters mean stands in the migration of the functions `settlement.incentive_…`.

/** Ledger key of a grant: it is credited once, and play counts from there. */
export const grantKey = (id: string): string => `incentive:${id}`;

/** Crediting a grant; its condition begins. */
export function payStep(grant: Grant): Step {
  assertTransition(grantTransitions, 'OPEN', 'PAID');
  assertTransition(conditionTransitions, 'OPENING', 'ACTIVE');
  return stepOf('incentive_pay', grant, { lease_ms: LEASE_MS }, creditOperation(grant));
}

/** Ledger operation that credits a grant to the wallet. */
export const creditOperation = ({ id, memberId, currency, kind, amount, reference }: Grant): Operation => ({
  key: grantKey(id),
  type: 'transfer',
  kind: 'bonus',
  memberId,
  currency,
  debit: { house: costOf(kind) },
  credit: { member: memberId, kind: 'WALLET' },
  amount,
  reference,
  actor: 'incentive',
});

/** The line of the statement that says how a condition has ended by itself. */
export const endStep = (condition: Condition): Step =>
  stepOf(
    'incentive_end',
    condition,
    {},
    {
      ...endingLine(condition),
      key: `${grantKey(condition.id)}:end`,
      type: 'mark',
    },
  );

/** Taking back what is left of a bonus: once for each attempt, because a refusal of the ledger is final for its key. */
export function clearStep(condition: Condition, to: 'CANCELLED' | 'EXPIRED'): Step {
  const { id, clearAttempt, takesBack } = condition;
  assertTransition(conditionTransitions, 'CLEARING', to);
  assertTransition(conditionTransitions, 'CLEARING', 'ACTIVE');
  const line = { ...endingLine(condition), key: `${grantKey(id)}:clear:${clearAttempt}` };
  return stepOf(
    'incentive_clear',
    condition,
    { attempt: clearAttempt, to },
    {
      ...line,
      ...(takesBack !== null && takesBack > 0n ? { type: 'transfer', amount: takesBack } : { type: 'mark' }),
    },
  );
}

const stepOf = (
  kind: string,
  { id, memberId }: { id: string; memberId: string },
  row: object,
  operation: Operation,
): Step => ({ kind, memberId, claims: [id], unique: [], row: { id, ...row }, groups: [[operation]] });

/** What an incentive costs the house, by kind. */
export const costOf = (kind: ConditionKind): string => `cost:${kind.toLowerCase()}`;

/** The line that ends a condition, as far as all of its kinds have it. */
const endingLine = ({
  memberId,
  currency,
  kind,
  reference,
}: Condition): Omit<Operation, 'key' | 'type' | 'amount'> => ({
  kind: 'finish_bonus',
  memberId,
  currency,
  debit: { member: memberId, kind: 'WALLET' },
  credit: { house: costOf(kind) },
  reference,
  actor: 'incentive',
});
