import type { Queryable, Tx } from './database/database.ts';

/** The operator of a command, and the reason. */
export type Signature = { by: string; why: string };
export type OperatorEntry = { at: Date; operator: string; what: string; subject: string; reason: string };

const NAME = /^[A-Za-z0-9._-]{1,40}$/;
// An entry of the log is one line on a screen.
const WHY = /^[^\p{Cc}\p{Zl}\p{Zp}]{5,500}$/u;

/** Reads `NAME WHY…` as it was typed. Undefined without a name, or without a meaningful reason. */
export function readSignature(by: string | undefined, words: readonly string[]): Signature | undefined {
  const why = words.join(' ').trim();
  return by !== undefined && NAME.test(by) && WHY.test(why) ? { by, why } : undefined;
}

/** How the ledger and the rows name an operator. */
export const operatorName = ({ by }: Pick<Signature, 'by'>): `operator:${string}` => `operator:${by}`;

/**
 * Records what an operator does, in the same transaction: neither exists without the other. Entries are immutable; the
 * database refuses to change them.
 */
export async function logOperator(
  tx: Tx,
  { by, why }: Signature,
  act: { what: string; subject: string },
): Promise<void> {
  await tx.query(`insert into operator_log (operator, what, subject, reason) values ($1, $2, $3, $4)`, [
    by,
    act.what,
    act.subject,
    why,
  ]);
}

/** The newest entries, oldest first; of one subject when given. */
export async function selectOperatorLog(
  on: Queryable,
  { subject, limit }: { subject: string | undefined; limit: number },
): Promise<OperatorEntry[]> {
  const { rows } = await on.query<OperatorEntry>(
    `select at, operator, what, subject, reason from (
       select * from operator_log where $1::text is null or subject = $1 order by id desc limit $2) newest
      order by id`,
    [subject ?? null, limit],
  );
  return rows;
}
