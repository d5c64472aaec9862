import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { apiClient, type Api } from '../harness/api-client.ts';
import { bankTransfer } from '../harness/bank.ts';
import { type Ended, runCommand } from '../harness/command.ts';
import { freePort } from '../harness/free-port.ts';
import { emptyDatabase, type FreshDatabase, freshDatabase } from '../harness/fresh-database.ts';
import { eventually, openGame } from '../harness/games.ts';
import { logIn, registerMember } from '../harness/members.ts';
import { testOutside, writeOutside } from '../harness/outside-file.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSimulators, type Simulators } from '../harness/simulators.ts';

const GAME = 'askmebet';
const SCB = { bankCode: 'SCB', accountNo: '4680001234' };

let folder: string;
let port: number;
let outside: ReturnType<typeof testOutside>;
let simulators: Simulators;
let world: Api;
let source: FreshDatabase;
let target: FreshDatabase;

const environment = () => ({
  DATA_DIR: folder,
  SECRETS_FILE: join(folder, 'secrets.json'),
  OUTSIDE_FILE: join(folder, 'outside.json'),
});
const startOn = ({ url }: FreshDatabase): Promise<ServerProcess> =>
  startServerProcess({ databaseUrl: url, outside }, 'warn', undefined, { PORT: String(port), ...environment() });
const command = (name: 'audit' | 'copy-database' | 'reconcile', from: FreshDatabase, words: string[] = []) =>
  runCommand({ databaseUrl: from.url }, name, words, environment());

async function assertRefused(ending: Promise<Ended>, sentence: RegExp): Promise<void> {
  const { status, output } = await ending;
  assert.match(output, sentence);
  assert.doesNotMatch(output, /\n +at /, 'no stack');
  assert.equal(status, 1);
}

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'krapao-copy-'));
  const simulatorsPort = await freePort();
  port = await freePort();
  outside = testOutside(`http://127.0.0.1:${port}`, `http://127.0.0.1:${simulatorsPort}`);
  writeOutside(join(folder, 'outside.json'), outside);
  const secrets = JSON.stringify({ encryptionKey: Buffer.alloc(32, 7).toString('base64') });
  appendFileSync(join(folder, 'secrets.json'), secrets, { mode: 0o600 });
  simulators = await startSimulators(simulatorsPort, join(folder, 'outside.json'));
  world = apiClient(`http://127.0.0.1:${simulatorsPort}`);
  [source, target] = await Promise.all([freshDatabase(), emptyDatabase()]);
});
after(async () => {
  await simulators.stop();
  await Promise.all([source.drop(), target.drop()]);
  rmSync(folder, { recursive: true, force: true });
});

test('a copied database has the same books, members and sealed passwords, and serves', async () => {
  const first = await startOn(source);
  const doors = { api: apiClient(first.url), world };
  const member = await registerMember(doors);
  const from = { bankCode: member.bankCode, accountNo: member.bankAccountNo, accountName: member.bankAccountName };
  await bankTransfer(doors, { from, to: SCB, amount: '250.00' });
  const walletOf = (token: string) => doors.api('GET /api/wallet', { token });
  await eventually(
    'the transfer is credited',
    () => walletOf(member.token),
    ({ body }) => JSON.stringify(body).includes('250'),
  );
  const { password } = await openGame(doors, member.token, GAME);
  await assertRefused(command('copy-database', source, [target.url]), /A server runs on the database that is copied/);
  await first.stop();

  await assertRefused(command('copy-database', source), /Say where to/);
  const wrong = 'postgresql://krapao:hunter2/x@127.0.0.1:5432/krapao';
  await assertRefused(command('copy-database', source, [wrong]), /^(?!.*hunter2)Say where to: .*percent-encoded/);
  const away = `postgresql://krapao:hunter2@127.0.0.1:${await freePort()}/krapao?sslmode=disable`;
  await assertRefused(
    command('copy-database', source, [away]),
    /^(?!.*hunter2)No PostgreSQL answers at the target 127\.0\.0\.1:\d+\/krapao \(ECONNREFUSED\)/,
  );
  const copied = await command('copy-database', source, [target.url]);
  assert.equal(copied.status, 0, copied.output);
  assert.match(copied.output, /\npublic\.member: 1\n/);
  assert.match(copied.output, /tables are the same in both databases/);
  await assertRefused(command('copy-database', source, [target.url]), /has been used already/);

  const second = await startOn(target);
  try {
    doors.api = apiClient(second.url);
    const token = await logIn(doors, member.phone, member.password);
    assert.match(JSON.stringify((await walletOf(token)).body), /250/);
    const shown = await doors.api('GET /api/wallet/account/{slotCode}', { token, params: { slotCode: GAME } });
    assert.equal(shown.body.password, password);
    // New rows come after the copied ones.
    await registerMember(doors);
    await bankTransfer(doors, { from, to: SCB, amount: '50.00' });
    await eventually(
      'another transfer is credited',
      () => walletOf(token),
      ({ body }) => JSON.stringify(body).includes('300'),
    );
    assert.ok((await openGame(doors, token, 'joker2')).username);
  } finally {
    await second.stop();
  }
  for (const name of ['audit', 'reconcile'] as const) {
    const { status, output } = await command(name, target);
    assert.equal(status, 0, output);
  }
});
