import { type ExportState, exportTransitions } from '@krapao/contract/states';
import type { ExportFailure } from '@krapao/contract/statement';
import { statesBefore } from '../../platform/state-machine.ts';
import type { ExportInput } from './export.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { WorkTable } from '../../platform/jobs/failed-work.ts';
import type { QueueSource } from '../../platform/jobs/queues.ts';
import type { StoredCommand } from '../../platform/idempotency.ts';

/** A requested file without its content. */
export type StatementExport = {
  id: string;
  memberId: string;
  input: ExportInput;
  state: ExportState;
  lines: number | null;
  reason: ExportFailure | null;
  tries: number;
};

const COLUMNS = `id, member_id as "memberId", input, state, lines, reason, tries`;
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
    `update statement_export w set tries = tries + 1, work_at = now() + $2 * interval '1 millisecond'
      where id in (select id from statement_export where work_at <= now() order by work_at limit $1
                      for no key update skip locked)
     returning ${COLUMNS}`,
    [limit, leaseMs],
    { name: 'statement-export-claim' },
  );
  return rows;
}

/** RUNNING → DONE with its content. */
export async function endExport(on: Queryable, id: string, file: { content: Buffer; lines: number }): Promise<void> {
  await on.query(
    `update statement_export set state = 'DONE', content = $2, lines = $3, ended_at = now(), work_at = null
      where id = $1 and state = any($4)`,
    [id, file.content, file.lines, statesBefore(exportTransitions, 'DONE')],
  );
}

/** RUNNING → FAILED. */
export async function failExport(on: Queryable, id: string, reason: ExportFailure | null): Promise<void> {
  await on.query(
    `update statement_export set state = 'FAILED', reason = $2, ended_at = now(), work_at = null
      where id = $1 and state = any($3)`,
    [id, reason, statesBefore(exportTransitions, 'FAILED')],
  );
}

/** Content of a made file; undefined once it is deleted. */
export async function selectContent(on: Queryable, id: string): Promise<Buffer | undefined> {
  const { rows } = await on.query<{ content: Buffer }>(
    `select content from statement_export where id = $1 and state = 'DONE'`,
    [id],
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
