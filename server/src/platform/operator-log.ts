import type { Queryable, Tx } from './database/database.ts';

/** The operator (`by`) and the reason (`why`) of a command. */
export type Signature = { by: string; why: string };
export type OperatorEntry = { at: Date; operator: string; what: string; subject: string; reason: string };

const OPERATOR_NAME = /^[A-Za-z0-9._-]{1,40}$/;
// A log entry must fit one line of a screen.
const REASON_FORMAT = /^[^\p{Cc}\p{Zl}\p{Zp}]{5,500}$/u;

/** Parses the arguments `NAME WHY…`. Undefined without a valid name or reason. */
export function readSignature(by: string | undefined, reasonWords: readonly string[]): Signature | undefined {
  const reason = reasonWords.join(' ').trim();
  return by !== undefined && OPERATOR_NAME.test(by) && REASON_FORMAT.test(reason) ? { by, why: reason } : undefined;
}

/** The name of an operator in the ledger and in rows. */
export const operatorName = ({ by }: Pick<Signature, 'by'>): `operator:${string}` => `operator:${by}`;

/**
 * Records an operation of an operator, in the transaction of the operation, so that neither exists without the other.
 * The database refuses changes of entries.
 */
export async function logOperator(
  tx: Tx,
  { by, why }: Signature,
  operation: { what: string; subject: string },
): Promise<void> {
  await tx.query(`insert into operator_log (operator, what, subject, reason) values ($1, $2, $3, $4)`, [
    by,
    operation.what,
    operation.subject,
    why,
  ]);
}

/** The newest entries, oldest first; optionally of one subject only. */
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
