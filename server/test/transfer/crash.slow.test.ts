import { strict as assert } from 'node:assert';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import type { Ledger } from '../../src/ledger/index.ts';
import { type Api, apiClient, type ApiReply } from '../harness/api-client.ts';
import {
  assertBooksAgree,
  clearProviderFaults,
  waitUntilResult,
  settleManually,
  type ProviderFault,
  failProvider,
  openGame,
  outsideWithProviderTimeout,
  untilSettled,
  transfer,
  waitForManualTransfers,
} from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../harness/money.ts';
import { providerCallNames, ALL_PROVIDER_GAMES, WITHOUT_TRANSFER_INQUIRY } from '../harness/provider-calls.ts';
import { type ServerProcess, startServerProcess } from '../harness/server-process.ts';
import { startSystem, type System } from '../harness/system.ts';

const TRANSFER_CASES = ALL_PROVIDER_GAMES.flatMap((code) =>
  (['in', 'out'] as const).map((direction) => ({ code, direction, call: providerCallNames(code)[direction] })),
);

// Longer than elsewhere: the kill points must not pass on a busy machine.
const PROVIDER_TIMEOUT_MS = 3_000;

type TransferCase = (typeof TRANSFER_CASES)[number] & { member: TestMember; username: string };
type LegEnding = 'DONE' | 'REVERSED';
const ENDING_TEXTS: Record<LegEnding, string> = { DONE: 'done', REVERSED: 'returned' };
const REPORTS_FOLDER = join(import.meta.dirname, '../../../reports');

let system: System;
let ledger: Ledger;
let server: ServerProcess;
let api: Api;
let lockingClient: pg.Client;
const transferCases: TransferCase[] = [];
let round = 0;

before(async () => {
  system = await startSystem({ outside: outsideWithProviderTimeout(PROVIDER_TIMEOUT_MS) });
  ledger = createTestLedger(system);
  lockingClient = new pg.Client({ connectionString: system.databaseUrl });
  await lockingClient.connect();
  for (const caseData of TRANSFER_CASES) {
    const member = await registerMember(system);
    const { username } = await openGame(system, member.token, caseData.code);
    await fundWallet(ledger, member.id, '1000.00');
    await transfer(system, member.token, { from: 'WALLET', to: caseData.code, amount: 500 });
    transferCases.push({ ...caseData, member, username });
  }
  // From here on the only server is a separate process, which can be killed.
  await system.app.close();
  await restart();
});
after(async () => {
  await server?.kill();
  await lockingClient?.end();
  await ledger?.close();
  await system?.stop();
});

async function restart(): Promise<void> {
  server = await startServerProcess(system);
  api = apiClient(server.url);
}

const sendTransfer = (transferCase: TransferCase): Promise<ApiReply> =>
  transfer({ ...system, api }, transferCase.member.token, {
    ...(transferCase.direction === 'in'
      ? { from: 'WALLET', to: transferCase.code }
      : { from: transferCase.code, to: 'WALLET' }),
    amount: 10,
    key: `crash-round-${round}`,
  });

const readLegs = async (): Promise<{ state: string; memberId: string }[]> =>
  (
    await system.database.query<{ state: string; memberId: string }>(
      `select l.state, l.member_id as "memberId" from transfer_leg l join transfer t on t.id = l.transfer_id
        where t.idempotency_key = $1`,
      [`crash-round-${round}`],
    )
  ).rows;
const readMemberIds = async () => (await readLegs()).map(({ memberId }) => memberId);

const countLockWaiters = async (): Promise<number> =>
  (
    await system.database.query<{ waiting: number }>(
      `select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    )
  ).rows[0]?.waiting ?? 0;

/** Terminates the sessions that wait for a lock, so that their transactions roll back. */
const endLockWaiters = async (): Promise<number> =>
  (
    await system.database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`,
    )
  ).rowCount;

async function injectFaults(fault: Omit<ProviderFault, 'call'>): Promise<void> {
  for (const { code, call } of TRANSFER_CASES) await failProvider(system, code, { ...fault, call });
}

/** Report: the asserted outcome of each kill, by test title. */
const endingsByMoment = new Map<string, LegEnding>();
function writeReport(): void {
  const reportLines = [...endingsByMoment].map(
    ([crashMoment, ending]) => `${crashMoment.padEnd(62)}${ENDING_TEXTS[ending]}`,
  );
  const reportHead = `kill -9 of the server, ${ALL_PROVIDER_GAMES.length} providers in both directions at once`;
  mkdirSync(REPORTS_FOLDER, { recursive: true });
  writeFileSync(join(REPORTS_FOLDER, 'provider-crashes.txt'), `${[reportHead, ...reportLines].join('\n')}\n`);
}

/**
 * Sends all requests concurrently, kills the server at the kill point, and starts another one. A statement that waits
 * in the database is then executed, without the server that sent it; with `isUndone` it is rolled back.
 */
async function killServerDuring(crashMoment: () => Promise<void>, { isUndone = false } = {}): Promise<void> {
  round += 1;
  const pendingReplies = transferCases.map((transferCase) => sendTransfer(transferCase).catch(() => undefined));
  try {
    await crashMoment();
  } finally {
    await server.kill();
    await Promise.all(pendingReplies);
    if (isUndone) await waitUntilResult('sessions of the dead', endLockWaiters, (n) => n === 0);
    await lockingClient.query('rollback');
    await restart();
  }
}

async function assertEnded(
  before: string[],
  ending: LegEnding,
  crashMoment: string,
  endedCases = transferCases,
): Promise<void> {
  for (const { reference, code } of await waitForManualTransfers(system)) {
    assert.ok(WITHOUT_TRANSFER_INQUIRY.includes(code), `${code} is not left to an operator`);
    await settleManually(system, reference, ending === 'DONE');
  }
  await untilSettled(system);
  await clearProviderFaults(system);
  assert.deepEqual(
    (await readLegs()).map(({ state }) => state),
    endedCases.map(() => ending),
  );
  for (const [index, transferCase] of transferCases.entries()) {
    if (!endedCases.includes(transferCase)) continue;
    const { member, direction, code, username } = transferCase;
    const balanceChange = ending === 'REVERSED' ? 0 : direction === 'in' ? -10 : 10;
    const { free, held } = await readBalance(ledger, member.id, 'WALLET');
    assert.deepEqual(
      [free, held],
      [(Number(before[index]) + balanceChange).toFixed(2), '0.00'],
      `${code} ${direction}`,
    );
    await assertBooksAgree(system, ledger, member.id, { [code]: username });
    // The app repeats the same key and gets its outcome.
    const repeatedReply = await sendTransfer(transferCase);
    assert.deepEqual(
      [repeatedReply.status, repeatedReply.body.message],
      ending === 'DONE' ? [200, undefined] : [502, 'TRANSFER_FAIL'],
      `${code} ${direction}`,
    );
  }
  endingsByMoment.set(crashMoment, ending);
  writeReport();
}

const readWalletBalances = () =>
  Promise.all(
    transferCases.map(async (transferCase) => (await readBalance(ledger, transferCase.member.id, 'WALLET')).free),
  );
const waitForAllLegs = (isMatch: (leg: { state: string }) => boolean) =>
  waitUntilResult(
    'legs',
    readLegs,
    (foundLegs) => foundLegs.length === TRANSFER_CASES.length && foundLegs.every(isMatch),
  );
/** Every call was sent; on a busy machine some may have ended, but not all. */
async function waitForAllSent(): Promise<void> {
  const foundLegs = await waitForAllLegs(() => true);
  assert.ok(
    foundLegs.some(({ state }) => state === 'SENT'),
    'the moment has passed',
  );
}
/** Every provider has received its call, which uses up its fault. */
const waitForAllTaken = () =>
  waitUntilResult(
    'faults that wait for their call',
    async () => (await system.simulatorsApi('GET /control/faults')).body.length as number,
    (n) => n === 0,
  );
const waitForLocks = (waitingCount: number) =>
  waitUntilResult('statements that wait for a lock', countLockWaiters, (n) => n >= waitingCount);

test('a transfer whose server dies while its opening commits has sent no call and moves nothing [R-XFER-04]', async () => {
  const before = await readWalletBalances();
  await lockingClient.query('begin');
  await lockingClient.query('lock table ledger.operation in share row exclusive mode');
  // The database commits the pending statement although its client is gone: transfers without a call. The others never
  // started.
  await killServerDuring(async () => void (await waitForLocks(1)));
  const openedMemberIds = await waitUntilResult(
    'openings that were committed',
    readMemberIds,
    (foundKeys) => foundKeys.length > 0,
  );
  const openedCases = transferCases.filter(({ member }) => openedMemberIds.includes(member.id));
  await assertEnded(before, 'REVERSED', 'while the opening is being committed', openedCases);
  const otherCases = transferCases.filter((transferCase) => !openedCases.includes(transferCase));
  for (const transferCase of otherCases)
    assert.equal((await sendTransfer(transferCase)).status, 200, 'a key that was never opened is free');
});

test('a transfer whose server dies before its opening commits is not stored, and the same key moves the money once [R-XFER-04]', async () => {
  const before = await readWalletBalances();
  await lockingClient.query('begin');
  await lockingClient.query('lock table ledger.operation in share row exclusive mode');
  await killServerDuring(async () => void (await waitForLocks(1)), { isUndone: true });
  assert.deepEqual(await readMemberIds(), []);
  assert.deepEqual(await readWalletBalances(), before);
  for (const transferCase of transferCases) assert.equal((await sendTransfer(transferCase)).status, 200);
  await assertEnded(before, 'DONE', 'before the opening is committed');
});

test('a transfer whose server dies while the provider works is inquired afterwards [R-XFER-04]', async () => {
  const before = await readWalletBalances();
  await injectFaults({ fault: 'slow', delayMs: PROVIDER_TIMEOUT_MS * 0.9 });
  await killServerDuring(async () => {
    await waitForAllSent();
    await waitForAllTaken();
  });
  await assertEnded(before, 'DONE', 'while the provider works');
});

test('a transfer whose server dies while its call is lost is proven to have had no effect and reversed [R-XFER-04]', async () => {
  const before = await readWalletBalances();
  await injectFaults({ fault: 'timeout-lost' });
  await killServerDuring(waitForAllSent);
  await assertEnded(before, 'REVERSED', 'while a call is lost');
});

test('a transfer whose server dies before its closing commits is inquired, and the money moves once [R-XFER-04]', async () => {
  const before = await readWalletBalances();
  await injectFaults({ fault: 'slow', delayMs: PROVIDER_TIMEOUT_MS * 0.7 });
  await killServerDuring(
    async () => {
      await waitForAllSent();
      await lockingClient.query('begin');
      await lockingClient.query('lock table ledger.operation in share row exclusive mode');
      await waitForAllTaken();
      await waitForLocks(1);
    },
    { isUndone: true },
  );
  await assertEnded(before, 'DONE', 'before the closing is committed');
});

test('a transfer whose server dies while its closing commits moves the money once [R-XFER-04]', async () => {
  const before = await readWalletBalances();
  await injectFaults({ fault: 'slow', delayMs: PROVIDER_TIMEOUT_MS * 0.7 });
  await killServerDuring(async () => {
    await waitForAllSent();
    await lockingClient.query('begin');
    await lockingClient.query('lock table ledger.operation in share row exclusive mode');
    await waitForAllTaken();
    await waitForLocks(1);
  });
  await assertEnded(before, 'DONE', 'while the closing is being committed');
});

test('a transfer whose server dies while its rows are locked moves the money once [R-XFER-04]', async () => {
  const before = await readWalletBalances();
  await injectFaults({ fault: 'slow', delayMs: PROVIDER_TIMEOUT_MS * 0.7 });
  await killServerDuring(async () => {
    await waitForAllSent();
    await lockingClient.query('begin');
    await lockingClient.query('select from game_account for update');
    await waitForAllTaken();
  });
  await assertEnded(before, 'DONE', 'while another transaction keeps the rows of the closing');
});

test('a second server completes the transfers of a killed one [R-XFER-04]', async () => {
  const before = await readWalletBalances();
  const second = await startServerProcess(system);
  try {
    await injectFaults({ fault: 'slow', delayMs: PROVIDER_TIMEOUT_MS * 0.9 });
    // Killed between the row's update and its call: nothing was sent, and it is correctly reversed.
    await killServerDuring(async () => {
      await waitForAllSent();
      await waitForAllTaken();
    });
    await assertEnded(before, 'DONE', 'a second server completes the transfers of a killed one');
  } finally {
    await second.stop();
  }
});
