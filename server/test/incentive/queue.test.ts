import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { active, clear, makeOffer, receive } from '../bonus/bonus-world.ts';
import { openBet, openGame, play, transfer } from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import { claim, money, win } from '../spinwheel/wheel-world.ts';
import { nothingOpen, withdraw } from '../withdraw/payout-fixtures.ts';
import { bonusOf, give, holderOf, openDoor } from './incentive-world.ts';

/** Met at 40, lost at 2. */
const PRIZE = money('20.00', { percentSuccess: 200, percentFail: 10 });

type Player = TestMember & { username: string };
type Shown = { current: number; turnover: number | null; turnoverTarget: number | null; isCounting: boolean };

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem();
  ledger = ledgerOf(system);
});
after(async () => {
  for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
  await ledger?.close();
  await system?.stop();
});

async function player(own: string, game = 'pg'): Promise<Player> {
  const member = await registerMember(system);
  const { username } = await openGame(system, member.token, game);
  if (own !== '0.00') await fund(ledger, member.id, own);
  return { ...member, username };
}
async function claimPrizes(member: TestMember, count: number): Promise<void> {
  for (let at = 0; at < count; at += 1) {
    const { body } = await claim(system, member, await win(system, member, PRIZE));
    assert.equal(body.success, true, JSON.stringify(body));
  }
}
const into = async (member: TestMember, amount: number, to = 'pg'): Promise<void> => {
  const { status } = await transfer(system, member.token, { from: 'WALLET', to, amount });
  assert.equal(status, 200);
};
const home = async (member: TestMember, amount: number): Promise<void> => {
  const { status } = await transfer(system, member.token, { from: 'pg', to: 'WALLET', amount });
  assert.equal(status, 200);
};
const lose = (member: Player, amount: string) => play(system, 'pg', member.username, amount, '0');
const winFrom = (member: Player, amount: string) =>
  play(system, 'pg', member.username, '1', String(Number(amount) + 1));
const conditions = async (member: TestMember): Promise<Shown[]> => (await active(system, member)).conditions;
const free = async ({ id }: TestMember): Promise<string> => (await balanceOf(ledger, id, 'WALLET')).free;

const standings = async (member: TestMember): Promise<string[]> =>
  (await conditions(member)).map(({ current, isCounting }) => `${current}${isCounting ? ' counts' : ''}`);

describe('several conditions at once', () => {
  test('one loss ends one of eleven prizes, and no prize money leaves [R-WDR-02] [R-SPIN-04]', async () => {
    const member = await player('18.00');
    await claimPrizes(member, 11);
    await into(member, 18);
    await lose(member, '18');
    assert.deepEqual(await standings(member), ['20 counts', ...Array.from({ length: 9 }, () => '20')]);
    const refused = await withdraw(system, member, 202);
    assert.deepEqual([refused.status, refused.body.message], [409, 'BONUS_CONDITION']);
    assert.equal(await free(member), '220.00');
  });

  test('one win meets one of three prizes; each is met by a win of its own, and then the money leaves [R-WDR-02] [R-SPIN-04]', async () => {
    const member = await player('10.00');
    await claimPrizes(member, 3);
    await into(member, 10);
    await winFrom(member, '20');
    assert.deepEqual(await standings(member), ['20 counts', '20']);
    // What the second has won so far stays with it.
    await winFrom(member, '15');
    assert.deepEqual(await standings(member), ['35 counts', '20']);
    // Enough for the rest of the second and half of the third.
    await winFrom(member, '15');
    assert.deepEqual(await standings(member), ['30 counts']);
    assert.equal((await withdraw(system, member, 100)).body.message, 'BONUS_CONDITION');
    await winFrom(member, '10');
    assert.deepEqual(await standings(member), []);
    await home(member, 70);
    assert.equal((await withdraw(system, member, 130)).status, 200);
    await nothingOpen(system);
    assert.equal(await free(member), '0.00');
  });

  test('a loss that is great enough for two ends two, and the rest of it counts for the third [R-SPIN-04]', async () => {
    const member = await player('40.00');
    await claimPrizes(member, 3);
    await into(member, 40);
    await lose(member, '40');
    assert.deepEqual(await standings(member), ['16 counts']);
  });

  test('what was played before a prize was claimed counts for none [R-SPIN-04]', async () => {
    const member = await player('100.00');
    await claimPrizes(member, 1);
    await into(member, 100);
    await lose(member, '60');
    // The games have not been refreshed since: the loss ends the first prize, and is older than the second.
    await claimPrizes(member, 1);
    assert.deepEqual(await standings(member), ['20 counts']);
  });

  test('while a bet is open nothing is lost; afterwards the loss counts once [R-SPIN-04]', async () => {
    const member = await player('50.00');
    await claimPrizes(member, 3);
    await into(member, 50);
    const takeBack = await openBet(system, 'pg', member.username, '50');
    assert.deepEqual(await standings(member), ['0 counts', '20', '20']);
    await takeBack();
    assert.deepEqual(await standings(member), ['20 counts', '20', '20']);
    await lose(member, '18');
    assert.deepEqual(await standings(member), ['20 counts', '20']);
  });
});

describe('a bonus among several conditions', () => {
  test('a bonus given up takes only what is its own, and leaves the older prize what was played for it [R-BON-03] [R-SPIN-04]', async () => {
    const member = await player('0.00');
    await claimPrizes(member, 2);
    await fund(ledger, member.id, '100.00');
    const code = await makeOffer(system, { rest: 40_00n });
    assert.equal((await receive(system, member, code)).status, 200);
    await into(member, 100);
    await winFrom(member, '10');
    assert.deepEqual(await standings(member), ['30 counts', '20', '200']);
    const { body } = await clear(system, member);
    assert.deepEqual([body.takenBack, body.kept], [100, 150]);
    assert.deepEqual(await standings(member), ['30 counts', '20']);
    await into(member, 100);
    await lose(member, '28');
    assert.deepEqual(await standings(member), ['20 counts']);
  });

  test('an older bonus takes all play until it is given up: none of it counts for the prizes after it [R-BON-03] [R-SPIN-04]', async () => {
    const member = await player('100.00');
    const code = await makeOffer(system);
    assert.equal((await receive(system, member, code)).status, 200);
    await claimPrizes(member, 2);
    await into(member, 200);
    await winFrom(member, '150');
    assert.deepEqual(await standings(member), ['350 counts', '20', '20']);
    const { body } = await clear(system, member);
    assert.deepEqual([body.takenBack, body.kept], [250, 140]);
    assert.deepEqual(await standings(member), ['20 counts', '20']);
  });

  test('turnover counts once too: what meets the bonus does not meet the prize behind it [R-BON-03] [R-SPIN-04]', async () => {
    const member = await player('0.00', 'joker2');
    await fund(ledger, member.id, '100.00');
    const code = await makeOffer(system, { turnoverTimes: 1 });
    assert.equal((await receive(system, member, code)).status, 200);
    await giveTurnoverPrize(member);
    await into(member, 200, 'joker2');
    await play(system, 'joker2', member.username, '200', '200');
    const [second, ...more] = await turnovers(member);
    assert.deepEqual([second, more], ['0 of 100 counts', []]);
    await play(system, 'joker2', member.username, '60', '60');
    assert.deepEqual(await turnovers(member), ['60 of 100 counts']);
    await play(system, 'joker2', member.username, '40', '40');
    assert.deepEqual(await turnovers(member), []);
  });

  test('when everything is lost all are over, and money that comes in later is free [R-WDR-02]', async () => {
    const member = await player('0.00');
    await claimPrizes(member, 3);
    await into(member, 60);
    await lose(member, '60');
    assert.deepEqual(await standings(member), []);
    await fund(ledger, member.id, '100.00');
    assert.equal((await withdraw(system, member, 100)).status, 200);
    await nothingOpen(system);
  });

  test('many who look at once, on two nodes, count a loss once; what one has counted the other goes on from [R-SPIN-04] [R-XFER-04]', async () => {
    const other = await openDoor(system);
    try {
      const member = await player('36.00');
      await claimPrizes(member, 4);
      await into(member, 36);
      for (const [amount, left] of [
        ['12', ['8 counts', '20', '20', '20']],
        ['12', ['14 counts', '20', '20']],
        ['12', ['20 counts', '20']],
      ] as const) {
        await lose(member, amount);
        await Promise.all([
          ...Array.from({ length: 5 }, () => conditions(member)),
          ...Array.from({ length: 5 }, () => other.incentive.follow(holderOf(member), 'en')),
        ]);
        assert.deepEqual(await standings(member), left);
      }
    } finally {
      await other.close();
    }
  });

  /** 100.00 that are met by a turnover of once as much. */
  async function giveTurnoverPrize(member: TestMember): Promise<void> {
    const door = await openDoor(system);
    const award = bonusOf('100', '0', { turnoverTimes: 1, percentSuccess: 900 });
    try {
      await give(door, member, { ...award, kind: 'COUPON' });
    } finally {
      await door.close();
    }
  }
  const turnovers = async (member: TestMember): Promise<string[]> =>
    (await conditions(member)).map(
      ({ turnover, turnoverTarget, isCounting }) =>
        `${String(turnover)} of ${String(turnoverTarget)}${isCounting ? ' counts' : ''}`,
    );
});
