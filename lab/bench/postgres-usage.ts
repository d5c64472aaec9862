import type { Queryable } from '@krapao/server/src/platform/database/database.ts';
import { readCpu } from './process-tree.ts';

export type Usage = { cpuUs: number; walBytes: number; tableBytes: number };

/** What PostgreSQL has used so far: CPU of all its processes, WAL written, size of the tables and indexes of a schema. */
export async function usage(postmaster: number, on: Queryable, schema: string): Promise<Usage> {
  const { rows } = await on.query<{ wal: bigint; size: bigint }>(
    `select (pg_current_wal_lsn() - '0/0')::bigint as wal,
            coalesce((select sum(pg_total_relation_size(c.oid)) from pg_class c
                       where c.relkind = 'r' and c.relnamespace = $1::regnamespace), 0)::bigint as size`,
    [schema],
  );
  return { cpuUs: cpuOf(postmaster), walBytes: Number(rows[0]?.wal), tableBytes: Number(rows[0]?.size) };
}

/** CPU that a process has used so far, in µs, with its descendants. */
export const cpuOf = (process: number): number => readCpu().of(process) * 1_000;
