import type { Queryable } from '@krapao/server/src/platform/database/database.ts';
import { readCpu } from './process-tree.ts';

export type Usage = { cpuUs: number; walBytes: number; tableBytes: number };

/** Resources used by PostgreSQL so far: CPU of all processes, WAL, size of tables and indexes of a schema. */
export async function readUsage(postmaster: number, database: Queryable, schema: string): Promise<Usage> {
  const { rows } = await database.query<{ wal: bigint; size: bigint }>(
    `select (pg_current_wal_lsn() - '0/0')::bigint as wal,
            coalesce((select sum(pg_total_relation_size(c.oid)) from pg_class c
                       where c.relkind = 'r' and c.relnamespace = $1::regnamespace), 0)::bigint as size`,
    [schema],
  );
  return { cpuUs: cpuOf(postmaster), walBytes: Number(rows[0]?.wal), tableBytes: Number(rows[0]?.size) };
}

/** CPU used by a process and its descendants so far, in µs. */
export const cpuOf = (process: number): number => readCpu().of(process) * 1_000;
