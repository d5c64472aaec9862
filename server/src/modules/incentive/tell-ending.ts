import type { Operation } from '../../ledger/module.ts';
import type { Condition } from './incentive.ts';
import type { IncentiveWork } from './incentive-work.ts';
import { costOf } from './pay-grant.ts';
import { markTold } from './queries.ts';

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
