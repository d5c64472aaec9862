import { strict as assert } from 'node:assert';
import { after, afterEach, before, describe, test } from 'node:test';
import { minor, toDecimal } from '@krapao/contract/money';
import fc from 'fast-check';
import { audit, type Ledger } from '../../src/ledger/index.ts';
import type { GameBalance } from '../../src/modules/game/index.ts';
import { planRound } from '../../src/modules/transfer/sweep-to-wallet.ts';
import {
  clearProviderFaults,
  readProviderCredit,
  waitUntilResult,
  failProvider,
  multiplierOf,
  openBet,
  openGame,
  outsideWithProviderTimeout,
  transfer,
} from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../harness/money.ts';
import { providerCallNames } from '../harness/provider-calls.ts';
import { startSystem, type System } from '../harness/system.ts';
import { waitForNoOpenWithdrawals, setPayoutDelay, withdrawAll } from './payout-fixtures.ts';

const GAME_CODES = ['pg', 'askmebet', 'joker2'] as const;
type Game = (typeof GAME_CODES)[number];
type MemberWithGames = TestMember & { players: Record<Game, string> };
const GAME_BALANCES_BAHT: Readonly<Record<Game, number>> = { pg: 300, askmebet: 200, joker2: 100 };
/** Long: unless silent on purpose, a provider must reply in time on a busy machine. */
const PROVIDER_TIMEOUT_MS = 2_500;

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem({ outside: outsideWithProviderTimeout(PROVIDER_TIMEOUT_MS) });
  ledger = createTestLedger(system);
  await setPayoutDelay(system, 50);
});
afterEach(() => clearProviderFaults(system));
after(async () => {
  await ledger?.close();
  await system?.stop();
});

/** A member with an amount in the wallet and {@link GAME_BALANCES_BAHT} in each game. */
async function newMemberWithGames(inWallet: number): Promise<MemberWithGames> {
  const member = await registerMember(system);
  const players = {} as Record<Game, string>;
  await fundWallet(ledger, member.id, (inWallet + 600).toFixed(2));
  for (const code of GAME_CODES) {
    players[code] = (await openGame(system, member.token, code)).username;
    const transferReply = await transfer(system, member.token, {
      from: 'WALLET',
      to: code,
      amount: GAME_BALANCES_BAHT[code],
    });
    assert.equal(transferReply.status, 200, JSON.stringify(transferReply.body));
  }
  return { ...member, players };
}

/** Balance of a game in whole baht. */
const readGameBalance = async ({ players }: MemberWithGames, code: Game): Promise<number> =>
  Number(await readProviderCredit(system, code, players[code])) / Number(multiplierOf(code));

async function readGameBalances(member: MemberWithGames): Promise<Record<Game, number>> {
  const [pg, askmebetUsername, joker2Username] = await Promise.all(
    GAME_CODES.map((code) => readGameBalance(member, code)),
  );
  return { pg: pg ?? 0, askmebet: askmebetUsername ?? 0, joker2: joker2Username ?? 0 };
}
const freeOf = async ({ id }: TestMember): Promise<number> => Number((await readBalance(ledger, id, 'WALLET')).free);

describe('a withdrawal that sweeps only the missing amount', () => {
  test('a withdrawal sweeps no game when the wallet has enough [R-WDR-02]', async () => {
    const member = await newMemberWithGames(984);
    const reply = await withdrawAll(system, member, 500);
    assert.deepEqual([reply.status, reply.body.notBrought], [200, []], JSON.stringify(reply.body));
    assert.deepEqual(await readGameBalances(member), GAME_BALANCES_BAHT);
    assert.equal(await freeOf(member), 484);
  });

  test('a withdrawal sweeps exactly the missing amount, from the one game that has it', async () => {
    const member = await newMemberWithGames(50);
    const reply = await withdrawAll(system, member, 300.25);
    assert.deepEqual([reply.status, reply.body.notBrought], [200, []], JSON.stringify(reply.body));
    assert.deepEqual(await readGameBalances(member), { ...GAME_BALANCES_BAHT, pg: 49.75 });
    assert.equal(await freeOf(member), 0);
  });

  test('the withdrawable amount excludes games that are closed or locked by open bets', async () => {
    const member = await newMemberWithGames(100);
    // An operator's change applies within a second.
    const waitForWithdrawable = (expected: number, description: string): Promise<unknown> =>
      waitUntilResult(
        `${expected} withdrawable, ${description}`,
        async () => {
          await system.api('GET /api/wallet/refresh/slot', { token: member.token });
          return (await system.api('GET /api/wallet', { token: member.token })).body.withdrawable as number;
        },
        (withdrawableAmount) => withdrawableAmount === expected,
      );
    await waitForWithdrawable(700, 'all of it');
    await system.database.query(`update game set in_maintenance = true where code = 'pg'`);
    try {
      await waitForWithdrawable(400, 'a game in maintenance');
    } finally {
      await system.database.query(`update game set in_maintenance = false where code = 'pg'`);
    }
    await failProvider(system, 'askmebet', {
      fault: 'error-500',
      call: providerCallNames('askmebet').balance,
      times: 50,
    });
    await waitForWithdrawable(500, 'a provider that does not answer');
    await clearProviderFaults(system);
    const { username } = await openGame(system, member.token, 'huayhd');
    assert.equal((await transfer(system, member.token, { from: 'WALLET', to: 'huayhd', amount: 60 })).status, 200);
    await waitForWithdrawable(700, 'with all of them');
    const voidIt = await openBet(system, 'huayhd', username, '10');
    await waitForWithdrawable(640, 'a lottery that locks all of its money while a bet is open');
    await voidIt();
    await waitForWithdrawable(700, 'with all of them');
  });

  const PROVIDER_MODES = ['works', 'declines', 'is down'] as const;
  const modeCombinations = PROVIDER_MODES.flatMap((pg) =>
    PROVIDER_MODES.flatMap((askmebet) => PROVIDER_MODES.map((joker2) => ({ pg, askmebet, joker2 }))),
  );

  test('whichever games fail, at most the missing amount is swept, none is lost, and the withdrawal is paid if possible [R-WDR-02]', async () => {
    for (const [index, modesByGame] of modeCombinations.entries()) {
      const amount = [150, 380, 520, 640][index % 4] ?? 0;
      const member = await newMemberWithGames(100);
      for (const code of GAME_CODES) {
        const { out: transferOut, balance } = providerCallNames(code);
        if (modesByGame[code] === 'declines')
          await failProvider(system, code, { fault: 'decline', call: transferOut, times: 9 });
        if (modesByGame[code] === 'is down')
          await failProvider(system, code, { fault: 'error-500', call: balance, times: 99 });
      }
      const reply = await withdrawAll(system, member, amount);
      await clearProviderFaults(system);
      const reachableAmount = GAME_CODES.filter((code) => modesByGame[code] === 'works').reduce(
        (total, code) => total + GAME_BALANCES_BAHT[code],
        0,
      );
      const isPaid = amount <= 100 + reachableAmount;
      const caseSummary = `${amount} with ${JSON.stringify(modesByGame)}: ${JSON.stringify(reply.body)}`;
      assert.equal(reply.status, isPaid ? 200 : 502, caseSummary);
      const remainingInGames = await readGameBalances(member);
      const broughtAmount = GAME_CODES.reduce(
        (total, code) => total + GAME_BALANCES_BAHT[code] - remainingInGames[code],
        0,
      );
      if (isPaid) assert.equal(broughtAmount, amount - 100, caseSummary);
      else assert.ok(broughtAmount <= reachableAmount, caseSummary);
      assert.equal(await freeOf(member), 100 + broughtAmount - (isPaid ? amount : 0), caseSummary);
      for (const code of GAME_CODES)
        if (modesByGame[code] !== 'works') assert.equal(remainingInGames[code], GAME_BALANCES_BAHT[code], caseSummary);
    }
    await waitForNoOpenWithdrawals(system);
    assert.deepEqual(
      (await audit(system.database)).filter(({ violations }) => violations !== 0),
      [],
    );
  });

  test('a sweep takes the missing amount or everything, never more than a game has, from as few games as possible', () => {
    const arbitraryGames = fc
      .array(fc.record({ amount: fc.bigInt(0n, 100_000n), canMoveOut: fc.boolean() }), { maxLength: 8 })
      .map((games) => games.map((game, index) => ({ ...game, game: { code: `g${index}` } }) as unknown as GameBalance));
    fc.assert(
      fc.property(arbitraryGames, fc.bigInt(1n, 300_000n), (games, missingAmount) => {
        const plannedMoves = planRound(games, minor(missingAmount));
        const amountOf = (code: string) => games.find(({ game }) => game.code === code)?.amount ?? 0n;
        const total = games.reduce((total, { amount }) => total + amount, 0n);
        const plannedAmount = plannedMoves.reduce((total, { amount }) => total + amount, 0n);
        assert.equal(plannedAmount, total < missingAmount ? total : missingAmount, toDecimal(minor(plannedAmount)));
        for (const { code, amount } of plannedMoves) assert.ok(amount > 0n && amount <= amountOf(code));
        const movableAmounts = games.filter(({ canMoveOut }) => canMoveOut).map(({ amount }) => amount);
        const largestFirst = movableAmounts.toSorted((a, b) => (a < b ? 1 : -1));
        let leastCount = 0;
        for (let total = 0n; total < missingAmount && leastCount < largestFirst.length; leastCount += 1)
          total += largestFirst[leastCount] ?? 0n;
        const isEnough = movableAmounts.reduce((total, amount) => total + amount, 0n) >= missingAmount;
        if (isEnough) assert.equal(plannedMoves.length, leastCount);
      }),
    );
  });
});
