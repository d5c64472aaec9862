import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { apiClient, type Api } from '../harness/api-client.ts';
import { bankTransfer } from '../harness/bank.ts';
import { type CommandResult, runCommand } from '../harness/command.ts';
import { freePort } from '../harness/free-port.ts';
import { emptyDatabase, type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts';
import { waitUntilResult, openGame } from '../harness/games.ts';
import { logIn, registerMember } from '../harness/members.ts';
import { buildTestOutside, writeOutside } from '../harness/outside-file.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSimulators, type Simulators } from '../harness/simulators.ts';

const GAME_CODE = 'askmebet';
const SCB_ACCOUNT = { bankCode: 'SCB', accountNo: '4680001234' };

let folder: string;
let port: number;
let outside: ReturnType<typeof buildTestOutside>;
let simulators: Simulators;
let simulatorsApi: Api;
let source: FreshDatabase;
let target: FreshDatabase;

const serverEnvironment = () => ({
  DATA_DIR: folder,
  SECRETS_FILE: join(folder, 'secrets.json'),
  OUTSIDE_FILE: join(folder, 'outside.json'),
});
const startOn = ({ url }: FreshDatabase): Promise<ServerProcess> =>
  startServerProcess({ databaseUrl: url, outside }, 'warn', undefined, { PORT: String(port), ...serverEnvironment() });
const runCliCommand = (
  name: 'audit' | 'copy-database' | 'reconcile',
  from: FreshDatabase,
  commandArgs: string[] = [],
) => runCommand({ databaseUrl: from.url }, name, commandArgs, serverEnvironment());

async function assertRefused(commandResult: Promise<CommandResult>, expectedMessage: RegExp): Promise<void> {
  const { status, output } = await commandResult;
  assert.match(output, expectedMessage);
  assert.doesNotMatch(output, /\n +at /, 'no stack');
  assert.equal(status, 1);
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'krapao-copy-'));
  const simulatorsPort = await freePort();
  port = await freePort();
  outside = buildTestOutside(`http://127.0.0.1:${port}`, `http://127.0.0.1:${simulatorsPort}`);
  writeOutside(join(folder, 'outside.json'), outside);
  const secrets = JSON.stringify({ encryptionKey: Buffer.alloc(32, 7).toString('base64') });
  appendFileSync(join(folder, 'secrets.json'), secrets, { mode: 0o600 });
  simulators = await startSimulators(simulatorsPort, join(folder, 'outside.json'));
  simulatorsApi = apiClient(`http://127.0.0.1:${simulatorsPort}`);
  [source, target] = await Promise.all([freshDatabase(), emptyDatabase()]);
});
after(async () => {
  await simulators.stop();
  await Promise.all([source.dropDatabase(), target.dropDatabase()]);
  rmSync(folder, { recursive: true, force: true });
});

test('a copied database has the same books, members and encrypted passwords, and a server runs on it', async () => {
  const first = await startOn(source);
  const clients = { api: apiClient(first.url), simulatorsApi };
  const member = await registerMember(clients);
  const from = { bankCode: member.bankCode, accountNo: member.bankAccountNo, accountName: member.bankAccountName };
  await bankTransfer(clients, { from, to: SCB_ACCOUNT, amount: '250.00' });
  const readWalletReply = (token: string) => clients.api('GET /api/wallet', { token });
  await waitUntilResult(
    'the transfer is credited',
    () => readWalletReply(member.token),
    ({ body }) => JSON.stringify(body).includes('250'),
  );
  const { password } = await openGame(clients, member.token, GAME_CODE);
  await assertRefused(
    runCliCommand('copy-database', source, [target.url]),
    /A server runs on the database that is copied/,
  );
  await first.stop();

  await assertRefused(runCliCommand('copy-database', source), /Say where to/);
  const invalidUrl = 'postgresql://krapao:hunter2/x@127.0.0.1:5432/krapao';
  await assertRefused(
    runCliCommand('copy-database', source, [invalidUrl]),
    /^(?!.*hunter2)Say where to: .*percent-encoded/,
  );
  const unreachableUrl = `postgresql://krapao:hunter2@127.0.0.1:${await freePort()}/krapao?sslmode=disable`;
  await assertRefused(
    runCliCommand('copy-database', source, [unreachableUrl]),
    /^(?!.*hunter2)No PostgreSQL answers at the target 127\.0\.0\.1:\d+\/krapao \(ECONNREFUSED\)/,
  );
  const copyResult = await runCliCommand('copy-database', source, [target.url]);
  assert.equal(copyResult.status, 0, copyResult.output);
  assert.match(copyResult.output, /\npublic\.member: 1\n/);
  assert.match(copyResult.output, /tables are the same in both databases/);
  await assertRefused(runCliCommand('copy-database', source, [target.url]), /has been used already/);

  const second = await startOn(target);
  try {
    clients.api = apiClient(second.url);
    const token = await logIn(clients, member.phone, member.password);
    assert.match(JSON.stringify((await readWalletReply(token)).body), /250/);
    const credentialsReply = await clients.api('GET /api/wallet/account/{slotCode}', {
      token,
      params: { slotCode: GAME_CODE },
    });
    assert.equal(credentialsReply.body.password, password);
    // New rows get ids after the copied rows.
    await registerMember(clients);
    await bankTransfer(clients, { from, to: SCB_ACCOUNT, amount: '50.00' });
    await waitUntilResult(
      'another transfer is credited',
      () => readWalletReply(token),
      ({ body }) => JSON.stringify(body).includes('300'),
    );
    assert.ok((await openGame(clients, token, 'joker2')).username);
  } finally {
    await second.stop();
  }
  for (const name of ['audit', 'reconcile'] as const) {
    const { status, output } = await runCliCommand(name, target);
    assert.equal(status, 0, output);
  }
});
