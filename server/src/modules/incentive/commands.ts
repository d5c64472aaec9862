import { conditionTransitions, grantTransitions } from '@krapao/contract/states';
import { type Operation, type LedgerCommand, retryOnRowLock } from '../../ledger/index.ts';
import { assertNever, Refusal, Unavailable } from '../../platform/errors.ts';
import { assertTransition } from '../../platform/state-machine.ts';
import type { Condition, ConditionKind, Grant } from './incentive.ts';
import type { IncentiveDeps } from './member-lock.ts';
import { LEASE_MS } from './queries.ts';

// The outcomes are explained in the SQL functions `commands.incentive_…_admit`.

export const PAY_OUTCOMES = ['applied', 'replayed', 'row_locked', 'books_refused'] as const;
type PayOutcome = (typeof PAY_OUTCOMES)[number];

export const END_OUTCOMES = ['applied', 'replayed', 'not_ended', 'row_locked', 'books_refused'] as const;
type EndOutcome = (typeof END_OUTCOMES)[number];

export const CLEAR_OUTCOMES = ['applied', 'replayed', 'lease_lost', 'row_locked', 'insufficient_funds'] as const;
type ClearOutcome = (typeof CLEAR_OUTCOMES)[number];

/** Ledger key of a grant. It prevents a second credit, and play is counted after this operation. */
export const grantKey = (id: string): string => `incentive:${id}`;

/** Credits a grant and activates its condition. */
export function creditGrantCommand(grant: Grant): LedgerCommand<PayOutcome> {
  assertTransition(grantTransitions, 'OPEN', 'PAID');
  assertTransition(conditionTransitions, 'OPENING', 'ACTIVE');
  const commandKind = { kind: 'incentive_pay', outcomes: PAY_OUTCOMES };
  return incentiveCommand(commandKind, grant, { lease_ms: LEASE_MS }, creditOperation(grant));
}

/** Ledger operation that credits a grant to the wallet. */
export const creditOperation = ({ id, memberId, currency, kind, amount, reference }: Grant): Operation => ({
  key: grantKey(id),
  type: 'transfer',
  kind: 'bonus',
  memberId,
  currency,
  debit: { houseAccount: costAccount(kind) },
  credit: { member: memberId, kind: 'WALLET' },
  amount,
  reference,
  actor: 'incentive',
});

/** Records the end of a condition in the statement, if no member action ended it. */
export const endConditionCommand = (condition: Condition): LedgerCommand<EndOutcome> =>
  incentiveCommand(
    { kind: 'incentive_end', outcomes: END_OUTCOMES },
    condition,
    {},
    { ...endingEntry(condition), key: `${grantKey(condition.id)}:end`, type: 'mark' },
  );

/** Takes back the remaining bonus. Each attempt has its own key, because a ledger refusal is final for its key. */
export function cancelBonusCommand(
  condition: Condition,
  endState: 'CANCELLED' | 'EXPIRED',
): LedgerCommand<ClearOutcome> {
  const { id, clearAttempt, takesBack } = condition;
  assertTransition(conditionTransitions, 'CLEARING', endState);
  assertTransition(conditionTransitions, 'CLEARING', 'ACTIVE');
  const endEntry = { ...endingEntry(condition), key: `${grantKey(id)}:clear:${clearAttempt}` };
  return incentiveCommand(
    { kind: 'incentive_clear', outcomes: CLEAR_OUTCOMES },
    condition,
    { attempt: clearAttempt, to: endState },
    {
      ...endEntry,
      ...(takesBack !== null && takesBack > 0n ? { type: 'transfer', amount: takesBack } : { type: 'mark' }),
    },
  );
}

const incentiveCommand = <O extends string>(
  commandKind: Pick<LedgerCommand<O>, 'kind' | 'outcomes'>,
  { id, memberId }: { id: string; memberId: string },
  row: object,
  operation: Operation,
): LedgerCommand<O> => ({
  ...commandKind,
  memberId,
  claims: [id],
  unique: [],
  row: { id, ...row },
  groups: [[operation]],
});

/** House account for the cost of incentives of a kind. */
export const costAccount = (kind: ConditionKind): string => `cost:${kind.toLowerCase()}`;

/** Common operation fields of entries that end a condition. */
const endingEntry = ({
  memberId,
  currency,
  kind,
  reference,
}: Condition): Omit<Operation, 'key' | 'type' | 'amount'> => ({
  kind: 'finish_bonus',
  memberId,
  currency,
  debit: { member: memberId, kind: 'WALLET' },
  credit: { houseAccount: costAccount(kind) },
  reference,
  actor: 'incentive',
});

const RETRY_SECONDS = 5;

/** The grant is stored, but its credit was not posted or not confirmed. A job completes it. */
export class CreditPending extends Unavailable {
  override readonly name = 'Uncredited';
  readonly grant: Grant;

  constructor(grant: Grant, cause: unknown) {
    super(`the grant ${grant.reference} is not credited yet`, { retryAfterSeconds: RETRY_SECONDS, cause });
    this.grant = grant;
  }
}

/** Refusal for a member whose grant is not yet credited. Other errors are returned unchanged. */
export const asCreditPending = (error: unknown): unknown =>
  error instanceof CreditPending
    ? new Refusal('INTERNAL_SERVER_ERROR', {
        detail: 'CREDIT_NOT_CONFIRMED',
        reference: error.grant.reference,
        retryAfterSeconds: RETRY_SECONDS,
        cause: error,
      })
    : error;

/** Credits a grant. Idempotent. @throws {CreditPending} */
export async function creditGrant({ ledger }: Pick<IncentiveDeps, 'ledger'>, grant: Grant): Promise<Grant> {
  try {
    const { outcome } = await retryOnRowLock(() => ledger.postCommand(creditGrantCommand(grant)));
    switch (outcome) {
      case 'applied':
      case 'replayed':
        break;
      case 'row_locked':
      case 'books_refused':
        throw new Error(`a grant was not credited: ${outcome}`);
      default:
        assertNever(outcome);
    }
  } catch (error) {
    throw new CreditPending(grant, error);
  }
  return { ...grant, state: 'PAID' };
}

/** Posts the statement entry of an ended condition. Idempotent. */
export async function postEnding({ ledger }: Pick<IncentiveDeps, 'ledger'>, condition: Condition): Promise<void> {
  const { outcome } = await retryOnRowLock(() => ledger.postCommand(endConditionCommand(condition)));
  switch (outcome) {
    case 'applied':
    case 'replayed':
      return;
    case 'not_ended':
    case 'row_locked':
    case 'books_refused':
      throw new Error(`the end of ${condition.reference} was not posted: ${outcome}`);
    default:
      return assertNever(outcome);
  }
}
