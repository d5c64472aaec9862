import { strict as assert } from 'node:assert';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import {
  assertBooksAgree,
  behave,
  creditOf,
  type GameCode,
  maintain,
  misbehave,
  multiplierOf,
  openGame,
  providerOf,
  providersWithin,
  settled,
  transfer,
} from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../harness/money.ts';
import { callNamesOf } from '../harness/provider-calls.ts';
import { assertRefused } from '../harness/refused.ts';
import { startSystem, type System } from '../harness/system.ts';
import { assertPaidOnce, nothingOpen, payoutsTake, receivedBy, rowsOf, withdrawAll } from './payout-fixtures.ts';

/** Long: unless hanging on purpose, a provider must reply in time on a busy machine. */
const PROVIDER_TIMEOUT_MS = 2_500;
const GAMES: readonly GameCode[] = ['pg', 'askmebet', 'huayhd', 'imi', 'naga', 'royal', 'joker2', 'canal'];
const HANGS = 'imi';
const CLOSED = 'naga';
const BETS_OPEN = 'huayhd';
const IN_EACH = 100;
/** Sum of five games and the wallet. */
const CAME = '550.00';

type Gamer = TestMember & { players: Record<GameCode, string> };

describe('withdrawing money from many games, some of them down', () => {
  let system: System;
  let ledger: Ledger;
  before(async () => {
    system = await startSystem({ outside: providersWithin(PROVIDER_TIMEOUT_MS) });
    ledger = ledgerOf(system);
    await payoutsTake(system, 50);
  });
  afterEach(async () => {
    await behave(system);
    await maintain(system, CLOSED, false);
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  /** 50 baht in the wallet, 100 in each game. */
  async function gamer(): Promise<Gamer> {
    const member = await registerMember(system);
    const players: Record<GameCode, string> = {};
    await fund(ledger, member.id, (50 + GAMES.length * IN_EACH).toFixed(2));
    for (const code of GAMES) {
      players[code] = (await openGame(system, member.token, code)).username;
      const moved = await transfer(system, member.token, { from: 'WALLET', to: code, amount: IN_EACH });
      assert.equal(moved.status, 200, JSON.stringify(moved.body));
    }
    return { ...member, players };
  }

  /** One provider does not reply, one is in maintenance, one has an open bet. @returns ends these faults */
  async function goDown({ players }: Gamer): Promise<() => Promise<void>> {
    await misbehave(system, HANGS, { fault: 'timeout-lost', call: callNamesOf(HANGS).balance, times: 20 });
    await maintain(system, CLOSED, true);
    const params = { provider: providerOf(BETS_OPEN), username: players[BETS_OPEN] ?? '' };
    const bet = await system.world('POST /games/{provider}/players/{username}/play', {
      params,
      body: { stake: '30.00', open: true },
    });
    assert.equal(bet.status, 200, JSON.stringify(bet.body));
    return async () => {
      await behave(system);
      await maintain(system, CLOSED, false);
      const over = await system.world('POST /games/{provider}/players/{username}/settle', {
        params,
        body: { roundId: bet.body.roundId, win: '30.00' },
      });
      assert.equal(over.status, 200, JSON.stringify(over.body));
    };
  }
  const free = async ({ id }: TestMember) => (await balanceOf(ledger, id, 'WALLET')).free;
  const WHY = [
    { slotCode: BETS_OPEN, reason: 'OPEN_BETS' },
    { slotCode: HANGS, reason: 'PROVIDER_UNAVAILABLE' },
    { slotCode: CLOSED, reason: 'PROVIDER_MAINTENANCE' },
  ];
  const notBroughtOf = async ({ id }: TestMember): Promise<typeof WHY> => {
    const { rows } = await system.database.query<{ list: typeof WHY }>(
      'select not_brought as list from withdraw where member_id = $1',
      [id],
    );
    return rows[0]?.list ?? [];
  };
  const bySlot = (list: typeof WHY) => list.toSorted((one, other) => one.slotCode.localeCompare(other.slotCode));

  test('games that are down stay untouched when the others have enough [R-WDR-02]', async () => {
    const member = await gamer();
    const comeBack = await goDown(member);
    const reply = await withdrawAll(system, member, 500, 'three-stay-behind');
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual(reply.body.notBrought, []);
    assert.deepEqual((await withdrawAll(system, member, 500, 'three-stay-behind')).body, reply.body);
    await comeBack();
    await nothingOpen(system);
    assert.equal(await receivedBy(system, member), '500.00');
    assert.equal(await free(member), '0.00');
    for (const { slotCode } of WHY) {
      const there = (IN_EACH * Number(multiplierOf(slotCode))).toFixed(2);
      assert.equal(await creditOf(system, slotCode, member.players[slotCode] ?? ''), there, slotCode);
    }
    await system.api('GET /api/wallet/refresh/slot', { token: member.token });
    await assertBooksAgree(system, ledger, member.id, member.players);
  });

  test('when it is too little nothing is paid, each unswept game has a reason, and the next command sweeps the rest [R-WDR-02]', async () => {
    const member = await gamer();
    const comeBack = await goDown(member);
    const ask = () => withdrawAll(system, member, 700, 'too-little-came');
    assertRefused(await ask(), 'TRANSFER_FAIL', 'GAMES_NOT_BROUGHT');
    assert.equal(await free(member), CAME);
    assert.deepEqual(bySlot(await notBroughtOf(member)), bySlot(WHY));
    await comeBack();
    assertRefused(await ask(), 'TRANSFER_FAIL', 'GAMES_NOT_BROUGHT');
    assert.equal(await free(member), CAME, 'the same command does nothing more');
    const states = (await rowsOf(system, member.id)).map(({ state, isHeld }) => [state, isHeld]);
    assert.deepEqual(states, [['FAILED', false]]);
    const next = await withdrawAll(system, member, 700, 'all-are-back');
    assert.deepEqual([next.status, next.body.notBrought], [200, []], JSON.stringify(next.body));
    await nothingOpen(system);
    assert.equal(await receivedBy(system, member), '700.00');
    assert.equal(await free(member), '0.00');
    await assertBooksAgree(system, ledger, member.id, member.players);
  });

  test('a provider without a reply is reported as such, and its money arrives automatically, once [R-WDR-02] [R-XFER-04]', async () => {
    const member = await gamer();
    const { out, balance } = callNamesOf(HANGS);
    // Its balance is read four times before the money leaves. Another reply might prove the transfer too early.
    await misbehave(system, HANGS, { fault: 'slow', call: balance, delayMs: 1, times: 4 });
    await misbehave(system, HANGS, { fault: 'error-500', call: balance, times: 500 });
    await misbehave(system, HANGS, { fault: 'timeout-applied', call: out });
    await maintain(system, CLOSED, true);
    const reply = await withdrawAll(system, member, 650, 'one-does-not-tell');
    await behave(system);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual(reply.body.notBrought, [{ slotCode: HANGS, reason: 'PROCESSING' }]);
    await settled(system);
    await nothingOpen(system);
    assert.equal(await receivedBy(system, member), '650.00');
    assert.equal(await free(member), '100.00');
    await maintain(system, CLOSED, false);
    await assertBooksAgree(system, ledger, member.id, member.players);
  });

  test('after all that the bank has paid what the books say, once [R-WDR-02]', () => assertPaidOnce(system));
});
