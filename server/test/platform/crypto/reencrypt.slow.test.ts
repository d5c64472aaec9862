import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { countSealedWithOtherKeys } from '../../../src/platform/crypto/reencrypt.ts';
import { createSecretBox } from '../../../src/platform/crypto/secret-box.ts';
import { sealedColumns } from '../../../src/inventory.ts';
import { apiClient } from '../../harness/api-client.ts';
import { CHILD_ENVIRONMENT } from '../../harness/child-environment.ts';
import { type Ended, runCommand, runCommandProcess } from '../../harness/command.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';

// The key of the harness, its replacement, and a key that no installation has.
const [BEFORE, NEXT, FOREIGN] = [7, 9, 11].map((byte) => Buffer.alloc(32, byte)) as [Buffer, Buffer, Buffer];
const MEMBERS = 6;
const COMMAND = join(import.meta.dirname, '../../../src/cli/krapao.ts');

let system: System;
let folder: string;
let members: TestMember[];
const servers: ServerProcess[] = [];

before(async () => {
  system = await startSystem();
  folder = mkdtempSync(join(tmpdir(), 'krapao-keys-'));
  members = await Promise.all(Array.from({ length: MEMBERS }, () => registerMember(system)));
  for (const member of members) {
    await credentialsAt(system.url, member, 'pg', 'activate');
    assert.equal((await system.api('GET /api/spinwheel/setup', { token: member.token })).status, 200);
  }
});
after(async () => {
  await Promise.all(servers.map((server) => server.stop()));
  await system.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Path of a secrets file whose first key seals; the others only open. */
function secretsOf([key, ...others]: readonly Buffer[]): string {
  const path = join(folder, `${[key, ...others].map((each) => each?.[0]).join('-')}.json`);
  const text = (one: Buffer | undefined): string => one?.toString('base64') ?? '';
  writeFileSync(path, JSON.stringify({ encryptionKey: text(key), otherEncryptionKeys: others.map(text) }), {
    mode: 0o600,
  });
  return path;
}

async function nodeWith(keys: readonly Buffer[]): Promise<ServerProcess> {
  const server = await startServerProcess(system, 'warn', undefined, { SECRETS_FILE: secretsOf(keys) });
  servers.push(server);
  return server;
}

/** The member's name and password at a provider. */
async function credentialsAt(
  url: string,
  { token }: TestMember,
  slotCode = 'pg',
  call: 'activate' | 'account' = 'account',
): Promise<Record<string, unknown>> {
  const reply = await apiClient(url)(`GET /api/wallet/${call}/{slotCode}`, { params: { slotCode }, token });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  assert.ok(reply.body.password);
  return { username: reply.body.username, password: reply.body.password };
}

const underOtherKeys = async (): Promise<number> => {
  const box = createSecretBox(NEXT, [BEFORE]);
  const counts = await Promise.all(
    sealedColumns.map((column) => countSealedWithOtherKeys(system.database, box, column)),
  );
  return counts.reduce((sum, count) => sum + count, 0);
};
// A process: a test that holds a transaction may not query on a second connection.
const reencrypt = (): Promise<Ended> =>
  runCommandProcess(system, 'reencrypt', [], { SECRETS_FILE: secretsOf([NEXT, BEFORE]) });

test('the encryption key is replaced while nodes with either key serve each other’s secrets, through a kill and a locked row', async () => {
  const [older, newer] = [await nodeWith([BEFORE, NEXT]), await nodeWith([NEXT, BEFORE])];
  const shown = await Promise.all(members.map((member) => credentialsAt(older.url, member)));
  const assertShown = async (server: ServerProcess): Promise<void> => {
    for (const [index, member] of members.entries()) {
      assert.deepEqual(await credentialsAt(server.url, member), shown[index]);
    }
  };
  await assertShown(newer);
  const [first] = members as [TestMember];
  const opened = await credentialsAt(newer.url, first, 'joker2', 'activate');
  assert.deepEqual(await credentialsAt(older.url, first, 'joker2'), opened);

  const due = await underOtherKeys();
  assert.ok(due >= 2 * MEMBERS, 'passwords of games and seeds of the wheel');
  await killAfterFirstBatch();
  const left = await underOtherKeys();
  assert.ok(left > 0 && left < due, `${left} of ${due} are left by the kill`);
  await assertShown(older);
  await assertShown(newer);

  const { rows } = await system.database.query<{ memberId: string }>(
    `select member_id as "memberId" from game_account order by member_id desc limit 1`,
  );
  const locked = await system.database.tx(async (tx) => {
    await tx.query('select from game_account where member_id = $1 for update', [rows[0]?.memberId]);
    return reencrypt();
  });
  assert.equal(locked.status, 1, locked.output);
  assert.match(locked.output, /^1 are left/m);
  const done = await reencrypt();
  assert.equal(done.status, 0, done.output);
  assert.match(done.output, /^Everything is encrypted with the key of the secrets file/m);
  assert.equal(await underOtherKeys(), 0);

  const alone = await nodeWith([NEXT]);
  for (const server of [older, newer, alone]) await assertShown(server);
  await assert.rejects(nodeWith([BEFORE]), /This database was written with another encryption key/);
  await assert.rejects(nodeWith([FOREIGN]), /This database was written with another encryption key/);
});

async function killAfterFirstBatch(): Promise<void> {
  const child = spawn(process.execPath, [COMMAND, 'reencrypt', '--batch', '1'], {
    env: {
      ...CHILD_ENVIRONMENT,
      DATABASE_URL: system.databaseUrl,
      SECRETS_FILE: secretsOf([NEXT, BEFORE]),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'close');
}

test('a wrong batch is refused with a sentence', async () => {
  for (const words of [['--batch', '0'], ['--batch', 'many'], ['--all']]) {
    const { status, output } = await runCommand(system, 'reencrypt', words, { SECRETS_FILE: secretsOf([NEXT]) });
    assert.equal(status, 1);
    assert.match(output, /^--batch is a number of rows from 1 to 10000\.$/m);
  }
});
