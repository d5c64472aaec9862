import { statfs } from 'node:fs/promises';
import { Gauge, type Registry } from 'prom-client';
import type { Database } from './database.ts';

/** Archiving of WAL by the database. Null: it archives none, or has archived none yet. */
type ArchiveState = { isFailing: boolean | null; waitingBytes: number | null };

/**
 * Gauges of what stops a database for lack of space: free disk of some folders, and WAL that is not archived.
 * @param folders by the value of the label; undefined: not used
 */
export function measureStorage(
  registry: Registry,
  database: Database,
  folders: Readonly<Record<string, string | undefined>>,
): void {
  const defineDiskGauge = (name: string, help: string, valueOf: (disk: Disk) => number): Gauge =>
    new Gauge({
      name,
      help,
      labelNames: ['folder'],
      // Every API process reads the same disks.
      aggregator: 'first',
      registers: [registry],
      async collect() {
        for (const [folder, path] of Object.entries(folders)) {
          const disk = path === undefined ? undefined : await statfs(path).catch(() => undefined);
          if (disk) this.set({ folder }, valueOf(disk));
        }
      },
    });
  defineDiskGauge('krapao_disk_free_bytes', 'Free disk of a folder', ({ bavail, bsize }) => bavail * bsize);
  defineDiskGauge('krapao_disk_size_bytes', 'Size of the disk of a folder', ({ blocks, bsize }) => blocks * bsize);
  const defineArchiveGauge = (name: string, help: string, valueOf: (state: ArchiveState) => number | null): Gauge =>
    new Gauge({
      name,
      help,
      aggregator: 'first',
      registers: [registry],
      async collect() {
        // Without a label a reset would set 0, which reports an archive in order.
        const state = await selectArchiveState(database).catch(() => undefined);
        const value = state && valueOf(state);
        if (value === null || value === undefined) this.remove();
        else this.set(value);
      },
    });
  defineArchiveGauge('krapao_archive_failing', '1: the last WAL file could not be archived', ({ isFailing }) =>
    isFailing === null ? null : Number(isFailing),
  );
  defineArchiveGauge(
    'krapao_archive_waiting_bytes',
    'WAL after the last archived file',
    ({ waitingBytes }) => waitingBytes,
  );
}

type Disk = { bavail: number; blocks: number; bsize: number };

async function selectArchiveState(database: Database): Promise<ArchiveState | undefined> {
  const { rows } = await database.query<ArchiveState>(
    `select failed_count > 0 and last_failed_time > coalesce(last_archived_time, '-infinity') as "isFailing",
            case when last_archived_wal ~ '^[0-9A-F]{24}' then greatest(0, pg_current_wal_lsn() -
              ((substr(last_archived_wal, 9, 8) || '/0')::pg_lsn
                + (('x' || substr(last_archived_wal, 17, 8))::bit(32)::bigint + 1)
                * (select setting::bigint from pg_settings where name = 'wal_segment_size')))
            end::float8 as "waitingBytes"
       from pg_stat_archiver
      where current_setting('archive_mode') <> 'off' and not pg_is_in_recovery()`,
  );
  return rows[0];
}
