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
  const [parentFolder = ''] = positionalArgs(args, [1, 1], 'Say where to: krapao backup FOLDER');
  const startedAt = systemClock.now().toISOString();
  const backupFolder = join(resolve(parentFolder), `krapao-${startedAt.replaceAll(/[-:]|\.\d+/g, '')}`);
  makeFolder(backupFolder);
  try {
    await writeBackup(backupFolder, startedAt, context);
  } catch (error) {
    // An incomplete backup can't be restored, and occupies the space that the next one needs.
    rmSync(backupFolder, { recursive: true, force: true });
    throw asWriteError(backupFolder, error);
  }
  context.print(`${backupFolder}\n`);
  return 0;
});

/**
 * Fails when the folder exists: another backup of the same second must not be removed together with an incomplete one.
 */
function makeFolder(backupFolder: string): void {
  try {
    mkdirSync(dirname(backupFolder), { recursive: true, mode: 0o700 });
    mkdirSync(backupFolder, { mode: 0o700 });
  } catch (error) {
    throw asWriteError(backupFolder, error);
  }
}

async function writeBackup(backupFolder: string, startedAt: string, context: DatabaseContext): Promise<void> {
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
  // Copied after the database, so that every file that a row names is present.
  copyFiles(context, backupFolder);
  const { rows } = await database.query<{ number: number }>(
    `select current_setting('server_version_num')::int as number`,
  );
  const postgresMajor = Math.floor((rows[0]?.number ?? 0) / VERSIONS_PER_MAJOR);
  const description: Description = { at: startedAt, appVersion: APP_VERSION, postgresMajor, files };
  writeFileSync(join(backupFolder, DESCRIPTION), `${JSON.stringify(description, null, 2)}\n`, { mode: 0o600 });
}

function copyFiles({ config: { objectStorage }, print }: DatabaseContext, backupFolder: string): void {
  if (objectStorage.kind === 's3') {
    print(`The bucket ${objectStorage.bucket} is not copied: use its versions or replication.\n`);
  } else if (existsSync(objectStorage.directory)) {
    cpSync(objectStorage.directory, join(backupFolder, 'files'), { recursive: true });
  }
}

/** Description of a backup, `backup.json`. It is written last, so a folder without it is an incomplete backup. */
const description = z.object({
  at: z.iso.datetime(),
  appVersion: z.string(),
  postgresMajor: z.int(),
  /** SHA-256 of each file that the restore reads. */
  files: z.array(z.object({ name: z.string().regex(/^[\w.]+$/), sha256: z.string() })),
});
export type Description = z.output<typeof description>;

/** File name of the description in the folder of a backup. */
export const DESCRIPTION = 'backup.json';

/** Reads the description of a backup and compares its files. @throws {UserError} incomplete, changed or no backup */
export async function readBackup(folder: string): Promise<Description> {
  let parsedDescription: Description;
  try {
    parsedDescription = readJsonFile(join(folder, DESCRIPTION), description);
  } catch (error) {
    throw new UserError(`${folder} is no complete backup: it has no right ${DESCRIPTION}.`, { cause: error });
  }
  for (const { name, sha256 } of parsedDescription.files) {
    if ((await sha256Of(join(folder, name))) !== sha256) {
      throw new UserError(`${name} of the backup ${folder} is missing or was changed: restore another backup.`);
    }
  }
  return parsedDescription;
}

/** SHA-256 of a file in hexadecimal; empty when it can't be read. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  } catch {
    return '';
  }
  return hash.digest('hex');
}
