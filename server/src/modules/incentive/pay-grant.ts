import { Refusal } from '../../platform/refusal.ts';
import { Unavailable } from '../../platform/unavailable.ts';
import type { Condition, ConditionKind, Grant } from './incentive.ts';
import type { IncentiveWork } from './incentive-work.ts';
import { markPaid, markTold } from './queries.ts';
import type { Operation } from '../../ledger/module.ts';

const RETRY_SECONDS = 5;

/** It is given, but could not be posted, or its posting not stored: a job finishes it. */
export class Uncredited extends Unavailable {
  override readonly name = 'Uncredited';
  readonly grant: Grant;

  constructor(grant: Grant, cause: unknown) {
    super(`the grant ${grant.reference} is not credited yet`, { retryAfterSeconds: RETRY_SECONDS, cause });
    this.grant = grant;
  }
}

/** The refusal for a member whose money is granted but not yet in the wallet; other errors stay unchanged. */
export const notConfirmed = (error: unknown): unknown =>
  error instanceof Uncredited
    ? new Refusal('INTERNAL_SERVER_ERROR', {
        detail: 'CREDIT_NOT_CONFIRMED',
        retryAfterSeconds: RETRY_SECONDS,
        cause: error,
      })
    : error;

/** What an incentive costs the house, by kind. */
export const costOf = (kind: ConditionKind): string => `cost:${kind.toLowerCase()}`;

/** Credits a grant. Done again after a crash, each step finds itself done. @throws {Uncredited} */
export async function payGrant(
  { ledger, database }: Pick<IncentiveWork, 'ledger' | 'database'>,
  grant: Grant,
): Promise<Grant> {
  const { id, memberId, currency, kind, amount, reference } = grant;
  try {
    const [verdict] = await ledger.post({
      key: `incentive:${id}`,
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
    if (verdict?.outcome !== 'applied')
      throw new Error(`the ledger refused a grant: ${verdict?.reason ?? 'no verdict'}`);
    await markPaid(database, id, verdict.operationId);
  } catch (error) {
    throw new Uncredited(grant, error);
  }
  return { ...grant, state: 'PAID' };
}

/** The line that ends a condition, as far as all of its kinds have it. */
export const endingLine = ({
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

/** Tells in the ledger that a condition has ended by itself. Done again it changes nothing. */
export async function tellEnding(
  { ledger, database }: Pick<IncentiveWork, 'ledger' | 'database'>,
  condition: Condition,
): Promise<void> {
  const [verdict] = await ledger.post({ ...endingLine(condition), key: `incentive:${condition.id}:end`, type: 'mark' });
  if (verdict?.outcome !== 'applied') throw new Error(`the ledger refused a mark: ${verdict?.reason ?? 'no verdict'}`);
  await markTold(database, condition.id);
}
