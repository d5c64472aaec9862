import { type ExportState, exportTransitions } from '@krapao/contract/states';
import type { Queryable } from '../../platform/database/database.ts';
import type { StoredCommand } from '../../platform/idempotency.ts';
import type { WorkTable } from '../../platform/jobs/failed-work.ts';
import { leaseSql } from '../../platform/jobs/leases.ts';
import type { QueueSource } from '../../platform/jobs/queues.ts';
import { statesBefore } from '../../platform/state-machine.ts';
import type { ExportInput } from './request-export.ts';

/** A requested file without its content. */
export type StatementExport = {
  id: string;
  memberId: string;
  input: ExportInput;
  state: ExportState;
  lines: number | null;
  tries: number;
};

const COLUMNS = `id, member_id as "memberId", input, state, lines, tries`;
const DAY = `interval '1 day'`;

export async function findExport(on: Queryable, memberId: string, id: string): Promise<StatementExport | undefined> {
  const { rows } = await on.query<StatementExport>(
    `select ${COLUMNS} from statement_export where id = $1 and member_id = $2 and created_at > now() - ${DAY}`,
    [id, memberId],
    { name: 'statement-export-by-id' },
  );
  return rows[0];
}

export async function findByKey(
  on: Queryable,
  memberId: string,
  key: string,
): Promise<StoredCommand<StatementExport> | undefined> {
  const { rows } = await on.query<StatementExport & { requestHash: Buffer }>(
    `select ${COLUMNS}, request_hash as "requestHash" from statement_export where member_id = $1 and idempotency_key = $2`,
    [memberId, key],
    { name: 'statement-export-by-key' },
  );
  const [found] = rows;
  if (!found) return undefined;
  const { requestHash, ...row } = found;
  return { row, requestHash };
}

/** Number of files that the member has requested within a day. */
export async function countRecent(on: Queryable, memberId: string): Promise<number> {
  const { rows } = await on.query<{ count: bigint }>(
    `select count(*) from statement_export where member_id = $1 and created_at > now() - ${DAY}`,
    [memberId],
    { name: 'statement-export-recent' },
  );
  return Number(rows[0]?.count ?? 0);
}

/** @returns undefined when another file of the member is being made, or a request with this key committed first */
export async function insertExport(
  on: Queryable,
  request: { id: string; memberId: string; key: string | undefined; requestHash: Buffer; input: ExportInput },
): Promise<StatementExport | undefined> {
  const { rows } = await on.query<StatementExport>(
    `insert into statement_export (id, member_id, idempotency_key, request_hash, input) values ($1, $2, $3, $4, $5)
     on conflict do nothing returning ${COLUMNS}`,
    [request.id, request.memberId, request.key ?? null, request.requestHash, JSON.stringify(request.input)],
    { name: 'statement-export-insert' },
  );
  return rows[0];
}

/** Claims due files under a lease. */
export async function claimDue(on: Queryable, limit: number, leaseMs: number): Promise<StatementExport[]> {
  const { rows } = await on.query<StatementExport>(
    `update statement_export w set tries = tries + 1, ${leaseSql('work_at', "now() + $2 * interval '1 millisecond'")}
      where id in (select id from statement_export where work_at <= now() order by work_at limit $1
                      for no key update skip locked)
     returning ${COLUMNS}`,
    [limit, leaseMs],
    { name: 'statement-export-claim' },
  );
  return rows;
}

/** SQL condition of a file that this process makes: no other has claimed it since. */
const IS_HELD_SQL = `state = 'RUNNING' and leased_by = lease_holder()`;
/** SQL of the CTE `held`: the file `$1`, locked against a claim, while this process makes it. */
const HELD_SQL = `with held as (select id from statement_export where id = $1 and ${IS_HELD_SQL} for no key update)`;

/** Extends the lease of a file that this process makes. @returns false if another process has claimed it since */
export async function renewLease(on: Queryable, id: string, leaseMs: number): Promise<boolean> {
  const { rowCount } = await on.query(
    `update statement_export set ${leaseSql('work_at', "now() + $2 * interval '1 millisecond'")}
      where id = $1 and ${IS_HELD_SQL}`,
    [id, leaseMs],
    { name: 'statement-export-renew' },
  );
  return rowCount > 0;
}

/** Content of one part, and its number of movements. */
export type ExportPart = { content: Buffer; lines: number };

/** Deletes the parts of an earlier attempt, which may have had more of them, while this process makes the file. */
export async function deleteParts(on: Queryable, id: string): Promise<void> {
  await on.query(`${HELD_SQL} delete from statement_export_part p using held where p.export_id = held.id`, [id]);
}

/** Stores a part after the first one, while this process makes the file. */
export async function storePart(on: Queryable, id: string, part: number, made: ExportPart): Promise<void> {
  await on.query(
    `${HELD_SQL}
     insert into statement_export_part (export_id, part, lines, content) select id, $2, $3, $4 from held
     on conflict (export_id, part) do update set lines = excluded.lines, content = excluded.content`,
    [id, part, made.lines, made.content],
  );
}

/** RUNNING → DONE with the content of the first part, and the movements of all, while this process makes the file. */
export async function endExport(on: Queryable, id: string, file: { content: Buffer; lines: number }): Promise<void> {
  await on.query(
    `update statement_export set state = 'DONE', content = $2, lines = $3, ended_at = now(), work_at = null
      where id = $1 and state = any($4) and leased_by = lease_holder()`,
    [id, file.content, file.lines, statesBefore(exportTransitions, 'DONE')],
  );
}

/** RUNNING → FAILED, while this process makes the file. */
export async function failExport(on: Queryable, id: string): Promise<void> {
  await on.query(
    `update statement_export set state = 'FAILED', ended_at = now(), work_at = null
      where id = $1 and state = any($2) and leased_by = lease_holder()`,
    [id, statesBefore(exportTransitions, 'FAILED')],
  );
}

/** Movements in each part of a made file, in order. */
export async function selectPartLines(on: Queryable, id: string, lines: number): Promise<number[]> {
  const { rows } = await on.query<{ lines: number }>(
    'select lines from statement_export_part where export_id = $1 order by part',
    [id],
    { name: 'statement-export-parts' },
  );
  const later = rows.map((part) => part.lines);
  return [lines - later.reduce((sum, count) => sum + count, 0), ...later];
}

/** Content of a part of a made file; undefined once it is deleted. */
export async function selectContent(on: Queryable, id: string, part: number): Promise<Buffer | undefined> {
  const { rows } = await on.query<{ content: Buffer }>(
    part === 1
      ? `select content from statement_export where id = $1 and state = 'DONE' and $2::int = 1`
      : `select p.content from statement_export_part p join statement_export e on e.id = p.export_id
          where p.export_id = $1 and p.part = $2 and e.state = 'DONE'`,
    [id, part],
  );
  return rows[0]?.content;
}

/** Deletes files a day after their request. */
export async function deleteExpired(on: Queryable): Promise<void> {
  await on.query(`delete from statement_export where created_at < now() - ${DAY} and state <> 'RUNNING'`);
}

export const exportWork: WorkTable = {
  table: 'statement_export',
  key: 'id',
  keyType: 'uuid',
  due: 'work_at',
  open: 'w.work_at is not null',
  label: 'w.id::text',
};

/** Files that members wait for. */
export const exportQueue = {
  queue: 'statement-export',
  work: [exportWork],
  resolver: `select work_at from statement_export where work_at < now()`,
  operatedBy: 'krapao queues (docs/runbooks/alerts.md)',
} satisfies QueueSource;
