import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import fc from 'fast-check';
import type { Ledger } from '../../src/ledger/index.ts';
import { applyCashFlow } from '../../src/modules/spinwheel/coins.ts';
import { sqlState, violatedConstraint } from '../../src/platform/database/database.ts';
import { newReference } from '../../src/platform/ids.ts';
import { clearBonus, insertOffer, receiveBonus } from '../bonus/bonus-fixtures.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { type CommandResult, runCommand } from '../harness/command.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { parseBaht, fundWallet, createTestLedger } from '../harness/money.ts';
import { setRateLimits, setSettings } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  findInconsistentCoinBalances,
  giveCoins,
  moneyPrize,
  singlePrizeWheel,
  publishTestWheel,
  DEFAULT_WHEEL_SETTING,
  spinWheel,
  spinOnce,
} from './wheel-fixtures.ts';

const REASON_ARGS = ['sorry', 'for', 'the', 'wait'];

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem();
  ledger = createTestLedger(system);
  await setRateLimits(system, { 'spin.member': 100_000 });
  await publishTestWheel(system, singlePrizeWheel(moneyPrize('20.00')));
});
after(async () => {
  await ledger.close();
  await system.stop();
});
afterEach(async () => assert.deepEqual(await findInconsistentCoinBalances(system), []));

const readCoins = async ({ token }: TestMember) =>
  (await system.api('GET /api/wallet', { token })).body.profile.coin as number;
const runCoins = (...commandArgs: string[]): Promise<CommandResult> => runCommand(system, 'coins', commandArgs);
/** Posts a withdrawal that the bank has paid. */
async function postPayout({ id }: TestMember, amount: string): Promise<void> {
  const key = `test:payout:${newReference(12)}`;
  const depositOperation = {
    kind: 'withdraw',
    memberId: id,
    debit: { member: id, kind: 'WALLET' as const },
    credit: { houseAccount: 'bank' },
    reference: key,
    actor: 'test',
  };
  await ledger.post({ ...depositOperation, key, type: 'hold', amount: parseBaht(amount) });
  const [verdict] = await ledger.post({ ...depositOperation, key: `${key}:post`, type: 'post', pendingKey: key });
  assert.equal(verdict?.outcome, 'applied');
}

async function winTwentyBaht({ id }: TestMember): Promise<void> {
  const key = `test:win:${newReference(12)}`;
  const wallet = { member: id, kind: 'WALLET' as const };
  const winOperation = { kind: 'transfer', memberId: id, reference: key, actor: 'test', type: 'transfer' as const };
  await ledger.post({
    ...winOperation,
    key,
    debit: { houseAccount: 'provider:pg' },
    credit: wallet,
    amount: parseBaht('20.00'),
  });
}

const readCoinMovements = async ({ id }: TestMember) =>
  (
    await system.database.query<{ coins: number; coins_after: number }>(
      'select coins, coins_after from spinwheel_coin_movement where member_id = $1 order by id',
      [id],
    )
  ).rows;

test('each deposit earns a coin per whole multiple, without adding remainders; wallet, wheel and spin agree [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  for (const [amount, expectedCoins] of [
    ['299.99', 0],
    ['0.01', 0],
    ['300.00', 1],
    ['899.99', 3],
    ['900.00', 6],
  ] as const) {
    await fundWallet(ledger, member.id, amount);
    assert.equal(await readCoins(member), expectedCoins, amount);
    assert.equal(await readCoins(member), expectedCoins, `${amount}, looked at again`);
  }
  await fundWallet(ledger, member.id, '300.00');
  const { body } = await system.api('GET /api/spinwheel/setup', { token: member.token });
  assert.equal(body.result.userCoin, 7);
  await fundWallet(ledger, member.id, '300.00');
  assert.equal((await spinOnce(system, member)).remainingCoin, 7, 'eight, and one is spent');
});

test('one deposit earns at most 10,000 coins [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  await fundWallet(ledger, member.id, '3000300.00');
  assert.equal(await readCoins(member), 10_000);
});

test('concurrent deposits, read concurrently by several calls, earn each coin once [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  const { token } = member;
  await Promise.all(Array.from({ length: 250 }, () => fundWallet(ledger, member.id, '300.00')));
  const coinReadings = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      if (index % 3 === 0) return readCoins(member);
      if (index % 3 === 1)
        return (await system.api('GET /api/spinwheel/setup', { token })).body.result.userCoin as number;
      await fundWallet(ledger, member.id, '300.00');
      return 250;
    }),
  );
  for (const coinReading of coinReadings) assert.ok(coinReading >= 250 && coinReading <= 254, String(coinReading));
  assert.equal(await readCoins(member), 254);
  assert.equal((await readCoinMovements(member)).length, 254);
});

test('withdrawn and re-deposited money earns coins once; withdrawn winnings leave no debt of coins [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  for (let round = 0; round < 3; round += 1) {
    await fundWallet(ledger, member.id, '3000.00');
    // A reading in between changes nothing.
    if (round === 1) assert.equal(await readCoins(member), 10);
    await postPayout(member, '3000.00');
  }
  assert.equal(await readCoins(member), 10);
  await fundWallet(ledger, member.id, '3600.00');
  assert.equal(await readCoins(member), 12, 'what is more than was withdrawn');
  await winTwentyBaht(member);
  await postPayout(member, '3620.00');
  await fundWallet(ledger, member.id, '3600.00');
  assert.equal(await readCoins(member), 12);
  await fundWallet(ledger, member.id, '300.00');
  assert.equal(await readCoins(member), 13);
});

test('a deposit with a bonus earns its coins; the bonus and re-deposited withdrawals earn none [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  const offer = await insertOffer(system);
  await fundWallet(ledger, member.id, '300.00');
  assert.equal((await receiveBonus(system, member, offer)).status, 200);
  assert.equal(await readCoins(member), 1);
  await clearBonus(system, member);
  await fundWallet(ledger, member.id, '500.00');
  assert.equal(await readCoins(member), 2);
  await postPayout(member, '800.00');
  const nextOffer = await insertOffer(system);
  await fundWallet(ledger, member.id, '300.00');
  assert.equal((await receiveBonus(system, member, nextOffer)).status, 200);
  assert.equal(await readCoins(member), 2);
});

test('movements of other kinds are skipped permanently, and no deposit between them is missed [R-SPIN-04]', async () => {
  const [member, winner] = [await registerMember(system), await registerMember(system)];
  const readPurse = async ({ id } = member) =>
    (
      await system.database.query<{ seen: bigint; last: bigint }>(
        `select p.deposits_seen as seen, a.seq as last from spinwheel_purse p
           join ledger.account a on a.member_id = p.member_id::text and a.kind = 'WALLET' where p.member_id = $1`,
        [id],
      )
    ).rows[0];
  const winRepeatedly = (winCount: number, winner = member) =>
    Promise.all(Array.from({ length: winCount }, () => winTwentyBaht(winner)));
  await winRepeatedly(64, winner);
  assert.equal(await readCoins(winner), 0);
  assert.deepEqual(await readPurse(winner), { seen: 64n, last: 64n }, 'also of who never had a coin');
  await fundWallet(ledger, winner.id, '300.00');
  assert.equal(await readCoins(winner), 1);
  await fundWallet(ledger, member.id, '300.00');
  assert.equal(await readCoins(member), 1);
  await winRepeatedly(10);
  assert.equal(await readCoins(member), 1);
  assert.equal((await readPurse())?.seen, 1n, 'a few are looked at again');
  await winRepeatedly(90);
  assert.equal(await readCoins(member), 1);
  assert.deepEqual(await readPurse(), { seen: 101n, last: 101n });
  for (let round = 0; round < 4; round += 1) {
    const pendingReadings = Promise.all(Array.from({ length: 8 }, () => readCoins(member)));
    await Promise.all([winRepeatedly(40), fundWallet(ledger, member.id, '300.00'), winRepeatedly(40)]);
    for (const coinReading of await pendingReadings)
      assert.ok(coinReading === round + 1 || coinReading === round + 2, String(coinReading));
    assert.equal(await readCoins(member), round + 2);
  }
  assert.equal((await readCoinMovements(member)).length, 5);
});

test('in random stories of deposits and payouts, coins correspond to the money that stayed [R-SPIN-04]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.bigInt({ min: -5_000n, max: 5_000n }), { maxLength: 40 }), async (amounts) => {
      let cashFlow = { paidIn: 0n, owed: 0n };
      let [fresh, depositedSatang, maxOwed, netPaid] = [0n, 0n, 0n, 0n];
      for (const amount of amounts) {
        const { earningAmount: freshAmount, ...after } = applyCashFlow(cashFlow, amount);
        cashFlow = after;
        fresh += freshAmount;
        if (amount > 0n) depositedSatang += amount;
        // Winnings: withdrawals beyond the deposits.
        netPaid = netPaid + amount < 0n ? 0n : netPaid + amount;
        if (netPaid > maxOwed) maxOwed = netPaid;
        assert.ok(freshAmount >= 0n && cashFlow.paidIn >= 0n && cashFlow.owed >= 0n);
        assert.equal(cashFlow.paidIn, netPaid);
        assert.ok(fresh <= depositedSatang);
        assert.equal(fresh, maxOwed, 'never more than the most that ever stayed');
      }
    }),
  );
});

test('the operator sets the amount per coin, never 0, and earned coins stay [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  await fundWallet(ledger, member.id, '100.00');
  await setSettings(system, { spinwheel: { ...DEFAULT_WHEEL_SETTING, coinPer: { BAHT: '50.00', LAK: '0.00' } } });
  assert.equal(await readCoins(member), 2);
  await setSettings(system, { spinwheel: { ...DEFAULT_WHEEL_SETTING, coinPer: { BAHT: '0.00', LAK: '0.00' } } });
  await fundWallet(ledger, member.id, '5000.00');
  assert.equal(await readCoins(member), 2);
  await setSettings(system, { spinwheel: DEFAULT_WHEEL_SETTING });
  assert.equal(await readCoins(member), 2, 'a deposit is looked at once');
});

test('deposits from before the wheel existed earn no coins', async () => {
  const otherSystem = await startSystem();
  const otherLedger = createTestLedger(otherSystem);
  try {
    await otherSystem.database.query('alter table spinwheel_version disable trigger user');
    await otherSystem.database.query(`update spinwheel_version set published_at = now() + interval '1 hour'`);
    const member = await registerMember(otherSystem);
    await fundWallet(otherLedger, member.id, '3000.00');
    assert.equal((await otherSystem.api('GET /api/wallet', { token: member.token })).body.profile.coin, 0);
    await otherSystem.database.query('update spinwheel_version set published_at = now()');
    await fundWallet(otherLedger, member.id, '300.00');
    assert.equal((await otherSystem.api('GET /api/wallet', { token: member.token })).body.profile.coin, 1);
  } finally {
    await otherLedger.close();
    await otherSystem.stop();
  }
});

test('while a purse is locked the wallet shows earlier coins, and a spin is SPIN_BUSY and can be retried [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  await giveCoins(system, member.id, 2);
  await fundWallet(ledger, member.id, '300.00');
  let releaseLock = (): void => {};
  const lockReleased = new Promise<void>((resolve) => (releaseLock = resolve));
  let reportLocked = (): void => {};
  const isHeld = new Promise<void>((resolve) => (reportLocked = resolve));
  const lockingTransaction = system.database.tx(async (tx) => {
    await tx.query('select from spinwheel_purse where member_id = $1 for update', [member.id]);
    reportLocked();
    await lockReleased;
  });
  await isHeld;
  const { token } = member;
  const [shownReply, busyReply, ...otherReplies] = await Promise.all([
    readCoins(member),
    spinWheel(system, member, 'tried-again'),
    system.api('GET /api/spinwheel/setup', { token }),
    system.api('POST /api/spinwheel/seed', { token, body: {} }),
  ]);
  releaseLock();
  await lockingTransaction;
  assert.equal(shownReply, 2);
  for (const reply of otherReplies) assertRefused(reply, 'REQUEST_LIMIT', 'BUSY', 503);
  assert.deepEqual(busyReply.body, { success: false, error: 'SPIN_BUSY', result: null });
  assert.equal((await spinOnce(system, member, 'tried-again')).remainingCoin, 2);
});

test('the database refuses a negative purse, a repeated source, and any change of recorded coins [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  await giveCoins(system, member.id, 1);
  const changePurse = (sql: string) => system.database.query(sql.replace('$1', `'${member.id}'`));
  const coinsChange = changePurse('update spinwheel_purse set coins = coins - 2 where member_id = $1');
  await assert.rejects(coinsChange, (error) => violatedConstraint(error) === 'spinwheel_purse_not_below_zero');
  const doubleChange = changePurse(
    'insert into spinwheel_coin_movement (member_id, source, coins, coins_after) select member_id, source, 5, 6 from spinwheel_coin_movement where member_id = $1',
  );
  await assert.rejects(doubleChange, (error) => violatedConstraint(error) === 'spinwheel_coin_movement_once');
  for (const sql of [
    'update spinwheel_coin_movement set coins = 9 where member_id = $1',
    'delete from spinwheel_coin_movement where member_id = $1',
    'delete from spinwheel_spin',
    'update spinwheel_version set weights_hash = $1',
    'delete from spinwheel_version where version = 1',
  ]) {
    await assert.rejects(changePurse(sql), (error) => sqlState(error) === '23001', sql);
  }
});

test('an operator gives and takes coins, never below 0, and is logged with the reason [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  const [, , code = ''] = (await runCommand(system, 'members', ['show', member.id])).output.split('  ');
  const output = await runCoins('give', member.phone, '3', 'nok', ...REASON_ARGS);
  assert.equal(output.status, 0, output.output);
  assert.equal(
    output.output,
    `3 coins given to member ${member.id} (${member.phone} ${code} Somjai), who has 3 now, by operator:nok.\n`,
  );
  assert.equal(await readCoins(member), 3);
  assert.equal((await runCoins('take', member.id, '2', 'lek', 'given', 'twice')).status, 0);
  const refusedResult = await runCoins('take', member.id, '2', 'lek', 'given', 'twice');
  assert.deepEqual(refusedResult, { status: 1, output: `Member ${member.id} has fewer coins than that.\n` });
  assert.equal(await readCoins(member), 1);
  assert.deepEqual(await readCoinMovements(member), [
    { coins: 3, coins_after: 3 },
    { coins: -2, coins_after: 1 },
  ]);
  const listedLines = (await runCoins(member.id)).output.trimEnd().split('\n');
  assert.match(listedLines[0] ?? '', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\+07:00 +-2 +1 {2}operator:/);
  assert.equal(listedLines.at(-1), `member ${member.id} (${member.phone} ${code} Somjai) has 1 coin`);
  const log = (await runCommand(system, 'operator-log', [member.id])).output;
  assert.match(
    log,
    new RegExp(`nok +coins \\+3 +${member.id} +${REASON_ARGS.join(' ')}\n.*lek +coins -2 +${member.id} +given twice`),
  );
});

test("an operator's invalid arguments, or an unknown member (NO_USER), change no coins [R-SPIN-04] [R-NET-06]", async () => {
  const member = await registerMember(system);
  for (const [commandArgs, expectedReason] of [
    [['give', member.id, '3'], /^NAME and WHY are missing\. Write `krapao coins/],
    [['give', member.id, '3', 'nok', 'why'], /^WHY needs at least five letters\. Write `krapao coins/],
    [
      ['give', member.id, '0', 'nok', ...REASON_ARGS],
      /^COINS is a whole number from 1 to 999999, not .* Write `krapao coins/,
    ],
    [
      ['give', member.id, '-1', 'nok', ...REASON_ARGS],
      /^COINS is a whole number from 1 to 999999, not .* Write `krapao coins/,
    ],
    [
      ['give', member.id, '1e3', 'nok', ...REASON_ARGS],
      /^COINS is a whole number from 1 to 999999, not .* Write `krapao coins/,
    ],
    [
      ['give', member.id, '1000000', 'nok', ...REASON_ARGS],
      /^COINS is a whole number from 1 to 999999, not .* Write `krapao coins/,
    ],
    [['give', '0000000000', '1', 'nok', ...REASON_ARGS], /^NO_USER: there is no member 0000000000\.\n/],
    [['take', member.id, '1', 'nok', ...REASON_ARGS], /fewer coins/],
    [['no-such-word', member.id], /is one argument too many\. Write `krapao coins/],
    [['nobody'], /^NO_USER: there is no member nobody/],
    [[], /^MEMBER is missing\. Write `krapao coins/],
  ] as const) {
    const { status, output } = await runCoins(...commandArgs);
    assert.equal(status, 1, commandArgs.join(' '));
    assert.match(output, expectedReason);
  }
  assert.equal(await readCoins(member), 0);
  assert.deepEqual(await readCoinMovements(member), []);
});
