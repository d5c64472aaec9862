import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { runCommand } from '../harness/command.ts';
import { registerMember } from '../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  readActiveBonus,
  clearBonus,
  findPromotion,
  listBonuses,
  insertOffer,
  memberWithDeposits,
  receiveBonus,
  redeemPromotion,
} from './bonus-fixtures.ts';

const LANGUAGES = ['TH', 'LA', 'EN'];

describe('offers of the seed and of operators', () => {
  let system: System;
  let ledger: Ledger;
  before(async () => {
    system = await startSystem();
    ledger = createTestLedger(system);
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  test('offers state in every language the amount, the frequency and the qualifying deposit [R-BON-03]', async () => {
    const member = await memberWithDeposits(system, ledger, '100.00');
    const listsByLanguage = await Promise.all(LANGUAGES.map((language) => listBonuses(system, member, language)));
    const codes = ['WELCOME', 'DAILY', 'WEEKLY', 'LUCKY50'];
    for (const offerList of listsByLanguage) {
      assert.deepEqual(
        offerList.map(({ code }) => code),
        codes,
      );
      for (const { name, banners, userBonus, isExhausted, isFull } of offerList) {
        assert.ok(name.length > 0 && banners.length > 0 && banners[0].html.length > 0);
        assert.deepEqual([userBonus, isExhausted, isFull], [null, false, false]);
      }
    }
    for (const [index] of codes.entries()) {
      assert.equal(new Set(listsByLanguage.map((list) => list[index].name)).size, LANGUAGES.length, 'three languages');
    }
    const [welcome, daily, weekly, lucky] = listsByLanguage[2] as (typeof listsByLanguage)[0];
    assert.deepEqual([welcome.type, welcome.maxReceived, welcome.percent, welcome.maximum], ['limit', 1, 100, 500]);
    assert.deepEqual([daily.type, daily.maxReceived, weekly.type, weekly.maxReceived], ['day', 1, 'week', 2]);
    assert.deepEqual([lucky.percent, lucky.fixed, lucky.maximum, lucky.minimumDeposit], [null, 50, null, 300]);
    assert.deepEqual([welcome.windowHours, welcome.turnoverTimes], [24, 8]);
    assert.deepEqual([daily.windowHours, daily.turnoverTimes], [24, null]);
    assert.match(lucky.banners[0].html, /<b>฿300\.00<\/b>.*<b>฿50\.00<\/b>/);
    assert.ok(!JSON.stringify(listsByLanguage).includes('{{'), 'a place of a text that is left empty');
    const { body } = await system.api('GET /api/bonus/check/minimum', { token: member.token });
    assert.deepEqual(body, { minimum: 100 });
  });

  test('a percentage bonus is capped at its maximum, a fixed one ignores the deposit, and both round down [R-BON-03] [R-BON-05]', async () => {
    for (const [sendRequest, code, deposit, amount] of [
      [receiveBonus, 'WELCOME', '300.33', 300.33],
      [receiveBonus, 'WELCOME', '5000.00', 500],
      [receiveBonus, 'DAILY', '123.49', 12.34],
      [receiveBonus, 'LUCKY50', '4000.00', 50],
      [redeemPromotion, 'vip25', '1000.03', 250],
      [redeemPromotion, 'KRAPAO100', '300.00', 100],
    ] as const) {
      const member = await memberWithDeposits(system, ledger, deposit);
      const { status, body } = await sendRequest(system, member, code);
      assert.equal(status, 200, `${code}: ${JSON.stringify(body)}`);
      assert.equal(body.amount, amount, code);
    }
    const member = await memberWithDeposits(system, ledger, '1000.00');
    for (const ask of [findPromotion, redeemPromotion])
      assertRefused(await ask(system, member, 'SONGKRAN69'), 'NO_PROMOTION');
    // The prize offers of the wheel can't be received this way.
    assertRefused(await receiveBonus(system, member, 'WHEEL'), 'NO_PROMOTION');
    assertRefused(await redeemPromotion(system, member, 'WHEEL'), 'NO_PROMOTION');
  });

  test('offers for members in kip have their own amounts, in whole kip [R-BON-03]', async () => {
    const laoSystem = await startSystem({ variant: 'lao' });
    const ledgerOfLao = createTestLedger(laoSystem);
    try {
      const member = await registerMember(laoSystem, { currency: 'LAK' });
      await fundWallet(ledgerOfLao, member.id, '60009.00', 'LAK');
      const welcome = (await listBonuses(laoSystem, member, 'LA')).find(({ code }) => code === 'WELCOME');
      assert.deepEqual([welcome.minimumDeposit, welcome.maximum], [60_000, 300_000]);
      assert.match(welcome.banners[0].html, /<b>₭60,000\.00<\/b>.*<b>₭300,000\.00<\/b>/);
      const { body } = await receiveBonus(laoSystem, member, 'DAILY');
      assert.equal(body.amount, 6_000, JSON.stringify(body));
      assert.equal((await readActiveBonus(laoSystem, member)).condition.base, 66_009);
      assert.equal((await clearBonus(laoSystem, member)).body.takenBack, 6_000);
      assert.equal((await readBalance(ledgerOfLao, member.id, 'WALLET')).free, '60009.00');
    } finally {
      await ledgerOfLao.close();
      await laoSystem.stop();
    }
  });

  test('an operator lists credited bonuses, and switches an offer with a name and a reason', async () => {
    const code = await insertOffer(system, { quota: 5, budget: 1_000_00n });
    const member = await memberWithDeposits(system, ledger, '100.00');
    assert.equal((await receiveBonus(system, member, code)).status, 200);
    const lineOf = async (): Promise<string> => {
      const { status, output } = await runCommand(system, 'offers');
      assert.equal(status, 0, output);
      return output.split('\n').find((outputLine) => outputLine.startsWith(`${code} `)) ?? '';
    };
    assert.match(await lineOf(), /on .* 100\.00 BAHT {2}given 1 times to 1 members {2}4 left {2}900\.00 BAHT left/);
    for (const args of [
      ['off'],
      ['off', code],
      ['off', code, 'nok'],
      ['off', code, 'nok', 'why'],
      ['sideways', code],
    ]) {
      assert.equal((await runCommand(system, 'offers', args)).status, 1, args.join(' '));
    }
    const offResult = await runCommand(system, 'offers', ['off', code, 'nok', 'a wrong text in its banner']);
    assert.deepEqual(offResult, { status: 0, output: `${code} is off, by operator:nok.\n` });
    assert.match(await lineOf(), / off /);
    assert.ok(!(await listBonuses(system, member)).some((bonus) => bonus.code === code));
    assert.equal((await readActiveBonus(system, member)).code, code, 'what was received goes on');
    const other = await memberWithDeposits(system, ledger, '100.00');
    assertRefused(await receiveBonus(system, other, code), 'NO_PROMOTION');
    assert.equal((await runCommand(system, 'offers', ['off', code, 'nok', 'a second time'])).status, 1);
    assert.equal((await runCommand(system, 'offers', ['on', code, 'nok', 'the text is mended'])).status, 0);
    assert.equal((await receiveBonus(system, other, code)).status, 200);
    const { output } = await runCommand(system, 'operator-log', [code]);
    assert.match(
      output,
      /nok +offers off +OFFER-\d+ {2}a wrong text in its banner\n.*nok +offers on .*mended\n2 entries/,
    );
  });
});
