import assert from 'node:assert/strict';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { type EmbeddedPostgres, launchEmbeddedPostgres } from '../../src/platform/database/embedded-postgres/launch.ts';
import { type CommandResult, runCommand } from '../harness/command.ts';
import { buildTestOutside, writeOutside } from '../harness/outside-file.ts';

const DAY_MS = 86_400_000;

/** A running embedded database with an archive, and a folder for its backups. */
export class BackedUp {
  readonly folder = mkdtempSync(join(tmpdir(), 'krapao-backed-up-'));
  readonly data = join(this.folder, 'data');
  readonly archive = join(this.folder, 'wal');
  readonly backups = join(this.folder, 'backups');
  readonly environment = {
    DATA_DIR: this.data,
    SECRETS_FILE: join(this.data, 'secrets.json'),
    WAL_ARCHIVE: this.archive,
    BACKUP_FOLDER: this.backups,
  };
  #postgres: EmbeddedPostgres | undefined;
  #client: pg.Client | undefined;

  static async start(): Promise<BackedUp> {
    const system = new BackedUp();
    mkdirSync(system.data);
    writeOutside(join(system.data, 'outside.json'), buildTestOutside('http://127.0.0.1:1', 'http://127.0.0.1:1'));
    const secrets = { encryptionKey: Buffer.alloc(32, 7).toString('base64') };
    writeFileSync(join(system.data, 'secrets.json'), JSON.stringify(secrets), { mode: 0o600 });
    system.#postgres = await launchEmbeddedPostgres({
      directory: join(system.data, 'postgres'),
      walArchive: system.archive,
    });
    system.#client = new pg.Client({ connectionString: system.#postgres.url });
    await system.#client.connect();
    const { status, output } = await system.run('migrate');
    assert.equal(status, 0, output);
    await system.query('create table mark (name text)');
    return system;
  }

  get url(): string {
    return this.#postgres?.url ?? '';
  }

  async stop(): Promise<void> {
    await this.#client?.end();
    await this.#postgres?.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  run(name: Parameters<typeof runCommand>[1], args: string[] = [], environment = {}): Promise<CommandResult> {
    return runCommand({ databaseUrl: '' }, name, args, { ...this.environment, ...environment });
  }

  async query<Row extends pg.QueryResultRow>(sql: string): Promise<Row[]> {
    assert.ok(this.#client);
    return (await this.#client.query<Row>(sql)).rows;
  }

  /** Writes a row whose WAL file is archived. @returns a moment after it */
  async mark(name: string): Promise<string> {
    await this.query(`insert into mark values ('${name}')`);
    const [row] = await this.query<{ moment: Date; file: string }>(
      'select clock_timestamp() as moment, pg_walfile_name(pg_current_wal_lsn()) as file',
    );
    await this.archived();
    assert.ok(row);
    // The driver cuts microseconds off, so that the moment could precede the commit.
    return new Date(row.moment.getTime() + 1).toISOString();
  }

  /** Waits until all WAL so far is archived. */
  async archived(): Promise<void> {
    await this.query('create table if not exists switched (); drop table switched');
    const [row] = await this.query<{ file: string }>('select pg_walfile_name(pg_switch_wal()) as file');
    for (let attempt = 0; attempt < 200; attempt += 1) {
      const [{ last } = { last: null }] = await this.query<{ last: string | null }>(
        `select left(last_archived_wal, 24) as last, pg_sleep(0.05)::text from pg_stat_archiver`,
      );
      if (last !== null && row && last >= row.file) return;
    }
    assert.fail(`${row?.file ?? ''} is not archived`);
  }

  /** Takes a backup. @returns its path */
  async backup(args: string[] = []): Promise<string> {
    const { status, output } = await this.run('backup', [this.backups, ...args]);
    assert.equal(status, 0, output);
    return output.split('\n')[0] ?? '';
  }

  /** Makes a backup days older. @returns its path, which has another name then */
  age(path: string, days: number): string {
    const descriptionPath = join(path, 'backup.json');
    const description = JSON.parse(readFileSync(descriptionPath, 'utf8')) as { at: string };
    const at = new Date(Date.parse(description.at) - days * DAY_MS).toISOString();
    writeFileSync(descriptionPath, JSON.stringify({ ...description, at }));
    const agedPath = join(dirname(path), `krapao-${at.replaceAll(/[-:]|\.\d+/g, '')}`);
    renameSync(path, agedPath);
    return agedPath;
  }

  /** Restores a backup to a new folder. @returns the marks in it */
  async restoredMarks(backup: string, name: string, until?: string): Promise<string[]> {
    const data = join(this.folder, name);
    const args = [backup, '--wal', this.archive, ...(until === undefined ? [] : ['--until', until])];
    const { status, output } = await this.run('restore', args, { DATA_DIR: data });
    assert.equal(status, 0, output);
    const postgres = await launchEmbeddedPostgres({ directory: join(data, 'postgres') });
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    const { rows } = await client.query<{ name: string }>('select name from mark order by 1');
    await client.end();
    await postgres.stop();
    rmSync(data, { recursive: true });
    return rows.map((row) => row.name);
  }

  /** Copies the outside file away. @returns a function that puts it back */
  withoutOutside(): () => void {
    const path = join(this.data, 'outside.json');
    copyFileSync(path, `${path}.away`);
    rmSync(path);
    return () => renameSync(`${path}.away`, path);
  }
}
