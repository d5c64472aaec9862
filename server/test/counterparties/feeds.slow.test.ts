import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import fc from 'fast-check';
import { countFeedFaults } from '../../src/modules/deposit/bank-transfer/queries.ts';
import {
  assertBooksAgree,
  readDepositAmounts,
  type FeedSystem,
  feedEntryOf,
  newTransRef,
  makePollsDue,
  sendPush,
  signedPush,
  SCB_ACCOUNT,
  startFeedSystem,
} from '../deposit/bank-transfer/feed-fixtures.ts';
import { waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { runCommand } from '../harness/command.ts';
import { waitUntilResult } from '../harness/games.ts';
import { FUZZ_SEED, countFuzzTexts, hostileText, hostileValue, sampleValues } from '../harness/hostile-text.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { startSystem, type System } from '../harness/system.ts';
import { jsonLeafPaths, replaceJsonValue } from './hostile-counterparty.ts';

/** Lines of one page before the neighbour's line. */
const LINES_PER_READ = 50;

let feedSystem: FeedSystem;
let system: System;
let neighbour: TestMember;
let creditedCount = 0;

before(async () => {
  feedSystem = await startFeedSystem();
  system = await startSystem({ outside: feedSystem.outside });
  neighbour = await registerMember(system);
});
after(async () => {
  await system.stop();
  await feedSystem.close();
});
afterEach(() => assertBooksAgree(system));

const walletLine = (member: TestMember, amount: string) => ({
  type: 'P2P',
  transactionId: newTransRef(),
  sender: { phone: member.phone, name: 'Nok' },
  amount,
  currency: 'THB',
  at: new Date().toISOString(),
  voucherId: null,
});

const readBalanceText = async () =>
  (await system.api('GET /api/wallet', { token: neighbour.token })).body.wallet.amount as number;

/** Adds a line of the neighbour after the others and waits for its credit. @returns the time in ms */
async function waitForNeighbourCredit(account: string): Promise<number> {
  feedSystem.addEntries(
    account,
    account === SCB_ACCOUNT ? feedEntryOf(neighbour, '1.00') : walletLine(neighbour, '1.00'),
  );
  const startedMs = performance.now();
  if (account === SCB_ACCOUNT) await sendPush(system, signedPush(system, SCB_ACCOUNT));
  else await makePollsDue(system);
  creditedCount += 1;
  await waitUntil(readBalanceText, (amount) => amount >= creditedCount, `credited after poisoned lines of ${account}`);
  return performance.now() - startedMs;
}

test("a NUL, lone surrogate or control character in the sender's name blocks no incoming transfer", async () => {
  const member = await registerMember(system);
  const names = ['\0', 'A\0B\ud800', '\u0001\u009f', '\u202eABC', '\udfff'];
  for (const name of names) {
    const feedEntry = feedEntryOf(member, '5.00');
    feedSystem.addEntries(SCB_ACCOUNT, { ...feedEntry, from: { ...(feedEntry['from'] as object), name: `\0${name}` } });
    feedSystem.addEntries('wallet-app', { ...walletLine(member, '7.00'), sender: { phone: member.phone, name } });
  }
  await waitForNeighbourCredit(SCB_ACCOUNT);
  await waitForNeighbourCredit('wallet-app');
  const ownDeposits = await waitUntil(
    () => readDepositAmounts(system, member),
    (amounts) => amounts.length === 2 * names.length,
    'credited in spite of their names',
  );
  assert.deepEqual(
    ownDeposits.toSorted((a, b) => a - b),
    [...names.map(() => 5), ...names.map(() => 7)],
  );
});

test('every line of a feed is credited, in suspense, or listed, also after unreadable lines', async (t) => {
  const unknownSender = {
    ...neighbour,
    bankAccountNo: '9999999999',
    bankAccountName: 'SOMEBODY ELSE',
    phone: '0899999999',
  };
  let slowestMs = 0;
  let total = 0;
  for (const account of [SCB_ACCOUNT, 'wallet-app']) {
    const validEntry = account === SCB_ACCOUNT ? feedEntryOf(unknownSender, '1.00') : walletLine(unknownSender, '1.00');
    const leafPaths = jsonLeafPaths(validEntry).filter(([first]) => first !== 'direction' && first !== 'type');
    const values = sampleValues(hostileValue, countFuzzTexts(300));
    const feedEntries = values.map((value, position) =>
      replaceJsonValue(
        account === SCB_ACCOUNT ? feedEntryOf(unknownSender, '1.00') : walletLine(unknownSender, '1.00'),
        leafPaths[position % leafPaths.length] ?? [],
        value,
      ),
    );
    for (let from = 0; from < feedEntries.length; from += LINES_PER_READ) {
      feedSystem.addEntries(account, ...feedEntries.slice(from, from + LINES_PER_READ));
      slowestMs = Math.max(slowestMs, await waitForNeighbourCredit(account));
    }
    total += feedEntries.length;
  }
  t.diagnostic(
    `${total} lines, seed ${FUZZ_SEED}, the slowest neighbour was credited after ${Math.round(slowestMs)} ms`,
  );
  await waitUntilResult(
    'every line is worked off',
    async () =>
      (
        await system.database.query<{ feeds: number; due: number }>(
          `select (select count(*) from deposit_feed where silences > 0)::int as feeds,
                  (select count(*) from deposit_arrival where work_at is not null)::int as due`,
        )
      ).rows[0],
    (pendingCounts) => pendingCounts?.feeds === 0 && pendingCounts.due === 0,
  );
  const listResult = await runCommand(system, 'arrivals');
  assert.equal(listResult.status, 0, listResult.output.slice(-500));
  assert.match(listResult.output, / 0 feeds unread/);
});

test('two feed references that differ only in unstorable characters are two listed lines', async () => {
  const before = await countOpen();
  const rawReferences = [
    'R\0',
    'R\u0001',
    'R\ud800',
    'R\udc00',
    'R\ufffd',
    `${'R'.repeat(3_000)}\0`,
    `${'R'.repeat(3_000)}\u0001`,
  ];
  feedSystem.addEntries(SCB_ACCOUNT, ...rawReferences.map((transRef) => feedEntryOf(neighbour, '3.00', { transRef })));
  await waitForNeighbourCredit(SCB_ACCOUNT);
  assert.equal((await countOpen()) - before, rawReferences.length);
});

test('a feed line that the database refuses is listed with its error, and an operator enters or closes it once', async () => {
  const member = await registerMember(system);
  // Simulates any refusal by the database.
  await system.database.query('alter table deposit_arrival add constraint refused check (amount <> 424242)');
  feedSystem.addEntries(
    SCB_ACCOUNT,
    feedEntryOf(member, '4242.42'),
    feedEntryOf(member, '40.00', { transRef: 'BAD\0REF' }),
  );
  await waitForNeighbourCredit(SCB_ACCOUNT);
  await system.database.query('alter table deposit_arrival drop constraint refused');
  const { output } = await runCommand(system, 'arrivals');
  const refusedId = /^line (\d+) .*violates check constraint.*"4242\.42"/m.exec(output)?.[1];
  const unreadableId = /^line (\d+) .*unreadable: .*BAD/m.exec(output)?.[1];
  assert.ok(refusedId !== undefined && unreadableId !== undefined);
  const enterManually = (id: string, ref: string, amount = '40.00', phone = member.phone) =>
    runCommand(system, 'arrivals', ['enter', id, '014', ref, amount, phone, 'nok', 'told', 'by', 'the', 'bank']);
  for (const invalidArgs of [
    await enterManually(unreadableId, 'REF 1'),
    await enterManually(unreadableId, 'REF1', '0.00'),
    await enterManually(unreadableId, 'REF1', '40.00', '0800000000'),
    await enterManually('999999', 'REF1'),
  ]) {
    assert.equal(invalidArgs.status, 1, invalidArgs.output);
  }
  const ref = newTransRef();
  const enterResult = await enterManually(unreadableId, ref);
  assert.equal(enterResult.status, 0, enterResult.output);
  await waitUntil(
    () => readDepositAmounts(system, member),
    (amounts) => amounts.join() === '40',
    'credited',
  );
  assert.equal((await enterManually(unreadableId, newTransRef())).status, 1, 'settled');
  assert.equal((await enterManually(refusedId, ref)).status, 1, 'the transfer is known');
  const closeArrival = () => runCommand(system, 'arrivals', ['close', refusedId, 'nok', 'no', 'such', 'money']);
  assert.equal((await closeArrival()).status, 0);
  assert.equal((await closeArrival()).status, 1);
  assert.deepEqual(await readDepositAmounts(system, member), [40]);
  const log = await runCommand(system, 'operator-log', ['014', ref]);
  assert.match(log.output, new RegExp(`nok +arrivals enter line ${unreadableId} to ${member.id}`));
});

test('an unstorable cursor blocks no line of its page, and the feed is reported', async () => {
  // A feed page written by the test: its cursor stays invalid during this test.
  const [cursor] = fc.sample(
    hostileText.filter((text) => text.includes('\0')),
    1,
  );
  let pages = 0;
  feedSystem.injectFault(2, (response) => {
    pages += 1;
    response.end(JSON.stringify({ lines: [], transactions: [], nextCursor: cursor, more: false }));
  });
  await makePollsDue(system);
  await waitUntil(
    async () => pages,
    (result) => result === 2,
    'read',
  );
  await waitForNeighbourCredit(SCB_ACCOUNT);
});

async function countOpen(): Promise<number> {
  const { rows } = await system.database.query<{ count: number }>(
    'select count(*)::int as count from deposit_unreadable_line',
  );
  return rows[0]?.count ?? 0;
}

test('a feed not read for a minute is reported by metric, list and doctor', async () => {
  await system.database.query(
    `update deposit_feed set polled_at = now() - interval '3 minutes', poll_at = now() + interval '1 hour', silences = 0
      where name = 'wallet-app'`,
  );
  const { output } = await runCommand(system, 'arrivals');
  assert.match(output, /feed wallet-app {2}not read for 3 min/);
  assert.match(output, /, 1 feeds unread/);
  const doctor = await runCommand(system, 'doctor');
  assert.match(doctor.output, /FAULT +feeds: wallet-app was not read for 3 min/);
  assert.equal((await countFeedFaults(system.database)).unread, 1);
  // A feed without reading enabled is not reported as missing.
  await system.database.query(`update deposit_feed set is_watched = false where name = 'wallet-app'`);
  assert.equal((await countFeedFaults(system.database)).unread, 0);
  await system.database.query(`update deposit_feed set is_watched = true, poll_at = now() where name = 'wallet-app'`);
  await waitForNeighbourCredit('wallet-app');
});
