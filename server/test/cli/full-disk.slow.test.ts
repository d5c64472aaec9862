import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CommandName } from '../../src/cli/krapao.ts';
import { createInstallation } from '../doctor/installation.ts';
import { type CommandResult, runCommandProcess } from '../harness/command.ts';

/** Only root may mount a small file system, and some containers refuse it. */
const canMount = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;
const READING_COMMANDS: readonly (readonly [CommandName, ...string[]])[] = [
  ['doctor'],
  ['queues'],
  ['switches'],
  ['config', 'show', 'banks'],
  ['audit'],
];

const FILLED_BYTES = 64 * 1024;

/** Mounts a small file system. @returns a function that leaves it no free byte, and one that frees it again */
async function withSmallDisk(
  megabytes: number,
  work: (disk: { path: string; fill: () => void; free: () => void }) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'krapao-full-disk-'));
  const path = join(folder, 'disk');
  mkdirSync(path);
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path]);
  const filler = join(path, 'filler');
  const fill = (): void => {
    // The database writes at the same time, so that the free space is not known exactly.
    assert.throws(() => {
      for (;;) appendFileSync(filler, Buffer.alloc(FILLED_BYTES));
    }, /ENOSPC/);
  };
  try {
    await work({ path, fill, free: () => rmSync(filler) });
  } finally {
    execFileSync('umount', ['-l', path]);
    rmSync(folder, { recursive: true });
  }
}

/** Runs a command as a process; asserts that it ends within 30 s with words and without a stack. */
async function run(
  data: string,
  [name, ...args]: readonly [CommandName, ...string[]],
  environment: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  const startedAt = performance.now();
  const result = await runCommandProcess({ databaseUrl: '' }, name, args, { DATA_DIR: data, ...environment });
  assert.ok(performance.now() - startedAt < 30_000, `${name} took ${performance.now() - startedAt} ms`);
  assert.match(result.output, /\w/, name);
  assert.doesNotMatch(result.output, /^\s+at |failed unexpectedly/m, name);
  return result;
}

if (canMount)
  test('commands run or name the full disk while the data folder has no free byte, and the books are right afterwards', async () => {
    await withSmallDisk(300, async ({ path, fill, free }) => {
      const outerFolder = process.env['TMPDIR'];
      process.env['TMPDIR'] = path;
      const installation = await createInstallation();
      if (outerFolder === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = outerFolder;
      const { data } = installation;
      const elsewhere = mkdtempSync(join(tmpdir(), 'krapao-backups-'));
      try {
        await run(data, ['config', 'show', 'banks']);
        fill();
        const doctor = await run(data, ['doctor'], { TMPDIR: path });
        assert.match(doctor.output, /^FAULT +disk: \S+ has 0 MB of 300 MB free\.\n +→ Free some space: docs/m);
        for (const command of READING_COMMANDS.slice(1)) {
          const { status, output } = await run(data, command, { TMPDIR: path });
          if (status !== 0)
            assert.match(output, /^The disk of .* is full: |disk is full: free some space/m, command[0]);
        }
        const inFull = await run(data, ['backup', join(path, 'backups')]);
        assert.match(inFull.output, /^(?:\S+ can't be written \(its disk is full\): |The disk of .* is full: ).*\n$/);
        // PostgreSQL has no room for the WAL of a backup, and ends.
        const other = await run(data, ['backup', elsewhere]);
        assert.match(other.output, /^The (?:disk of .* is full: |database did not start on .* disk is full: free )/);
        assert.deepEqual([inFull.status, other.status], [1, 1]);
        free();
        for (const command of READING_COMMANDS.slice(1)) assert.equal((await run(data, command)).status, 0);
        assert.equal((await run(data, ['backup', elsewhere])).status, 0);
      } finally {
        await installation.remove();
        rmSync(elsewhere, { recursive: true });
      }
    });
  });
