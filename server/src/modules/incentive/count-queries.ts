import type { ReadEntries } from '../../ledger/module.ts';
import { minor } from '@krapao/contract/money';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import type { Counted } from './count-play.ts';
import type { Condition } from './incentive.ts';
import type { CountedTurnover } from './progress.ts';

/** Up to where a member's play is counted: it counts for no condition again. */
export type CountedUpTo = { entries: ReadEntries; turnover: CountedTurnover };

type Written = Readonly<Record<string, string>>;

export async function selectCountedUpTo(on: Queryable, memberId: string): Promise<CountedUpTo> {
  const { rows } = await on.query<{ entries: Written; turnover: Written }>(
    `select counted_entries as entries, counted_turnover as turnover from incentive_gate where member_id = $1`,
    [memberId],
    { name: 'counted play of a member' },
  );
  const numbers = (written: Written = {}): Record<string, bigint> =>
    Object.fromEntries(Object.entries(written).map(([name, text]) => [name, BigInt(text)]));
  const turnover = Object.entries(numbers(rows[0]?.turnover)).map(([game, amount]) => [game, minor(amount)]);
  return { entries: numbers(rows[0]?.entries), turnover: Object.fromEntries(turnover) };
}

/**
 * Writes down what was counted, under the gate and in one commit with what that ends.
 * @param before the conditions as they were read
 */
export async function saveCounted(
  tx: Tx,
  memberId: string,
  before: readonly Condition[],
  counted: readonly Counted[],
  { entries, turnover }: CountedUpTo,
): Promise<void> {
  await tx.query(
    `update incentive_gate set counted_entries = $2, counted_turnover = $3
      where member_id = $1 and (counted_entries <> $2 or counted_turnover <> $3)`,
    [memberId, written(entries), written(turnover)],
  );
  const changed = counted
    .map(({ condition }) => condition)
    .filter((condition, at) => condition.play !== before[at]?.play || condition.turnover !== before[at].turnover);
  for (const { id, play, turnover: staked } of changed) {
    await tx.query('update incentive_condition set play = $2, turnover = $3 where id = $1', [id, play, staked]);
  }
}

const written = (numbers: Readonly<Record<string, bigint>>): string =>
  JSON.stringify(numbers, (_name, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
