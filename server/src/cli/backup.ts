import { APP_VERSION } from '@krapao/contract/constants';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  rmSync,
  writeFileSync,
  createReadStream,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { takeBaseBackup } from '../platform/database/base-backup.ts';
import { systemClock } from '../platform/time.ts';
import { UserError } from '../platform/errors.ts';
import { asWriteError, type DatabaseContext, positionalArgs, withDatabase } from './run-command.ts';
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { readJsonFile } from '../platform/json.ts';

const VERSIONS_PER_MAJOR = 10_000;

export const backup = withDatabase(async (args, context) => {
  const [into = ''] = positionalArgs(args, [1, 1], 'Say where to: npm run krapao -- backup FOLDER');
  const at = systemClock.now().toISOString();
  const backupFolder = join(resolve(into), `krapao-${at.replaceAll(/[-:]|\.\d+/g, '')}`);
  makeFolder(backupFolder);
  try {
    await writeBackup(backupFolder, at, context);
  } catch (error) {
    // It could not be restored, and holds the room that the next one needs.
    rmSync(backupFolder, { recursive: true, force: true });
    throw asWriteError(backupFolder, error);
  }
  context.print(`${backupFolder}\n`);
  return 0;
});

/** Fails when it is there: another backup of the same second, which must not be removed with what this one leaves. */
function makeFolder(backupFolder: string): void {
  try {
    mkdirSync(dirname(backupFolder), { recursive: true, mode: 0o700 });
    mkdirSync(backupFolder, { mode: 0o700 });
  } catch (error) {
    throw asWriteError(backupFolder, error);
  }
}

async function writeBackup(backupFolder: string, at: string, context: DatabaseContext): Promise<void> {
  const { database, config, url } = context;
  const files = await takeBaseBackup(url, backupFolder);
  for (const [name, path] of [
    ['secrets.json', config.secretsFile],
    ['outside.json', config.outsideFile],
  ] as const) {
    if (!existsSync(path)) throw new UserError(`${path} is missing: a backup without it can't be restored.`);
    copyFileSync(path, join(backupFolder, name));
    chmodSync(join(backupFolder, name), 0o600);
    files.push({ name, sha256: await sha256Of(join(backupFolder, name)) });
  }
  // After the database: each file that its rows name is there already.
  copyFiles(context, backupFolder);
  const { rows } = await database.query<{ number: number }>(
    `select current_setting('server_version_num')::int as number`,
  );
  const postgresMajor = Math.floor((rows[0]?.number ?? 0) / VERSIONS_PER_MAJOR);
  const description: Description = { at, appVersion: APP_VERSION, postgresMajor, files };
  writeFileSync(join(backupFolder, DESCRIPTION), `${JSON.stringify(description, null, 2)}\n`, { mode: 0o600 });
}

function copyFiles({ config: { objectStorage }, print }: DatabaseContext, backupFolder: string): void {
  if (objectStorage.kind === 's3') {
    print(`The bucket ${objectStorage.bucket} is not copied: use its versions or replication.\n`);
  } else if (existsSync(objectStorage.directory)) {
    cpSync(objectStorage.directory, join(backupFolder, 'files'), { recursive: true });
  }
}

/** What `backup.json` says of a backup. It is written last: a folder without it is an unfinished backup. */
const description = z.object({
  at: z.iso.datetime(),
  appVersion: z.string(),
  postgresMajor: z.int(),
  /** SHA-256 of each file that the restore reads. */
  files: z.array(z.object({ name: z.string().regex(/^[\w.]+$/), sha256: z.string() })),
});
export type Description = z.output<typeof description>;

/** Name of the description in the folder of a backup. */
export const DESCRIPTION = 'backup.json';

/** Reads what a backup says of itself and compares its files. @throws {UserError} unfinished, changed or no backup */
export async function readBackup(folder: string): Promise<Description> {
  let found: Description;
  try {
    found = readJsonFile(join(folder, DESCRIPTION), description);
  } catch (error) {
    throw new UserError(`${folder} is no complete backup: it has no right ${DESCRIPTION}.`, { cause: error });
  }
  for (const { name, sha256 } of found.files) {
    if ((await sha256Of(join(folder, name))) !== sha256) {
      throw new UserError(`${name} of the backup ${folder} is missing or was changed: restore another backup.`);
    }
  }
  return found;
}

/** SHA-256 of a file in hexadecimal; empty when it can't be read. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const part of createReadStream(path)) hash.update(part as Buffer);
  } catch {
    return '';
  }
  return hash.digest('hex');
}
