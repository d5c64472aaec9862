import { conditionTransitions, grantTransitions } from '@krapao/contract/states';
import { type Operation, type LedgerCommand, retryOnRowLock } from '../../ledger/index.ts';
import { assertTransition } from '../../platform/state-machine.ts';
import type { Condition, ConditionKind, Grant } from './incentive.ts';
import { LEASE_MS } from './queries.ts';
import { Refusal, Unavailable } from '../../platform/errors.ts';
import type { IncentiveDeps } from './member-lock.ts';

// What the letters mean stands in the migration of the functions `settlement.incentive_…`.

/** Ledger key of a grant: it is credited once, and play counts from there. */
export const grantKey = (id: string): string => `incentive:${id}`;

/** Crediting a grant; its condition begins. */
export function creditGrantCommand(grant: Grant): LedgerCommand {
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
  debit: { house: costAccount(kind) },
  credit: { member: memberId, kind: 'WALLET' },
  amount,
  reference,
  actor: 'incentive',
});

/** The line of the statement that says how a condition has ended by itself. */
export const endConditionCommand = (condition: Condition): LedgerCommand =>
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
export function cancelBonusCommand(condition: Condition, to: 'CANCELLED' | 'EXPIRED'): LedgerCommand {
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
): LedgerCommand => ({ kind, memberId, claims: [id], unique: [], row: { id, ...row }, groups: [[operation]] });

/** What an incentive costs the house, by kind. */
export const costAccount = (kind: ConditionKind): string => `cost:${kind.toLowerCase()}`;

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
  credit: { house: costAccount(kind) },
  reference,
  actor: 'incentive',
});

const RETRY_SECONDS = 5;

/** It is given, but could not be posted, or its posting not stored: a job finishes it. */
export class CreditPending extends Unavailable {
  override readonly name = 'Uncredited';
  readonly grant: Grant;

  constructor(grant: Grant, cause: unknown) {
    super(`the grant ${grant.reference} is not credited yet`, { retryAfterSeconds: RETRY_SECONDS, cause });
    this.grant = grant;
  }
}

/** The refusal for a member whose money is granted but not yet in the wallet; other errors stay unchanged. */
export const asCreditPending = (error: unknown): unknown =>
  error instanceof CreditPending
    ? new Refusal('INTERNAL_SERVER_ERROR', {
        detail: 'CREDIT_NOT_CONFIRMED',
        retryAfterSeconds: RETRY_SECONDS,
        cause: error,
      })
    : error;

/** Credits a grant. Safe to repeat. @throws {CreditPending} */
export async function creditGrant({ ledger }: Pick<IncentiveDeps, 'ledger'>, grant: Grant): Promise<Grant> {
  try {
    const { letter } = await retryOnRowLock(() => ledger.postStep(creditGrantCommand(grant)));
    if (!isDone(letter)) throw new Error(`a grant was not credited: ${letter}`);
  } catch (error) {
    throw new CreditPending(grant, error);
  }
  return { ...grant, state: 'PAID' };
}

/** Tells in the ledger that a condition has ended by itself. Safe to repeat. */
export async function postEnding({ ledger }: Pick<IncentiveDeps, 'ledger'>, condition: Condition): Promise<void> {
  const { letter } = await retryOnRowLock(() => ledger.postStep(endConditionCommand(condition)));
  if (!isDone(letter)) throw new Error(`the end of ${condition.reference} was not posted: ${letter}`);
}

const isDone = (letter: string): boolean => letter === 'o' || letter === 'D';
