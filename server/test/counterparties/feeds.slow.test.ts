import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import fc from 'fast-check';
import { countFeedFaults } from '../../src/modules/deposit/bank-transfer/queries.ts';
import { runCommand } from '../harness/command.ts';
import { eventually } from '../harness/games.ts';
import { fuzzSeed, fuzzTexts, hostileText, hostileValue, valuesOf } from '../harness/hostile-text.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  assertBooksAgree,
  depositsOf,
  type FeedSystem,
  lineOf,
  newTransRef,
  pollsDue,
  push,
  pushOf,
  SCB,
  startFeedSystem,
} from '../deposit/bank-transfer/feed-fixtures.ts';
import { until } from '../deposit/qrcode/qr-fixtures.ts';
import { leavesOf, replaceAt } from './hostile-party.ts';

/** Lines of one page that come before a neighbour's. */
const LINES = 50;

let world: FeedSystem;
let system: System;
let neighbour: TestMember;
let credited = 0;

before(async () => {
  world = await startFeedSystem();
  system = await startSystem({ outside: world.outside });
  neighbour = await registerMember(system);
});
after(async () => {
  await system.stop();
  await world.close();
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

const balance = async () =>
  (await system.api('GET /api/wallet', { token: neighbour.token })).body.wallet.amount as number;

/** Adds a line of the neighbour after the others, which is credited. @returns after how many ms */
async function neighbourIsCredited(account: string): Promise<number> {
  world.tell(account, account === SCB ? lineOf(neighbour, '1.00') : walletLine(neighbour, '1.00'));
  const startedMs = performance.now();
  if (account === SCB) await push(system, pushOf(system, SCB));
  else await pollsDue(system);
  credited += 1;
  await until(balance, (amount) => amount >= credited, `credited after poisoned lines of ${account}`);
  return performance.now() - startedMs;
}

test('a NUL, a lone surrogate or a control character in the sender’s name stops no transfer, including its own', async () => {
  const member = await registerMember(system);
  const names = ['\0', 'A\0B\ud800', '\u0001\u009f', '\u202eABC', '\udfff'];
  for (const name of names) {
    const line = lineOf(member, '5.00');
    world.tell(SCB, { ...line, from: { ...(line['from'] as object), name: `\0${name}` } });
    world.tell('wallet-app', { ...walletLine(member, '7.00'), sender: { phone: member.phone, name } });
  }
  await neighbourIsCredited(SCB);
  await neighbourIsCredited('wallet-app');
  const own = await until(
    () => depositsOf(system, member),
    (seen) => seen.length === 2 * names.length,
    'credited in spite of their names',
  );
  assert.deepEqual(
    own.toSorted((one, other) => one - other),
    [...names.map(() => 5), ...names.map(() => 7)],
  );
});

test('the line after any others is credited, and every line is credited, in suspense, or on the list', async (t) => {
  const stranger = {
    ...neighbour,
    bankAccountNo: '9999999999',
    bankAccountName: 'SOMEBODY ELSE',
    phone: '0899999999',
  };
  let slowestMs = 0;
  let total = 0;
  for (const account of [SCB, 'wallet-app']) {
    const good = account === SCB ? lineOf(stranger, '1.00') : walletLine(stranger, '1.00');
    const leaves = leavesOf(good).filter(([first]) => first !== 'direction' && first !== 'type');
    const values = valuesOf(hostileValue, fuzzTexts(300));
    const lines = values.map((value, at) =>
      replaceAt(
        account === SCB ? lineOf(stranger, '1.00') : walletLine(stranger, '1.00'),
        leaves[at % leaves.length] ?? [],
        value,
      ),
    );
    for (let from = 0; from < lines.length; from += LINES) {
      world.tell(account, ...lines.slice(from, from + LINES));
      slowestMs = Math.max(slowestMs, await neighbourIsCredited(account));
    }
    total += lines.length;
  }
  t.diagnostic(
    `${total} lines, seed ${fuzzSeed}, the slowest neighbour was credited after ${Math.round(slowestMs)} ms`,
  );
  await eventually(
    'every line is worked off',
    async () =>
      (
        await system.database.query<{ feeds: number; due: number }>(
          `select (select count(*) from deposit_feed where silences > 0)::int as feeds,
                  (select count(*) from deposit_arrival where work_at is not null)::int as due`,
        )
      ).rows[0],
    (open) => open?.feeds === 0 && open.due === 0,
  );
  const listed = await runCommand(system, 'arrivals');
  assert.equal(listed.status, 0, listed.output.slice(-500));
  assert.match(listed.output, / 0 feeds unread/);
});

test('two references that differ only in unstorable characters are two listed lines', async () => {
  const before = await open();
  const raw = [
    'R\0',
    'R\u0001',
    'R\ud800',
    'R\udc00',
    'R\ufffd',
    `${'R'.repeat(3_000)}\0`,
    `${'R'.repeat(3_000)}\u0001`,
  ];
  world.tell(SCB, ...raw.map((transRef) => lineOf(neighbour, '3.00', { transRef })));
  await neighbourIsCredited(SCB);
  assert.equal((await open()) - before, raw.length);
});

test('a line that the database refuses is listed with its error, and an operator enters or closes it once', async () => {
  const member = await registerMember(system);
  // Simulates any refusal by the database.
  await system.database.query('alter table deposit_arrival add constraint refused check (amount <> 424242)');
  world.tell(SCB, lineOf(member, '4242.42'), lineOf(member, '40.00', { transRef: 'BAD\0REF' }));
  await neighbourIsCredited(SCB);
  await system.database.query('alter table deposit_arrival drop constraint refused');
  const { output } = await runCommand(system, 'arrivals');
  const refused = /^line (\d+) .*violates check constraint.*"4242\.42"/m.exec(output)?.[1];
  const nul = /^line (\d+) .*unreadable: .*BAD/m.exec(output)?.[1];
  assert.ok(refused !== undefined && nul !== undefined);
  const enter = (id: string, ref: string, amount = '40.00', phone = member.phone) =>
    runCommand(system, 'arrivals', ['enter', id, '014', ref, amount, phone, 'nok', 'told', 'by', 'the', 'bank']);
  for (const wrong of [
    await enter(nul, 'REF 1'),
    await enter(nul, 'REF1', '0.00'),
    await enter(nul, 'REF1', '40.00', '0800000000'),
    await enter('999999', 'REF1'),
  ]) {
    assert.equal(wrong.status, 1, wrong.output);
  }
  const ref = newTransRef();
  const done = await enter(nul, ref);
  assert.equal(done.status, 0, done.output);
  await until(
    () => depositsOf(system, member),
    (seen) => seen.join() === '40',
    'credited',
  );
  assert.equal((await enter(nul, newTransRef())).status, 1, 'settled');
  assert.equal((await enter(refused, ref)).status, 1, 'the transfer is known');
  const close = () => runCommand(system, 'arrivals', ['close', refused, 'nok', 'no', 'such', 'money']);
  assert.equal((await close()).status, 0);
  assert.equal((await close()).status, 1);
  assert.deepEqual(await depositsOf(system, member), [40]);
  const log = await runCommand(system, 'operator-log', ['014', ref]);
  assert.match(log.output, new RegExp(`nok +arrivals enter line ${nul} to ${member.id}`));
});

test('an unstorable cursor stops no line of its page, and the feed is reported', async () => {
  // A feed of its own page, written by the test: the cursor is poisoned as long as this holds.
  const [cursor] = fc.sample(
    hostileText.filter((text) => text.includes('\0')),
    1,
  );
  let pages = 0;
  world.misbehave(2, (response) => {
    pages += 1;
    response.end(JSON.stringify({ lines: [], transactions: [], nextCursor: cursor, more: false }));
  });
  await pollsDue(system);
  await until(
    async () => pages,
    (seen) => seen === 2,
    'read',
  );
  await neighbourIsCredited(SCB);
});

async function open(): Promise<number> {
  const { rows } = await system.database.query<{ count: number }>(
    'select count(*)::int as count from deposit_unreadable_line',
  );
  return rows[0]?.count ?? 0;
}

test('a feed that was not read for a minute is reported by the metric, the list and the doctor', async () => {
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
  // A feed that the operator doesn't want read is not missed.
  await system.database.query(`update deposit_feed set is_watched = false where name = 'wallet-app'`);
  assert.equal((await countFeedFaults(system.database)).unread, 0);
  await system.database.query(`update deposit_feed set is_watched = true, poll_at = now() where name = 'wallet-app'`);
  await neighbourIsCredited('wallet-app');
});
