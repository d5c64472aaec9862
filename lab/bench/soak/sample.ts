import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { processesOf } from '../process-tree.ts';
import type { System } from '../product/system.ts';

const BYTES_PER_MB = 1_048_576;
const BYTES_PER_KB = 1_024;

/** Resources of a system at one time: memory as PSS, sizes in MB. */
export type Sample = {
  apiMb: number;
  postgresMb: number;
  simulatorsMb: number;
  /** Connections of the API to the database. */
  connections: number;
  /** Open files and sockets of the API's processes. */
  files: number;
  /** The database without its write-ahead log. */
  databaseMb: number;
  walMb: number;
  /** Logs and files of the members. */
  othersMb: number;
};

export const MEASURES: readonly (keyof Sample)[] = [
  'apiMb',
  'postgresMb',
  'simulatorsMb',
  'connections',
  'files',
  'databaseMb',
  'walMb',
  'othersMb',
];

/** @param data the system's data folder */
export async function takeSample({ pids, operator, operatorPid }: System, data: string): Promise<Sample> {
  const apiPids = processesOf(pids.api, [pids.postgres]);
  const { rows } = await operator.query<{ connections: number; database: number; wal: number }>(
    `select (select count(*)::int from pg_stat_activity
              where datname = current_database() and pid <> pg_backend_pid()) as connections,
            pg_database_size(current_database())::float8 as database,
            (select sum(size)::float8 from pg_ls_waldir()) as wal`,
  );
  const [row] = rows;
  if (!row) throw new Error('the database did not count its connections');
  return {
    apiMb: memoryOf(apiPids),
    postgresMb: memoryOf(processesOf(pids.postgres, [operatorPid])),
    simulatorsMb: memoryOf(processesOf(pids.simulators)),
    connections: row.connections,
    files: apiPids.reduce((total, pid) => total + countOf(`/proc/${pid}/fd`), 0),
    databaseMb: row.database / BYTES_PER_MB,
    walMb: row.wal / BYTES_PER_MB,
    othersMb: sizeOf(data, 'postgres') / BYTES_PER_MB,
  };
}

function memoryOf(pids: readonly number[]): number {
  return pids.reduce((total, pid) => total + pssOf(pid), 0) / BYTES_PER_MB;
}

function pssOf(pid: number): number {
  try {
    const [, kilobytes] = /^Pss: +(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
    return Number(kilobytes ?? 0) * BYTES_PER_KB;
  } catch {
    // The process has ended.
    return 0;
  }
}

function countOf(folder: string): number {
  try {
    return readdirSync(folder).length;
  } catch {
    return 0;
  }
}

/** Bytes of all files of a folder. @param excludedEntry entry to exclude */
function sizeOf(folder: string, excludedEntry?: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== excludedEntry)
    .reduce((total, entry) => {
      const path = join(folder, entry.name);
      return total + (entry.isDirectory() ? sizeOf(path) : (statSync(path, { throwIfNoEntry: false })?.size ?? 0));
    }, 0);
}
