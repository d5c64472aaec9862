import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { CommandName } from '../../src/cli/krapao.ts';
import { createInstallation } from '../doctor/installation.ts';
import { type CommandResult, runCommandProcess } from '../harness/command.ts';
import { DATABASE_COMMANDS } from './database-commands.ts';

/** Only root may mount a small file system, and some containers refuse it. */
const canMount = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0;
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
  test('doctor reports a folder of temporary files or logs that is full, out of inodes or read-only', async () => {
    const installation = await createInstallation();
    const logFolder = join(installation.data, 'logs');
    try {
      await withSmallDisk(18, async ({ path, fill, free }) => {
        symlinkSync(path, logFolder);
        const assertFound = async (...expected: RegExp[]): Promise<void> => {
          const { output } = await run(installation.data, ['doctor'], { TMPDIR: path, PORT: '9' });
          for (const line of expected) assert.match(output, line);
        };
        await assertFound(/^right +disk: \S+\/disk has 18 MB of 18 MB free/m, /^right +disk: \S+\/logs has 18 MB/m);
        fill();
        await assertFound(
          /^FAULT +disk: \S+\/disk has 0 MB of 18 MB free\.\n +→ Free some space: docs\/runbooks\/disk-/m,
        );
        free();
        execFileSync('mount', ['-o', 'remount,nr_inodes=2', path]);
        writeFileSync(join(path, 'last'), '');
        await assertFound(/^FAULT +disk: \S+\/disk has no free inode/m);
        execFileSync('mount', ['-o', 'remount,ro', path]);
        rmSync(logFolder);
        await assertFound(/^FAULT +disk: \S+\/disk (?:can't be written \(EROFS\)|has no free inode)/m);
        execFileSync('mount', ['-o', 'remount,nr_inodes=99', path]);
        await assertFound(/^FAULT +disk: \S+\/disk can't be written \(EROFS\)\.\n +→ Its file system is read-only/m);
      });
    } finally {
      await installation.remove();
    }
  });

if (canMount)
  test('commands work or name the full disk while the data folder is full, and the books are right afterwards [R-OPS-04]', async () => {
    await withSmallDisk(300, async ({ path, fill, free }) => {
      const outerFolder = process.env['TMPDIR'];
      process.env['TMPDIR'] = path;
      const installation = await createInstallation();
      if (outerFolder === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = outerFolder;
      const { data } = installation;
      const otherCommands: readonly (readonly [CommandName, ...string[]])[] = [
        ['outside', join(path, 'made.json'), 'https://play.example.com', 'http://127.0.0.1:3100'],
        ['restore', join(path, 'no-backup')],
        ['copy-database', 'postgresql://krapao@127.0.0.1:9/krapao'],
      ];
      const elsewhere = mkdtempSync(join(tmpdir(), 'krapao-backups-'));
      try {
        await run(data, ['config', 'show', 'banks']);
        fill();
        const doctor = await run(data, ['doctor'], { TMPDIR: path });
        assert.match(doctor.output, /^FAULT +disk: \S+ has 0 MB of 300 MB free\.\n +→ Free some space: docs/m);
        for (const command of otherCommands) await run(data, command, { TMPDIR: path });
        for (const command of DATABASE_COMMANDS) {
          const { status, output } = await run(data, command, { TMPDIR: path });
          // A database that needs no new block starts all the same: a command then reports what it lacks here.
          const reason = /disk is full|disk of .* is full|^There is no |^NO_USER: |^The statement of .*: ECONNREFUSED/m;
          if (status !== 0) assert.match(output, reason, command[0]);
        }
        const inFull = await run(data, ['backup', join(path, 'backups')]);
        assert.match(inFull.output, /^(?:\S+ can't be written \(its disk is full\): |The disk of .* is full: ).*\n$/);
        // PostgreSQL has no room for the WAL of a backup, and ends.
        const other = await run(data, ['backup', elsewhere]);
        assert.match(other.output, /^The (?:disk of .* is full: |database did not start on .* disk is full: free )/);
        assert.deepEqual([inFull.status, other.status], [1, 1]);
        free();
        for (const name of ['queues', 'switches', 'audit'] as const) assert.equal((await run(data, [name])).status, 0);
        assert.equal((await run(data, ['backup', elsewhere])).status, 0);
      } finally {
        await installation.remove();
        rmSync(elsewhere, { recursive: true });
      }
    });
  });
