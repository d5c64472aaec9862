import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../tools/install.mjs';

const COMMITS_MAX = 20;
const PROGRAM_FOLDERS = ['server', 'contract'];
const MIGRATION_PATH = /^server\/migrations\/(\d{4})-.*\.sql$/;
const OLDEST_PROGRAM = /^-- oldest program: (\d{4})\n/;
/** Path on the nodes, beside the current version. */
export const OLDER_DIRECTORY = '/opt/krapao-older';

/**
 * Unpacks an older version that may serve beside the current one: the oldest recent commit with a compatible schema and
 * installed packages.
 * @param folder for data of the cluster @param requested a commit to use instead
 * @returns undefined without git history or such a commit
 */
export function unpackOlder(folder, requested) {
  const commit = requested ?? findOlder();
  const archive = commit && runGit(['archive', commit], 'buffer');
  if (!archive) return undefined;
  const source = join(folder, 'older');
  mkdirSync(source, { recursive: true });
  const { status } = spawnSync('tar', ['-x', '-C', source], { input: archive });
  if (status !== 0) return undefined;
  return { commit: runGit(['rev-parse', '--short', commit]).trim(), source, directory: OLDER_DIRECTORY };
}

function findOlder() {
  const recentCommits =
    runGit(['log', '--first-parent', '--format=%H', `-${COMMITS_MAX + 1}`])
      ?.trim()
      .split('\n') ?? [];
  const [current, ...older] = recentCommits.map((commit) => ({ commit, ...versionOf(commit) }));
  return current && oldestBeside(current, older)?.commit;
}

/** Finds the oldest version with other programs that may serve beside the current one; `older` is newest first. */
export function oldestBeside(current, older) {
  const candidates = older.filter(
    (version) => version.programs !== current.programs && isBeside(version.migrations, current.migrations),
  );
  return candidates.findLast(({ packages }) => hasPackages(current.packages, packages));
}

/** Whether all packages of another version are installed. @param installed, required maps from path to version */
const hasPackages = (installed, required) => [...required].every(([path, version]) => installed.get(path) === version);

/**
 * Whether programs with the older migrations work on the schema of the newer ones.
 * @param older, newer maps from migration number to `content` (hash) and `oldestProgram`
 */
export function isBeside(older, newer) {
  const newestNumber = Math.max(...older.keys());
  const isUnchanged = [...older].every(([number, { content }]) => newer.get(number)?.content === content);
  const addedMigrations = [...newer].filter(([number]) => !older.has(number));
  return isUnchanged && addedMigrations.every(([number, { oldestProgram = number }]) => oldestProgram <= newestNumber);
}

/** Oldest program that a migration declares, by content hash: commits share most of them. */
const declaredPrograms = new Map();

function versionOf(commit) {
  const programs = PROGRAM_FOLDERS.map((path) => runGit(['rev-parse', `${commit}:${path}`])).join('');
  const rows = runGit(['ls-tree', commit, 'server/migrations/']).trim().split('\n');
  const migrations = new Map();
  for (const row of rows) {
    const [, , content, path] = row.split(/\s/);
    const number = Number(MIGRATION_PATH.exec(path)?.[1]);
    if (!number) continue;
    if (!declaredPrograms.has(content))
      declaredPrograms.set(content, OLDEST_PROGRAM.exec(runGit(['cat-file', 'blob', content]))?.[1]);
    const declaredProgram = declaredPrograms.get(content);
    migrations.set(number, { content, oldestProgram: declaredProgram && Number(declaredProgram) });
  }
  return { packages: packagesOf(commit), programs, migrations };
}

function packagesOf(commit) {
  const { packages } = JSON.parse(runGit(['show', `${commit}:package-lock.json`]));
  const installed = Object.entries(packages).filter(([path, { dev }]) => path.startsWith('node_modules/') && !dev);
  return new Map(installed.map(([path, { version, resolved }]) => [path, version ?? resolved]));
}

function runGit(args, encoding = 'utf8') {
  const { status, stdout } = spawnSync('git', ['-C', ROOT, ...args], { encoding, maxBuffer: 1024 ** 3 });
  return status === 0 ? stdout : undefined;
}
