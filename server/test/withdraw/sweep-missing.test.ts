import { strict as assert } from 'node:assert';
import { after, afterEach, before, describe, test } from 'node:test';
import { minor, toDecimal } from '@krapao/contract/money';
import fc from 'fast-check';
import { audit, type Ledger } from '../../src/ledger/index.ts';
import type { GameBalance } from '../../src/modules/game/index.ts';
import { planRound } from '../../src/modules/transfer/sweep-to-wallet.ts';
import {
  behave,
  creditOf,
  eventually,
  misbehave,
  multiplierOf,
  openBet,
  openGame,
  providersWithin,
  transfer,
} from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../harness/money.ts';
import { callNamesOf } from '../harness/provider-calls.ts';
import { startSystem, type System } from '../harness/system.ts';
import { nothingOpen, payoutsTake, withdrawAll } from './payout-fixtures.ts';

const GAMES = ['pg', 'askmebet', 'joker2'] as const;
type Game = (typeof GAMES)[number];
type Gamer = TestMember & { players: Record<Game, string> };
const IN_GAME: Readonly<Record<Game, number>> = { pg: 300, askmebet: 200, joker2: 100 };
/** Long: unless silent on purpose, a provider must reply in time on a busy machine. */
const PROVIDER_TIMEOUT_MS = 2_500;

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem({ outside: providersWithin(PROVIDER_TIMEOUT_MS) });
  ledger = ledgerOf(system);
  await payoutsTake(system, 50);
});
afterEach(() => behave(system));
after(async () => {
  await ledger?.close();
  await system?.stop();
});

/** A member with an amount in the wallet and {@link IN_GAME} in each game. */
async function gamer(inWallet: number): Promise<Gamer> {
  const member = await registerMember(system);
  const players = {} as Record<Game, string>;
  await fund(ledger, member.id, (inWallet + 600).toFixed(2));
  for (const code of GAMES) {
    players[code] = (await openGame(system, member.token, code)).username;
    const moved = await transfer(system, member.token, { from: 'WALLET', to: code, amount: IN_GAME[code] });
    assert.equal(moved.status, 200, JSON.stringify(moved.body));
  }
  return { ...member, players };
}

/** Balance of a game in whole baht. */
const inGame = async ({ players }: Gamer, code: Game): Promise<number> =>
  Number(await creditOf(system, code, players[code])) / Number(multiplierOf(code));

async function inGames(member: Gamer): Promise<Record<Game, number>> {
  const [pg, askmebet, joker2] = await Promise.all(GAMES.map((code) => inGame(member, code)));
  return { pg: pg ?? 0, askmebet: askmebet ?? 0, joker2: joker2 ?? 0 };
}
const freeOf = async ({ id }: TestMember): Promise<number> => Number((await balanceOf(ledger, id, 'WALLET')).free);

describe('a withdrawal sweeps only what is missing', () => {
  test('no game is touched when the wallet has enough [R-WDR-02]', async () => {
    const member = await gamer(984);
    const reply = await withdrawAll(system, member, 500);
    assert.deepEqual([reply.status, reply.body.notBrought], [200, []], JSON.stringify(reply.body));
    assert.deepEqual(await inGames(member), IN_GAME);
    assert.equal(await freeOf(member), 484);
  });

  test('exactly the missing amount is swept, from the one game that has it', async () => {
    const member = await gamer(50);
    const reply = await withdrawAll(system, member, 300.25);
    assert.deepEqual([reply.status, reply.body.notBrought], [200, []], JSON.stringify(reply.body));
    assert.deepEqual(await inGames(member), { ...IN_GAME, pg: 49.75 });
    assert.equal(await freeOf(member), 0);
  });

  test('the withdrawable amount excludes games that are closed or locked by open bets', async () => {
    const member = await gamer(100);
    // An operator's change applies within a second.
    const comesTo = (expected: number, why: string): Promise<unknown> =>
      eventually(
        `${expected} withdrawable, ${why}`,
        async () => {
          await system.api('GET /api/wallet/refresh/slot', { token: member.token });
          return (await system.api('GET /api/wallet', { token: member.token })).body.withdrawable as number;
        },
        (withdrawable) => withdrawable === expected,
      );
    await comesTo(700, 'all of it');
    await system.database.query(`update game set in_maintenance = true where code = 'pg'`);
    try {
      await comesTo(400, 'a game in maintenance');
    } finally {
      await system.database.query(`update game set in_maintenance = false where code = 'pg'`);
    }
    await misbehave(system, 'askmebet', { fault: 'error-500', call: callNamesOf('askmebet').balance, times: 50 });
    await comesTo(500, 'a provider that does not answer');
    await behave(system);
    const { username } = await openGame(system, member.token, 'huayhd');
    assert.equal((await transfer(system, member.token, { from: 'WALLET', to: 'huayhd', amount: 60 })).status, 200);
    await comesTo(700, 'with all of them');
    const voidIt = await openBet(system, 'huayhd', username, '10');
    await comesTo(640, 'a lottery that locks all of its money while a bet is open');
    await voidIt();
    await comesTo(700, 'with all of them');
  });

  const MODES = ['works', 'declines', 'is down'] as const;
  const combinations = MODES.flatMap((pg) =>
    MODES.flatMap((askmebet) => MODES.map((joker2) => ({ pg, askmebet, joker2 }))),
  );

  test('whichever games fail, at most the missing amount is swept, nothing is lost, and it is paid whenever possible [R-WDR-02]', async () => {
    for (const [index, modes] of combinations.entries()) {
      const amount = [150, 380, 520, 640][index % 4] ?? 0;
      const member = await gamer(100);
      for (const code of GAMES) {
        const { out, balance } = callNamesOf(code);
        if (modes[code] === 'declines') await misbehave(system, code, { fault: 'decline', call: out, times: 9 });
        if (modes[code] === 'is down') await misbehave(system, code, { fault: 'error-500', call: balance, times: 99 });
      }
      const reply = await withdrawAll(system, member, amount);
      await behave(system);
      const working = GAMES.filter((code) => modes[code] === 'works').reduce((sum, code) => sum + IN_GAME[code], 0);
      const isPaid = amount <= 100 + working;
      const where = `${amount} with ${JSON.stringify(modes)}: ${JSON.stringify(reply.body)}`;
      assert.equal(reply.status, isPaid ? 200 : 502, where);
      const left = await inGames(member);
      const brought = GAMES.reduce((sum, code) => sum + IN_GAME[code] - left[code], 0);
      if (isPaid) assert.equal(brought, amount - 100, where);
      else assert.ok(brought <= working, where);
      assert.equal(await freeOf(member), 100 + brought - (isPaid ? amount : 0), where);
      for (const code of GAMES) if (modes[code] !== 'works') assert.equal(left[code], IN_GAME[code], where);
    }
    await nothingOpen(system);
    assert.deepEqual(
      (await audit(system.database)).filter(({ violations }) => violations !== 0),
      [],
    );
  });

  test('a round takes the missing amount or everything, never more than a game has, from as few games as possible', () => {
    const held = fc
      .array(fc.record({ amount: fc.bigInt(0n, 100_000n), canMoveOut: fc.boolean() }), { maxLength: 8 })
      .map((games) => games.map((game, place) => ({ ...game, game: { code: `g${place}` } }) as unknown as GameBalance));
    fc.assert(
      fc.property(held, fc.bigInt(1n, 300_000n), (games, missing) => {
        const parts = planRound(games, minor(missing));
        const amountOf = (code: string) => games.find(({ game }) => game.code === code)?.amount ?? 0n;
        const total = games.reduce((sum, { amount }) => sum + amount, 0n);
        const planned = parts.reduce((sum, { amount }) => sum + amount, 0n);
        assert.equal(planned, total < missing ? total : missing, toDecimal(minor(planned)));
        for (const { code, amount } of parts) assert.ok(amount > 0n && amount <= amountOf(code));
        const movable = games.filter(({ canMoveOut }) => canMoveOut).map(({ amount }) => amount);
        const greatest = movable.toSorted((one, other) => (one < other ? 1 : -1));
        let least = 0;
        for (let sum = 0n; sum < missing && least < greatest.length; least += 1) sum += greatest[least] ?? 0n;
        const isEnough = movable.reduce((sum, amount) => sum + amount, 0n) >= missing;
        if (isEnough) assert.equal(parts.length, least);
      }),
    );
  });
});
