import assert from 'node:assert/strict';
import fc from 'fast-check';
import { after, afterEach, before, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { applyCashFlow } from '../../src/modules/spinwheel/coins.ts';
import { sqlState, violatedConstraint } from '../../src/platform/database/database.ts';
import { newReference } from '../../src/platform/ids.ts';
import { type Ended, runCommand } from '../harness/command.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { baht, fund, ledgerOf } from '../harness/money.ts';
import { setLimits, setSettings } from '../harness/operator.ts';
import { assertRefused } from '../harness/refused.ts';
import { startSystem, type System } from '../harness/system.ts';
import { brokenPurses, giveCoins, money, onlyWheel, publish, SETTING, spin, spinOnce } from './wheel-world.ts';

const WHY = ['sorry', 'for', 'the', 'wait'];

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem();
  ledger = ledgerOf(system);
  await setLimits(system, { 'spin.member': 100_000 });
  await publish(system, onlyWheel(money('20.00')));
});
after(async () => {
  await ledger.close();
  await system.stop();
});
afterEach(async () => assert.deepEqual(await brokenPurses(system), []));

const coinsIn = async ({ token }: TestMember) =>
  (await system.api('GET /api/wallet', { token })).body.profile.coin as number;
const coins = (...words: string[]): Promise<Ended> => runCommand(system, 'coins', words);
/** A withdrawal that the bank has paid, as the books have it. */
async function payOut({ id }: TestMember, amount: string): Promise<void> {
  const key = `test:payout:${newReference(12)}`;
  const line = {
    kind: 'withdraw',
    memberId: id,
    debit: { member: id, kind: 'WALLET' as const },
    credit: { house: 'bank' },
    reference: key,
    actor: 'test',
  };
  await ledger.post({ ...line, key, type: 'hold', amount: baht(amount) });
  const [verdict] = await ledger.post({ ...line, key: `${key}:post`, type: 'post', pendingKey: key });
  assert.equal(verdict?.outcome, 'applied');
}

async function win20({ id }: TestMember): Promise<void> {
  const key = `test:win:${newReference(12)}`;
  const wallet = { member: id, kind: 'WALLET' as const };
  const line = { kind: 'transfer', memberId: id, reference: key, actor: 'test', type: 'transfer' as const };
  await ledger.post({ ...line, key, debit: { house: 'provider:pg' }, credit: wallet, amount: baht('20.00') });
}

const movementsOf = async ({ id }: TestMember) =>
  (
    await system.database.query<{ coins: number; coins_after: number }>(
      'select coins, coins_after from spinwheel_coin_movement where member_id = $1 order by id',
      [id],
    )
  ).rows;

test('a deposit brings a coin for each whole multiple, of itself alone; the wallet, the wheel and a spin know at once [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  for (const [amount, sum] of [
    ['299.99', 0],
    ['0.01', 0],
    ['300.00', 1],
    ['899.99', 3],
    ['900.00', 6],
  ] as const) {
    await fund(ledger, member.id, amount);
    assert.equal(await coinsIn(member), sum, amount);
    assert.equal(await coinsIn(member), sum, `${amount}, looked at again`);
  }
  await fund(ledger, member.id, '300.00');
  const { body } = await system.api('GET /api/spinwheel/setup', { token: member.token });
  assert.equal(body.result.userCoin, 7);
  await fund(ledger, member.id, '300.00');
  assert.equal((await spinOnce(system, member)).remainingCoin, 7, 'eight, and one is spent');
});

test('many deposits at once, looked at from everywhere at once, bring each coin once [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  const { token } = member;
  await Promise.all(Array.from({ length: 250 }, () => fund(ledger, member.id, '300.00')));
  const looks = await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      if (index % 3 === 0) return coinsIn(member);
      if (index % 3 === 1)
        return (await system.api('GET /api/spinwheel/setup', { token })).body.result.userCoin as number;
      await fund(ledger, member.id, '300.00');
      return 250;
    }),
  );
  for (const seen of looks) assert.ok(seen >= 250 && seen <= 254, String(seen));
  assert.equal(await coinsIn(member), 254);
  assert.equal((await movementsOf(member)).length, 254);
});

test('money that is withdrawn and comes in again brings coins once; winnings that leave owe nothing [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  for (let round = 0; round < 3; round += 1) {
    await fund(ledger, member.id, '3000.00');
    // Reading in between makes no difference.
    if (round === 1) assert.equal(await coinsIn(member), 10);
    await payOut(member, '3000.00');
  }
  assert.equal(await coinsIn(member), 10);
  await fund(ledger, member.id, '3600.00');
  assert.equal(await coinsIn(member), 12, 'what is more than was withdrawn');
  await win20(member);
  await payOut(member, '3620.00');
  await fund(ledger, member.id, '3600.00');
  assert.equal(await coinsIn(member), 12);
  await fund(ledger, member.id, '300.00');
  assert.equal(await coinsIn(member), 13);
});

test('movements of other kinds are passed over for good, and a deposit between them is never missed [R-SPIN-04]', async () => {
  const [member, winner] = [await registerMember(system), await registerMember(system)];
  const seen = async ({ id } = member) =>
    (
      await system.database.query<{ seen: bigint; last: bigint }>(
        `select p.deposits_seen as seen, a.seq as last from spinwheel_purse p
           join ledger.account a on a.member_id = p.member_id::text and a.kind = 'WALLET' where p.member_id = $1`,
        [id],
      )
    ).rows[0];
  const winOften = (times: number, who = member) => Promise.all(Array.from({ length: times }, () => win20(who)));
  await winOften(64, winner);
  assert.equal(await coinsIn(winner), 0);
  assert.deepEqual(await seen(winner), { seen: 64n, last: 64n }, 'also of who never had a coin');
  await fund(ledger, winner.id, '300.00');
  assert.equal(await coinsIn(winner), 1);
  await fund(ledger, member.id, '300.00');
  assert.equal(await coinsIn(member), 1);
  await winOften(10);
  assert.equal(await coinsIn(member), 1);
  assert.equal((await seen())?.seen, 1n, 'a few are looked at again');
  await winOften(90);
  assert.equal(await coinsIn(member), 1);
  assert.deepEqual(await seen(), { seen: 101n, last: 101n });
  for (let round = 0; round < 4; round += 1) {
    const looks = Promise.all(Array.from({ length: 8 }, () => coinsIn(member)));
    await Promise.all([winOften(40), fund(ledger, member.id, '300.00'), winOften(40)]);
    for (const look of await looks) assert.ok(look === round + 1 || look === round + 2, String(look));
    assert.equal(await coinsIn(member), round + 2);
  }
  assert.equal((await movementsOf(member)).length, 5);
});

test('coins follow the money that stayed, over random stories of deposits and payouts [R-SPIN-04]', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.bigInt({ min: -5_000n, max: 5_000n }), { maxLength: 40 }), async (amounts) => {
      let money = { paidIn: 0n, owed: 0n };
      let [fresh, deposited, most, net] = [0n, 0n, 0n, 0n];
      for (const amount of amounts) {
        const { fresh: more, ...after } = applyCashFlow(money, amount);
        money = after;
        fresh += more;
        if (amount > 0n) deposited += amount;
        // Winnings: what leaves beyond what was paid in.
        net = net + amount < 0n ? 0n : net + amount;
        if (net > most) most = net;
        assert.ok(more >= 0n && money.paidIn >= 0n && money.owed >= 0n);
        assert.equal(money.paidIn, net);
        assert.ok(fresh <= deposited);
        assert.equal(fresh, most, 'never more than the most that ever stayed');
      }
    }),
  );
});

test('what a coin is given for is the operator’s; 0 is never, and what was earned stays [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  await fund(ledger, member.id, '100.00');
  await setSettings(system, { spinwheel: { ...SETTING, coinPer: { BAHT: '50.00', LAK: '0.00' } } });
  assert.equal(await coinsIn(member), 2);
  await setSettings(system, { spinwheel: { ...SETTING, coinPer: { BAHT: '0.00', LAK: '0.00' } } });
  await fund(ledger, member.id, '5000.00');
  assert.equal(await coinsIn(member), 2);
  await setSettings(system, { spinwheel: SETTING });
  assert.equal(await coinsIn(member), 2, 'a deposit is looked at once');
});

test('deposits from before there was a wheel bring nothing', async () => {
  const other = await startSystem();
  const books = ledgerOf(other);
  try {
    await other.database.query('alter table spinwheel_version disable trigger user');
    await other.database.query(`update spinwheel_version set published_at = now() + interval '1 hour'`);
    const member = await registerMember(other);
    await fund(books, member.id, '3000.00');
    assert.equal((await other.api('GET /api/wallet', { token: member.token })).body.profile.coin, 0);
    await other.database.query('update spinwheel_version set published_at = now()');
    await fund(books, member.id, '300.00');
    assert.equal((await other.api('GET /api/wallet', { token: member.token })).body.profile.coin, 1);
  } finally {
    await books.close();
    await other.stop();
  }
});

test('while a purse is held the wallet shows the coins from before, and a spin is SPIN_BUSY and may be tried again [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  await giveCoins(system, member.id, 2);
  await fund(ledger, member.id, '300.00');
  let release = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  let held = (): void => {};
  const isHeld = new Promise<void>((resolve) => (held = resolve));
  const holding = system.database.tx(async (tx) => {
    await tx.query('select from spinwheel_purse where member_id = $1 for update', [member.id]);
    held();
    await released;
  });
  await isHeld;
  const { token } = member;
  const [shown, busy, ...others] = await Promise.all([
    coinsIn(member),
    spin(system, member, 'tried-again'),
    system.api('GET /api/spinwheel/setup', { token }),
    system.api('POST /api/spinwheel/seed', { token, body: {} }),
  ]);
  release();
  await holding;
  assert.equal(shown, 2);
  for (const reply of others) assertRefused(reply, 'REQUEST_LIMIT', 'BUSY', 503);
  assert.deepEqual(busy.body, { success: false, error: 'SPIN_BUSY', result: null });
  assert.equal((await spinOnce(system, member, 'tried-again')).remainingCoin, 2);
});

test('the database refuses a purse below 0, a source twice, and any change of what was written down [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  await giveCoins(system, member.id, 1);
  const change = (sql: string) => system.database.query(sql.replace('$1', `'${member.id}'`));
  const below = change('update spinwheel_purse set coins = coins - 2 where member_id = $1');
  await assert.rejects(below, (error) => violatedConstraint(error) === 'spinwheel_purse_not_below_zero');
  const twice = change(
    'insert into spinwheel_coin_movement (member_id, source, coins, coins_after) select member_id, source, 5, 6 from spinwheel_coin_movement where member_id = $1',
  );
  await assert.rejects(twice, (error) => violatedConstraint(error) === 'spinwheel_coin_movement_once');
  for (const sql of [
    'update spinwheel_coin_movement set coins = 9 where member_id = $1',
    'delete from spinwheel_coin_movement where member_id = $1',
    'delete from spinwheel_spin',
    'update spinwheel_version set weights_hash = $1',
    'delete from spinwheel_version where version = 1',
  ]) {
    await assert.rejects(change(sql), (error) => sqlState(error) === '23001', sql);
  }
});

test('an operator gives coins and takes them, never below 0, and stands in the log with the reason [R-SPIN-04]', async () => {
  const member = await registerMember(system);
  const output = await coins('give', member.phone, '3', 'nok', ...WHY);
  assert.equal(output.status, 0, output.output);
  assert.equal(
    output.output,
    `3 coins given to member ${member.id} (${member.phone}), who has 3 now, by operator:nok.\n`,
  );
  assert.equal(await coinsIn(member), 3);
  assert.equal((await coins('take', member.id, '2', 'lek', 'given', 'twice')).status, 0);
  const refused = await coins('take', member.id, '2', 'lek', 'given', 'twice');
  assert.deepEqual(refused, { status: 1, output: `Member ${member.id} has fewer coins than that.\n` });
  assert.equal(await coinsIn(member), 1);
  assert.deepEqual(await movementsOf(member), [
    { coins: 3, coins_after: 3 },
    { coins: -2, coins_after: 1 },
  ]);
  const listed = (await coins(member.id)).output.trimEnd().split('\n');
  assert.match(listed[0] ?? '', / -2 +1 {2}operator:/);
  assert.equal(listed.at(-1), `member ${member.id} (${member.phone}) has 1 coin`);
  const log = (await runCommand(system, 'operator-log', [member.id])).output;
  assert.match(
    log,
    new RegExp(`nok +coins \\+3 +${member.id} +${WHY.join(' ')}\n.*lek +coins -2 +${member.id} +given twice`),
  );
});

test('an operator’s invalid words, or an unknown member (NO_USER), change nothing [R-SPIN-04] [R-NET-06]', async () => {
  const member = await registerMember(system);
  for (const [words, why] of [
    [['give', member.id, '3'], /^Write `npm run krapao -- coins/],
    [['give', member.id, '3', 'nok', 'why'], /^Write `npm run krapao -- coins/],
    [['give', member.id, '0', 'nok', ...WHY], /^Write `npm run krapao -- coins/],
    [['give', member.id, '-1', 'nok', ...WHY], /^Write `npm run krapao -- coins/],
    [['give', member.id, '1e3', 'nok', ...WHY], /^Write `npm run krapao -- coins/],
    [['give', member.id, '1000000', 'nok', ...WHY], /^Write `npm run krapao -- coins/],
    [['give', '0000000000', '1', 'nok', ...WHY], /^NO_USER: there is no member 0000000000\.\n/],
    [['take', member.id, '1', 'nok', ...WHY], /fewer coins/],
    [['no-such-word', member.id], /^Write `npm run krapao -- coins/],
    [['nobody'], /^NO_USER: there is no member nobody/],
    [[], /^Write `npm run krapao -- coins/],
  ] as const) {
    const { status, output } = await coins(...words);
    assert.equal(status, 1, words.join(' '));
    assert.match(output, why);
  }
  assert.equal(await coinsIn(member), 0);
  assert.deepEqual(await movementsOf(member), []);
});
