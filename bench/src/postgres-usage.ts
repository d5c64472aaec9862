import { readdirSync, readFileSync } from 'node:fs';
import type { Queryable } from '@krapao/server/src/platform/database/database.ts';

// What Linux has counted in since long before this was written; getconf CLK_TCK says the same.
const MICROSECONDS_PER_TICK = 10_000;

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

/** CPU that a process has used so far, in µs, with its children that live and those that it has buried. */
export function cpuOf(process: number): number {
  let ticks = 0;
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? fieldsOf(name) : undefined;
    if (!stat) continue;
    const [parent, own, buried] = stat;
    if (Number(name) === process) ticks += own + buried;
    else if (parent === process) ticks += own;
  }
  return ticks * MICROSECONDS_PER_TICK;
}

function fieldsOf(id: string): [parent: number, own: number, buried: number] | undefined {
  try {
    const text = readFileSync(`/proc/${id}/stat`, 'utf8');
    // The name of the program may hold spaces; the fields begin after its closing bracket.
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const at = (place: number): number => fields[place] ?? 0;
    return [at(1), at(11) + at(12), at(13) + at(14)];
  } catch {
    return undefined;
  }
}
