import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Outside } from '../../src/outside-config.ts';
import { type Database, openDatabase } from '../../src/platform/database/database.ts';
import { type EmbeddedPostgres, launchEmbeddedPostgres } from '../../src/platform/database/embedded-postgres/launch.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { runCommand, runCommandProcess } from '../harness/command.ts';
import { testOutside, writeOutside } from '../harness/outside-file.ts';

/** A data folder with a database that runs, secrets and an outside file, which a test then damages. */
export type Installation = {
  data: string;
  secretsFile: string;
  outsideFile: string;
  database: Database;
  url: string;
  /** Runs `npm run krapao -- doctor`, with more of its environment. */
  examine(environment?: Readonly<Record<string, string>>): Promise<{ status: number; output: string }>;
  /** Writes the outside file again. */
  writeOutside(change?: (outside: Outside) => Partial<Outside>): void;
  restart(options?: { durable?: boolean; maxConnections?: number }): Promise<void>;
  remove(): Promise<void>;
};

const NO_PORT = 'http://127.0.0.1:9';

/** Makes an installation that has nothing wrong with it. */
export async function install(): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'krapao-doctor-'));
  const data = join(folder, 'data');
  mkdirSync(data);
  const [secretsFile, outsideFile] = [join(data, 'secrets.json'), join(data, 'outside.json')];
  writeFileSync(secretsFile, JSON.stringify({ encryptionKey: Buffer.alloc(32, 7).toString('base64') }), {
    mode: 0o600,
  });
  writeOutside(outsideFile, testOutside(NO_PORT, NO_PORT));
  let postgres: EmbeddedPostgres = await launchEmbeddedPostgres({ directory: join(data, 'postgres') });
  let database = openDatabase({ url: postgres.url, size: 2 });
  await migrate(database);
  const stop = async () => {
    await database.close();
    await postgres.stop();
  };
  return {
    data,
    secretsFile,
    outsideFile,
    get database() {
      return database;
    },
    get url() {
      return postgres.url;
    },
    examine(environment = {}) {
      // Node reads its own variables when a process starts.
      const run = Object.keys(environment).some((name) => name.startsWith('NODE_')) ? runCommandProcess : runCommand;
      return run({ databaseUrl: '' }, 'doctor', [], { DATA_DIR: data, ...environment });
    },
    writeOutside(change = () => ({})) {
      const outside = testOutside(NO_PORT, NO_PORT);
      writeOutside(outsideFile, { ...outside, ...change(outside) });
    },
    async restart(options = {}) {
      await stop();
      postgres = await launchEmbeddedPostgres({ directory: join(data, 'postgres'), ...options });
      database = openDatabase({ url: postgres.url, size: 2 });
    },
    async remove() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
