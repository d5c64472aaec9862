import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, test } from 'node:test';
import { createLedger } from '../../src/ledger/index.ts';
import { formatBackupName } from '../../src/platform/backup/folder.ts';
import { readManifest } from '../../src/platform/backup/manifest.ts';
import { restoreToScratch } from '../../src/platform/backup/scratch-restore.ts';
import { assertEncryptionKey, readSecretBox } from '../../src/platform/crypto/encryption.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { type CommandResult, runCommandProcess } from '../harness/command.ts';
import { ledgerAccountsOf } from '../ledger/books.ts';
import { BackedUp } from './backed-up.ts';

const EIGHT_TERABYTES = 8 * 1024 ** 4;

let system: BackedUp;
let backup: string;

before(async () => {
  system = await BackedUp.start();
  const database = openDatabase({ url: system.url, size: 2 });
  const ledger = createLedger({ url: system.url, database, currency: 'BAHT' });
  const secretBox = readSecretBox(system.environment.SECRETS_FILE);
  await assertEncryptionKey(database, secretBox, async () => undefined);
  const { deposit, hold, pay } = ledgerAccountsOf('verified');
  await ledger.post(deposit('v1', 9_000n));
  await ledger.post(hold('v2', 1_000n));
  await system.mark('a');
  backup = await system.backup();
  await ledger.post(pay('v3', 2_500n));
  for (const name of ['b', 'c', 'd']) await system.mark(name);
  await ledger.close();
  await database.close();
});
after(() => system.stop());

const verify = (args: string[] = []): Promise<CommandResult> => system.run('backup', ['verify', ...args]);
const scratchFolders = (): string[] => readdirSync(system.backups).filter((name) => name.startsWith('.'));
/** Compressed WAL files in the archive, the oldest first. */
const archivedFiles = (): string[] =>
  readdirSync(system.archive)
    .filter((name) => /^[\dA-F]{24}\.gz$/.test(name))
    .toSorted();

/** Runs with a copy of the backup as the only one. */
async function withCopy(change: (copy: string) => void, run: (folder: string) => Promise<void>): Promise<void> {
  const folder = join(system.folder, 'copies');
  const copy = join(folder, backup.slice(backup.lastIndexOf('/') + 1));
  cpSync(backup, copy, { recursive: true });
  try {
    change(copy);
    await run(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('backup verification restores with WAL to the last commit, audits it, and does not touch the running server', async () => {
  const metricsFile = join(system.folder, 'verify.prom');
  mkdirSync(join(system.backups, '.verify-999999999'));
  const wal = archivedFiles();
  const { status, output } = await verify(['--metrics', metricsFile]);
  assert.equal(status, 0, output);
  assert.match(output, /^right {2}posted adds up to zero in each currency$/m);
  assert.match(output, /^right {2}balances in BAHT: members have 65\.00, \d+ accounts are the sum of \d+ entries$/m);
  assert.match(output, /^right {2}the archived WAL is replayed to its end$/m);
  assert.match(output, /^krapao-\d{8}T\d{6}Z: 0 h old, restored to 20\d\d-.*Z, in \d+ s$/m);
  assert.match(output, /^\d\d checks, 0 wrong$/m);
  const metrics = readFileSync(metricsFile, 'utf8');
  assert.match(metrics, /^krapao_backup_verify_wrong 0$/m);
  for (const name of ['timestamp_seconds', 'backup_timestamp_seconds']) {
    const seconds = Number(new RegExp(`^krapao_backup_verify_${name} (\\d+)$`, 'm').exec(metrics)?.[1]);
    assert.ok(Math.abs(Date.now() / 1_000 - seconds) < 300, name);
  }
  assert.deepEqual(scratchFolders(), [], 'and the folder of a killed verification is gone');
  assert.deepEqual(
    await system.query('select name from mark order by 1'),
    ['a', 'b', 'c', 'd'].map((name) => ({ name })),
  );
  assert.deepEqual(archivedFiles().slice(0, wal.length), wal);
});

test('a verification uses no files of a killed one with its process id, and leaves no process after a time-out', async () => {
  const folder = join(system.backups, `.verify-${process.pid}`);
  mkdirSync(join(folder, 'postgres/pg_wal/leftover'), { recursive: true });
  const request = { backup, walArchive: undefined, user: 'krapao', database: 'krapao', timeoutMs: 60_000 };
  const scratch = await restoreToScratch(system.backups, request);
  assert.ok(!scratch.backupWal.includes('leftover'));
  await scratch.remove();
  await assert.rejects(restoreToScratch(system.backups, { ...request, timeoutMs: 1 }), /was not ready within 0\.001 s/);
  assert.deepEqual(processesIn(folder), []);
  assert.deepEqual(scratchFolders(), []);
});

/** Command lines of processes that name the folder. */
const processesIn = (folder: string): string[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return '';
      }
    })
    .filter((line) => line.includes(folder));

test('backup verification reports a missing and a damaged WAL file, and leaves no folder', async () => {
  const name = archivedFiles().at(-2) ?? '';
  const [path, walName] = [join(system.archive, name), name.slice(0, 24)];
  renameSync(path, `${path}.away`);
  const missing = await verify();
  assert.equal(missing.status, 1);
  assert.match(
    missing.output,
    new RegExp(`^WRONG {2}the archive has every WAL file .*: 1 WAL file is missing: ${walName}$`, 'm'),
  );
  assert.match(missing.output, new RegExp(`^WRONG .* its end: the restore ends at ${walName}, which is missing$`, 'm'));
  cpSync(`${path}.away`, path);
  truncateSync(path, 1_000);
  const damaged = await verify();
  assert.equal(damaged.status, 1);
  assert.match(damaged.output, new RegExp(`^WRONG .* its end: the restore ends at ${walName}, which is damaged$`, 'm'));
  const args = [backup, '--wal', system.archive, '--until', '2099-01-01T00:00:00Z'];
  const late = await system.run('restore', args, { DATA_DIR: join(system.folder, 'late') });
  assert.match(
    late.output,
    new RegExp(
      `its last commit at 20\\S+Z\\. It ends at ${walName}, which is damaged\\. Restore until an earlier moment`,
    ),
  );
  assert.equal(existsSync(join(system.folder, 'late')), false);
  renameSync(`${path}.away`, path);
  const newest = join(system.archive, archivedFiles().at(-1) ?? '');
  cpSync(newest, `${newest}.away`);
  truncateSync(newest, 1_000);
  assert.match((await verify()).output, /^WRONG {2}the archived WAL is replayed to its end/m);
  renameSync(`${newest}.away`, newest);
  assert.equal((await verify()).status, 0);
  assert.deepEqual(scratchFolders(), []);
});

test('backup verification reports a balance that differs from its entries', async () => {
  const change = (amount: number) =>
    system.query(
      `update ledger.account set posted = posted + ${amount} where member_id = 'verified' and kind = 'WALLET'`,
    );
  await change(1);
  const wrongBackup = await system.backup();
  await change(-1);
  await system.archived();
  const { status, output } = await system.run('backup', ['verify'], { WAL_ARCHIVE: '' });
  rmSync(wrongBackup, { recursive: true });
  assert.equal(status, 1);
  assert.match(output, /^WRONG {2}posted adds up to zero in each currency: 1 row$/m);
  assert.match(output, /^WRONG {2}balances in BAHT: .*: 1 account is not$/m);
});

test('backup verification reports a changed backup, missing entries, and a key that does not open it', async () => {
  await withCopy(
    (copy) => appendFileSync(join(copy, 'base.tar'), 'x'),
    async (folder) => {
      const metricsFile = join(system.folder, 'changed.prom');
      const { status, output } = await verify([folder, '--metrics', metricsFile]);
      assert.equal(status, 1);
      assert.match(output, /base\.tar of the backup .* is missing or was changed/);
      assert.match(readFileSync(metricsFile, 'utf8'), /^krapao_backup_verify_wrong 1$/m);
      assert.deepEqual(readdirSync(folder).toSorted(), [basename(backup), 'last-verification.json']);
    },
  );
  await withCopy(
    (copy) => {
      const secrets = JSON.stringify({ encryptionKey: Buffer.alloc(32, 8).toString('base64') });
      writeFileSync(join(copy, 'secrets.json'), secrets);
      const path = join(copy, 'backup.json');
      const description = JSON.parse(readFileSync(path, 'utf8')) as {
        files: { name: string; sha256: string }[];
        ledgerEntries: number;
      };
      const sha256 = createHash('sha256').update(secrets).digest('hex');
      const files = description.files.map((file) => (file.name === 'secrets.json' ? { ...file, sha256 } : file));
      writeFileSync(path, JSON.stringify({ ...description, files, ledgerEntries: description.ledgerEntries + 50 }));
    },
    async (folder) => {
      const { status, output } = await verify([folder]);
      assert.equal(status, 1);
      assert.match(output, /^WRONG {2}the key of the backup opens it: /m);
      assert.match(output, /^WRONG {2}the books have the \d+ entries of the backup: \d+ entries are missing$/m);
    },
  );
});

test('verification of a backup by its path restores that one, even beside a newer one', async () => {
  await withCopy(
    (copy) => cpSync(join(copy, 'backup.json'), join(copy, '..', formatBackupName(new Date()), 'backup.json')),
    async (folder) => {
      const [older = '', newer = ''] = readdirSync(folder).toSorted();
      const manifest = readManifest(join(folder, older));
      for (const { name } of manifest.files) writeFileSync(join(folder, newer, name), 'damaged');
      assert.match((await verify([folder])).output, new RegExp(`base\\.tar of the backup ${join(folder, newer)} is`));
      const { status, output } = await verify([join(folder, older)]);
      assert.equal(status, 0, output);
      assert.match(output, new RegExp(`^${older}: 0 h old, restored to 20`, 'm'));
      assert.deepEqual(readdirSync(folder).toSorted(), [older, newer, 'last-verification.json'].toSorted());
    },
  );
});

test('backup verification without enough disk space is refused with a message before anything is written', async () => {
  await withCopy(
    (copy) => truncateSync(join(copy, 'base.tar'), EIGHT_TERABYTES),
    async (folder) => {
      const { status, output } = await verify([folder]);
      assert.equal(status, 1);
      assert.match(output, /has \d+ MB free, and a restore needs \d+ MB: free some space\. Nothing was changed\./);
      assert.deepEqual(readdirSync(folder).toSorted(), [basename(backup), 'last-verification.json']);
    },
  );
});

test('backup verification restores the newest complete backup, and fails with a message without one', async () => {
  const empty = join(system.folder, 'empty');
  mkdirSync(join(empty, 'krapao-20990101T000000Z'), { recursive: true });
  for (const folder of [empty, join(system.folder, 'nowhere')]) {
    const { status, output } = await verify([folder]);
    assert.equal(status, 1);
    assert.match(output, /There is no complete backup in/);
    assert.doesNotMatch(output, /\n +at /);
  }
  for (const args of [['a', 'b'], ['--nothing'], ['--wal']]) {
    const { status, output } = await verify(args);
    assert.equal(status, 1);
    assert.match(output, /Write krapao backup verify/);
  }
  for (const [args, sentence] of [
    [[join(backup, 'backup.json')], /backup\.json is not a folder, .*\(ENOTDIR\)\.$/m],
    [[join(system.backups, 'krapao-20200101T000000Z')], /krapao-20200101T000000Z is no complete backup/],
    [['--wal', join(system.folder, 'nowhere')], /There is no folder .*nowhere, which --wal names\.$/m],
  ] as const) {
    assert.match((await verify([...args])).output, sentence);
  }
  assert.ok(existsSync(backup));
});

/** Findings of doctor about the backups in a folder and their verification, each with its remedy. */
async function findBackupFindings(folder: string): Promise<string> {
  const { output } = await system.run('doctor', [], { BACKUP_FOLDER: folder, PORT: '9' });
  const lines = output.split('\n');
  return lines.flatMap((line, index) => (/ backup.*?: /.test(line) ? [line, lines[index + 1]] : [])).join('\n');
}

test('a restore killed while unpacking leaves a folder on which no database starts', async () => {
  const [tools, data] = [join(system.folder, 'tools'), join(system.folder, 'killed')];
  mkdirSync(tools);
  writeFileSync(join(tools, 'tar'), '#!/bin/sh\n/bin/tar "$@"\nkill -9 $PPID\n', { mode: 0o755 });
  const environment = { DATA_DIR: data, PATH: `${tools}:${process.env['PATH'] ?? ''}` };
  for (const args of [[backup], [backup, '--wal', system.archive]]) {
    await runCommandProcess({ databaseUrl: '' }, 'restore', args, environment);
    assert.equal(existsSync(join(data, 'postgres', 'global', 'pg_control')), true);
    const { status, output } = await system.run('audit', [], { DATA_DIR: data, WAL_ARCHIVE: '' });
    assert.equal(status, 1, output);
    assert.match(
      output,
      /^The restore into .*killed is running or was interrupted: .* empty the folder and restore again/m,
    );
    rmSync(data, { recursive: true });
  }
});

test('restore and verification report missing files of members, and refuse a manifest without checksums', async () => {
  await withCopy(
    () => {},
    async (folder) => {
      const copy = join(folder, readdirSync(folder)[0] ?? '');
      const manifest = join(copy, 'backup.json');
      const text = readFileSync(manifest, 'utf8');
      assert.match(text, /"memberFiles": \{\s*"count": \d+,\s*"bytes": \d+\s*\}/);
      writeFileSync(manifest, text.replace(/"memberFiles": \{[^}]*\}/, '"memberFiles": { "count": 2, "bytes": 500 }'));
      rmSync(join(copy, 'files'), { recursive: true, force: true });
      const missing = /the backup has 0 of 2 slips and chat files, 0 of 500 bytes/;
      const verified = await verify([folder]);
      assert.match(verified.output, missing);
      assert.match(verified.output, /^\d\d checks, 1 wrong$/m);
      assert.equal(verified.status, 1);
      const data = join(folder, 'restored');
      const restored = await system.run('restore', [copy], { DATA_DIR: data });
      assert.match(restored.output, missing);
      assert.equal(restored.status, 1);
      assert.equal(existsSync(join(data, 'restore-incomplete')), false);
      writeFileSync(manifest, text.replace(/"files": \[[^\]]*\]/, '"files": []'));
      assert.match((await verify([copy])).output, /is no complete backup: backup\.json is missing or invalid/);
    },
  );
});

test('doctor reports a backup with a missing file, a wrong size, an unreadable manifest or a future date', async () => {
  await withCopy(
    () => {},
    async (folder) => {
      const copy = join(folder, readdirSync(folder)[0] ?? '');
      const [tar, manifest] = [join(copy, 'base.tar'), join(copy, 'backup.json')];
      assert.match(await findBackupFindings(folder), /^right +backups: The newest complete backup is/m);
      const text = readFileSync(manifest, 'utf8');
      const bytes = Number(/"name": "base\.tar",[^}]*"bytes": (\d+)/.exec(text)?.[1]);
      truncateSync(tar, bytes - 1);
      const truncated = await findBackupFindings(folder);
      assert.match(
        truncated,
        new RegExp(
          `^FAULT +backups: krapao-\\S+ is damaged: base\\.tar has ${bytes - 1} of ${bytes} bytes\\.\n +→ .*backups\\.md#damaged-backup\\.$`,
          'm',
        ),
      );
      assert.match(truncated, /^WARNING +backups: .* has no complete backup yet/m);
      writeFileSync(manifest, text.replaceAll(/,\s*"(?:bytes": \d+|memberFiles": \{[^}]*\})/g, ''));
      assert.doesNotMatch(await findBackupFindings(folder), /damaged/, 'an older program wrote no sizes');
      renameSync(tar, `${tar}.away`);
      assert.match(await findBackupFindings(folder), /^FAULT +backups: .* is damaged: base\.tar is missing/m);
      writeFileSync(manifest, '{"at": "\0');
      assert.match(await findBackupFindings(folder), /^FAULT +backups: .* is damaged: backup\.json can't be read/m);
      const future = join(folder, 'krapao-20990101T000000Z');
      renameSync(copy, future);
      assert.match(
        await findBackupFindings(folder),
        /^WARNING +backups: krapao-20990101T000000Z is dated in the future: it is never the newest\.\n +→ Rename it/m,
      );
      renameSync(future, copy);
      rmSync(manifest);
      assert.doesNotMatch(await findBackupFindings(folder), /damaged/, 'a backup without a manifest is being written');
    },
  );
});

test('doctor reports a backup verification that never ran, succeeded, is older than 33 days, or failed', async () => {
  await withCopy(
    () => {},
    async (folder) => {
      assert.match(
        await findBackupFindings(folder),
        /^WARNING +backup verification: No backup in .* was verified: .*\n +→ krapao backup verify, every month/m,
      );
      assert.equal((await verify([folder])).status, 0);
      assert.match(
        await findBackupFindings(folder),
        /^right +backup verification: The last verification \(krapao-\S+\) succeeded \d+ s ago\.$/m,
      );
      const record = join(folder, 'last-verification.json');
      const at = new Date(Date.now() - 34 * 86_400_000).toISOString();
      writeFileSync(record, JSON.stringify({ at, wrong: 0 }));
      assert.match(await findBackupFindings(folder), /^WARNING +backup verification: .* succeeded 34 d ago/m);
      writeFileSync(record, '\0');
      assert.match(await findBackupFindings(folder), /^WARNING +backup verification: The last outcome is not known/m);
      truncateSync(join(folder, readdirSync(folder).find((name) => name.startsWith('krapao-')) ?? '', 'base.tar'), 512);
      assert.equal((await verify([folder])).status, 1);
      assert.match(
        await findBackupFindings(folder),
        /^FAULT +backup verification: .*\) failed \d+ s ago\.\n +→ docs\/runbooks\/backups\.md#verification-fails/m,
      );
    },
  );
});
