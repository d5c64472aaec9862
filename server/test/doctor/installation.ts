import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Outside } from '../../src/outside-config.ts';
import { recordCheckRun } from '../../src/platform/check-runs.ts';
import { assertEncryptionKey } from '../../src/platform/crypto/encryption.ts';
import { createSecretBox } from '../../src/platform/crypto/secret-box.ts';
import { type Database, openDatabase } from '../../src/platform/database/database.ts';
import { type EmbeddedPostgres, launchEmbeddedPostgres } from '../../src/platform/database/embedded-postgres/launch.ts';
import { migrate } from '../../src/platform/database/migrate.ts';
import { runCommand, runCommandProcess } from '../harness/command.ts';
import { buildTestOutside, writeOutside } from '../harness/outside-file.ts';

/** A data folder with a running database, secrets and an outside file, which tests damage. */
export type Installation = {
  data: string;
  secretsFile: string;
  outsideFile: string;
  database: Database;
  url: string;
  /** Runs `krapao doctor`, with more of its environment. */
  runDoctor(environment?: Readonly<Record<string, string>>): Promise<{ status: number; output: string }>;
  /** Writes the outside file again. */
  writeOutside(changeOutside?: (outside: Outside) => Partial<Outside>): void;
  restart(options?: { durable?: boolean; maxConnections?: number }): Promise<void>;
  remove(): Promise<void>;
};

const ENCRYPTION_KEY = Buffer.alloc(32, 7);
/** Another server of this machine may use the default port. */
const UNUSED_PORT = '9';
const UNREACHABLE_URL = 'http://127.0.0.1:9';

/** Creates an installation without faults. */
export async function createInstallation(): Promise<Installation> {
  const folder = mkdtempSync(join(tmpdir(), 'krapao-doctor-'));
  const data = join(folder, 'data');
  mkdirSync(data);
  const [secretsFile, outsideFile] = [join(data, 'secrets.json'), join(data, 'outside.json')];
  writeFileSync(secretsFile, JSON.stringify({ encryptionKey: ENCRYPTION_KEY.toString('base64') }), {
    mode: 0o600,
  });
  writeOutside(outsideFile, buildTestOutside(UNREACHABLE_URL, UNREACHABLE_URL));
  let postgres: EmbeddedPostgres = await launchEmbeddedPostgres({ directory: join(data, 'postgres') });
  let database = openDatabase({ url: postgres.url, size: 2 });
  await migrate(database);
  await assertEncryptionKey(database, createSecretBox(ENCRYPTION_KEY), async () => undefined);
  for (const name of ['audit', 'reconcile'] as const) await recordCheckRun(database, name, 0);
  // Read by a server that runs for the next hour.
  await database.query(
    `insert into deposit_feed (name, polled_at, read_at) values ('SCB', now() + interval '1 hour', now())`,
  );
  const stopDatabase = async () => {
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
    runDoctor(environment = {}) {
      // Node reads its own variables when a process starts.
      const run = Object.keys(environment).some((name) => name.startsWith('NODE_')) ? runCommandProcess : runCommand;
      return run({ databaseUrl: '' }, 'doctor', [], { DATA_DIR: data, PORT: UNUSED_PORT, ...environment });
    },
    writeOutside(changeOutside = () => ({})) {
      const outside = buildTestOutside(UNREACHABLE_URL, UNREACHABLE_URL);
      writeOutside(outsideFile, { ...outside, ...changeOutside(outside) });
    },
    async restart(options = {}) {
      await stopDatabase();
      postgres = await launchEmbeddedPostgres({ directory: join(data, 'postgres'), ...options });
      database = openDatabase({ url: postgres.url, size: 2 });
    },
    async remove() {
      await stopDatabase();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
