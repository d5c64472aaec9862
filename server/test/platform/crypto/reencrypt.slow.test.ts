import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { sealedColumns } from '../../../src/inventory.ts';
import { countSealedWithOtherKeys } from '../../../src/platform/crypto/reencrypt.ts';
import { createSecretBox } from '../../../src/platform/crypto/secret-box.ts';
import { apiClient } from '../../harness/api-client.ts';
import { CHILD_ENVIRONMENT } from '../../harness/child-environment.ts';
import { type CommandResult, runCommand, runCommandProcess } from '../../harness/command.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { type ServerProcess, startServerProcess } from '../../harness/server-process.ts';
import { startSystem, type System } from '../../harness/system.ts';

// The harness's key, its replacement, and a key of no installation.
const [FORMER_KEY, NEXT_KEY, FOREIGN_KEY] = [7, 9, 11].map((byte) => Buffer.alloc(32, byte)) as [
  Buffer,
  Buffer,
  Buffer,
];
const MEMBER_COUNT = 6;
const CLI_PATH = join(import.meta.dirname, '../../../src/cli/krapao.ts');

let system: System;
let folder: string;
let members: TestMember[];
const servers: ServerProcess[] = [];

before(async () => {
  system = await startSystem();
  folder = mkdtempSync(join(tmpdir(), 'krapao-keys-'));
  members = await Promise.all(Array.from({ length: MEMBER_COUNT }, () => registerMember(system)));
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

/** Writes a secrets file: the first key seals and opens, the others only open. @returns its path */
function writeSecretsFile([key, ...otherKeys]: readonly Buffer[]): string {
  const path = join(folder, `${[key, ...otherKeys].map((otherKey) => otherKey?.[0]).join('-')}.json`);
  const toBase64 = (keyBytes: Buffer | undefined): string => keyBytes?.toString('base64') ?? '';
  writeFileSync(path, JSON.stringify({ encryptionKey: toBase64(key), otherEncryptionKeys: otherKeys.map(toBase64) }), {
    mode: 0o600,
  });
  return path;
}

async function startNodeWith(keys: readonly Buffer[]): Promise<ServerProcess> {
  const server = await startServerProcess(system, 'warn', undefined, { SECRETS_FILE: writeSecretsFile(keys) });
  servers.push(server);
  return server;
}

/** The member's name and password at a provider. */
async function credentialsAt(
  url: string,
  { token }: TestMember,
  slotCode = 'pg',
  callName: 'activate' | 'account' = 'account',
): Promise<Record<string, unknown>> {
  const reply = await apiClient(url)(`GET /api/wallet/${callName}/{slotCode}`, { params: { slotCode }, token });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  assert.ok(reply.body.password);
  return { username: reply.body.username, password: reply.body.password };
}

const countUnderOtherKeys = async (): Promise<number> => {
  const secretBox = createSecretBox(NEXT_KEY, [FORMER_KEY]);
  const counts = await Promise.all(
    sealedColumns.map((column) => countSealedWithOtherKeys(system.database, secretBox, column)),
  );
  return counts.reduce((total, count) => total + count, 0);
};
// In a process: a test with an open transaction may not query on a second connection.
const runReencrypt = (): Promise<CommandResult> =>
  runCommandProcess(system, 'reencrypt', [], { SECRETS_FILE: writeSecretsFile([NEXT_KEY, FORMER_KEY]) });

test('the encryption key is replaced while nodes use either key, through a kill and a locked row', async () => {
  const [olderNode, newerNode] = [
    await startNodeWith([FORMER_KEY, NEXT_KEY]),
    await startNodeWith([NEXT_KEY, FORMER_KEY]),
  ];
  const shownCredentials = await Promise.all(members.map((member) => credentialsAt(olderNode.url, member)));
  const assertShown = async (server: ServerProcess): Promise<void> => {
    for (const [index, member] of members.entries()) {
      assert.deepEqual(await credentialsAt(server.url, member), shownCredentials[index]);
    }
  };
  await assertShown(newerNode);
  const [first] = members as [TestMember];
  const newCredentials = await credentialsAt(newerNode.url, first, 'joker2', 'activate');
  assert.deepEqual(await credentialsAt(olderNode.url, first, 'joker2'), newCredentials);

  const pendingRows = await countUnderOtherKeys();
  assert.ok(pendingRows >= 2 * MEMBER_COUNT, 'passwords of games and seeds of the wheel');
  await killAfterFirstBatch();
  const remainingRows = await countUnderOtherKeys();
  assert.ok(
    remainingRows > 0 && remainingRows < pendingRows,
    `${remainingRows} of ${pendingRows} are left by the kill`,
  );
  await assertShown(olderNode);
  await assertShown(newerNode);

  const { rows } = await system.database.query<{ memberId: string }>(
    `select member_id as "memberId" from game_account order by member_id desc limit 1`,
  );
  const lockedDone = await system.database.tx(async (tx) => {
    await tx.query('select from game_account where member_id = $1 for update', [rows[0]?.memberId]);
    return runReencrypt();
  });
  assert.equal(lockedDone.status, 1, lockedDone.output);
  assert.match(lockedDone.output, /^1 are left/m);
  const reencryptResult = await runReencrypt();
  assert.equal(reencryptResult.status, 0, reencryptResult.output);
  assert.match(reencryptResult.output, /^Everything is encrypted with the key of the secrets file/m);
  assert.equal(await countUnderOtherKeys(), 0);

  const singleKeyNode = await startNodeWith([NEXT_KEY]);
  for (const server of [olderNode, newerNode, singleKeyNode]) await assertShown(server);
  await assert.rejects(startNodeWith([FORMER_KEY]), /This database was written with another encryption key/);
  await assert.rejects(startNodeWith([FOREIGN_KEY]), /This database was written with another encryption key/);
});

async function killAfterFirstBatch(): Promise<void> {
  const child = spawn(process.execPath, [CLI_PATH, 'reencrypt', '--batch', '1'], {
    env: {
      ...CHILD_ENVIRONMENT,
      DATABASE_URL: system.databaseUrl,
      SECRETS_FILE: writeSecretsFile([NEXT_KEY, FORMER_KEY]),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'close');
}

test('a re-encryption whose keys do not open the database or one of its texts is refused, and changes nothing', async () => {
  const selectCheck = async () => (await system.database.query('select sealed from encryption_check')).rows;
  const check = await selectCheck();
  const wrongKey = await runCommand(system, 'reencrypt', [], { SECRETS_FILE: writeSecretsFile([FOREIGN_KEY]) });
  assert.match(wrongKey.output, /^No key of \S+11\.json opens this database: .*otherEncryptionKeys.*\.\n$/);
  assert.equal(wrongKey.status, 1);
  assert.deepEqual(await selectCheck(), check);
  const { rows } = await system.database.query<{ password: Buffer }>('select password from game_account limit 1');
  const password = rows[0]?.password;
  const foreignPassword = createSecretBox(FOREIGN_KEY).seal('a password', 'a context');
  const replace = (from: Buffer | undefined, to: Buffer | undefined) =>
    system.database.query('update game_account set password = $2 where password = $1', [from, to]);
  await replace(password, foreignPassword);
  const foreignText = await runReencrypt();
  await replace(foreignPassword, password);
  assert.match(foreignText.output, /^A text in game_account\.password is damaged, or no key of .* opens it: .*\.$/m);
  assert.equal(foreignText.status, 1);
});

test('an invalid batch size of the re-encryption is refused with a message', async () => {
  for (const commandArgs of [['--batch', '0'], ['--batch', 'many'], ['--all']]) {
    const { status, output } = await runCommand(system, 'reencrypt', commandArgs, {
      SECRETS_FILE: writeSecretsFile([NEXT_KEY]),
    });
    assert.equal(status, 1);
    assert.match(output, /^Write `krapao reencrypt \[--batch ROWS\]`: ROWS is a number from 1 to 10000\.$/m);
  }
});
