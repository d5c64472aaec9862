import type { Queryable, Tx } from '../database/database.ts';

/** Who does something by command, and why. */
export type Signature = { by: string; why: string };
export type OperatorEntry = { at: Date; operator: string; what: string; subject: string; reason: string };

const NAME = /^[A-Za-z0-9._-]{1,40}$/;
// A line of the log is a line on a screen.
const WHY = /^[^\p{Cc}\p{Zl}\p{Zp}]{5,500}$/u;

/** Reads `NAME WHY…` as it was typed. Undefined without a name, or without a reason that says something. */
export function readSignature(by: string | undefined, words: readonly string[]): Signature | undefined {
  const why = words.join(' ').trim();
  return by !== undefined && NAME.test(by) && WHY.test(why) ? { by, why } : undefined;
}

/** As the ledger and the rows name an operator. */
export const operatorName = ({ by }: Pick<Signature, 'by'>): `operator:${string}` => `operator:${by}`;

/**
 * Writes down what an operator does, in the transaction that does it: one isn't there without the other. What is written
 * stays as it is; the database refuses to change it.
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

/** The newest entries, oldest first; of one subject when it is named. */
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
