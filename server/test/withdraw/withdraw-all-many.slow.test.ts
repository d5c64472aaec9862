import { strict as assert } from 'node:assert';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import {
  assertBooksAgree,
  clearProviderFaults,
  readProviderCredit,
  type GameCode,
  setProviderMaintenance,
  failProvider,
  multiplierOf,
  openGame,
  providerOf,
  outsideWithProviderTimeout,
  untilSettled,
  transfer,
} from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../harness/money.ts';
import { providerCallNames } from '../harness/provider-calls.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  assertPaidOnce,
  waitForNoOpenWithdrawals,
  setPayoutDelay,
  readReceivedAmount,
  readWithdrawalRows,
  withdrawAll,
} from './payout-fixtures.ts';

/** Long: unless hanging on purpose, a provider must reply in time on a busy machine. */
const PROVIDER_TIMEOUT_MS = 2_500;
const GAME_CODES: readonly GameCode[] = ['pg', 'askmebet', 'huayhd', 'imi', 'naga', 'royal', 'joker2', 'canal'];
const SILENT_GAME = 'imi';
const CLOSED_GAME = 'naga';
const BETS_GAME = 'huayhd';
const GAME_BAHT = 100;
/** Sum of five games and the wallet. */
const BROUGHT_BAHT = '550.00';

type MemberWithGames = TestMember & { players: Record<GameCode, string> };

/** Reasons why games are left out. */
const EXPECTED_REASONS = [
  { slotCode: BETS_GAME, reason: 'OPEN_BETS' },
  { slotCode: SILENT_GAME, reason: 'PROVIDER_UNAVAILABLE' },
  { slotCode: CLOSED_GAME, reason: 'PROVIDER_MAINTENANCE' },
];
const sortBySlot = (reasons: typeof EXPECTED_REASONS) =>
  reasons.toSorted((a, b) => a.slotCode.localeCompare(b.slotCode));

describe('withdrawing money from many games, some of them down', () => {
  let system: System;
  let ledger: Ledger;
  before(async () => {
    system = await startSystem({ outside: outsideWithProviderTimeout(PROVIDER_TIMEOUT_MS) });
    ledger = createTestLedger(system);
    await setPayoutDelay(system, 50);
  });
  afterEach(async () => {
    await clearProviderFaults(system);
    await setProviderMaintenance(system, CLOSED_GAME, false);
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  /** 50 baht in the wallet, 100 in each game. */
  async function newMemberWithGames(): Promise<MemberWithGames> {
    const member = await registerMember(system);
    const players: Record<GameCode, string> = {};
    await fundWallet(ledger, member.id, (50 + GAME_CODES.length * GAME_BAHT).toFixed(2));
    for (const code of GAME_CODES) {
      players[code] = (await openGame(system, member.token, code)).username;
      const transferReply = await transfer(system, member.token, {
        from: 'WALLET',
        to: code,
        amount: GAME_BAHT,
      });
      assert.equal(transferReply.status, 200, JSON.stringify(transferReply.body));
    }
    return { ...member, players };
  }

  /** One provider does not reply, one is in maintenance, one has an open bet. @returns ends these faults */
  async function closeProviders({ players }: MemberWithGames): Promise<() => Promise<void>> {
    await failProvider(system, SILENT_GAME, {
      fault: 'timeout-lost',
      call: providerCallNames(SILENT_GAME).balance,
      times: 20,
    });
    await setProviderMaintenance(system, CLOSED_GAME, true);
    const params = { provider: providerOf(BETS_GAME), username: players[BETS_GAME] ?? '' };
    const betReply = await system.simulatorsApi('POST /games/{provider}/players/{username}/play', {
      params,
      body: { stake: '30.00', open: true },
    });
    assert.equal(betReply.status, 200, JSON.stringify(betReply.body));
    return async () => {
      await clearProviderFaults(system);
      await setProviderMaintenance(system, CLOSED_GAME, false);
      const settleReply = await system.simulatorsApi('POST /games/{provider}/players/{username}/settle', {
        params,
        body: { roundId: betReply.body.roundId, win: '30.00' },
      });
      assert.equal(settleReply.status, 200, JSON.stringify(settleReply.body));
    };
  }
  const readFree = async ({ id }: TestMember) => (await readBalance(ledger, id, 'WALLET')).free;
  const readNotBrought = async ({ id }: TestMember): Promise<typeof EXPECTED_REASONS> => {
    const { rows } = await system.database.query<{ list: typeof EXPECTED_REASONS }>(
      'select not_brought as list from withdraw where member_id = $1',
      [id],
    );
    return rows[0]?.list ?? [];
  };

  test('games that are down are not swept when others have enough [R-WDR-02]', async () => {
    const member = await newMemberWithGames();
    const reopenProviders = await closeProviders(member);
    const reply = await withdrawAll(system, member, 500, 'three-stay-behind');
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual(reply.body.notBrought, []);
    assert.deepEqual((await withdrawAll(system, member, 500, 'three-stay-behind')).body, reply.body);
    await reopenProviders();
    await waitForNoOpenWithdrawals(system);
    assert.equal(await readReceivedAmount(system, member), '500.00');
    assert.equal(await readFree(member), '0.00');
    for (const { slotCode } of EXPECTED_REASONS) {
      const credit = (GAME_BAHT * Number(multiplierOf(slotCode))).toFixed(2);
      assert.equal(await readProviderCredit(system, slotCode, member.players[slotCode] ?? ''), credit, slotCode);
    }
    await system.api('GET /api/wallet/refresh/slot', { token: member.token });
    await assertBooksAgree(system, ledger, member.id, member.players);
  });

  test('if the games have too little nothing is paid, each unswept game has a reason, and the next command sweeps the rest [R-WDR-02]', async () => {
    const member = await newMemberWithGames();
    const comeBack = await closeProviders(member);
    const sendRequest = () => withdrawAll(system, member, 700, 'too-little-came');
    assertRefused(await sendRequest(), 'TRANSFER_FAIL', 'GAMES_NOT_BROUGHT');
    assert.equal(await readFree(member), BROUGHT_BAHT);
    assert.deepEqual(sortBySlot(await readNotBrought(member)), sortBySlot(EXPECTED_REASONS));
    await comeBack();
    assertRefused(await sendRequest(), 'TRANSFER_FAIL', 'GAMES_NOT_BROUGHT');
    assert.equal(await readFree(member), BROUGHT_BAHT, 'the same command does nothing more');
    const states = (await readWithdrawalRows(system, member.id)).map(({ state, isHeld }) => [state, isHeld]);
    assert.deepEqual(states, [['FAILED', false]]);
    const nextReply = await withdrawAll(system, member, 700, 'all-are-back');
    assert.deepEqual([nextReply.status, nextReply.body.notBrought], [200, []], JSON.stringify(nextReply.body));
    await waitForNoOpenWithdrawals(system);
    assert.equal(await readReceivedAmount(system, member), '700.00');
    assert.equal(await readFree(member), '0.00');
    await assertBooksAgree(system, ledger, member.id, member.players);
  });

  test('a silent provider is reported as such, and its money arrives automatically, once [R-WDR-02] [R-XFER-04]', async () => {
    const member = await newMemberWithGames();
    const { out: transferOut, balance } = providerCallNames(SILENT_GAME);
    // Its balance is read four times before the money leaves. Another reply might prove the transfer too early.
    await failProvider(system, SILENT_GAME, { fault: 'slow', call: balance, delayMs: 1, times: 4 });
    await failProvider(system, SILENT_GAME, { fault: 'error-500', call: balance, times: 500 });
    await failProvider(system, SILENT_GAME, { fault: 'timeout-applied', call: transferOut });
    await setProviderMaintenance(system, CLOSED_GAME, true);
    const reply = await withdrawAll(system, member, 650, 'one-does-not-tell');
    await clearProviderFaults(system);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual(reply.body.notBrought, [{ slotCode: SILENT_GAME, reason: 'PROCESSING' }]);
    await untilSettled(system);
    await waitForNoOpenWithdrawals(system);
    assert.equal(await readReceivedAmount(system, member), '650.00');
    assert.equal(await readFree(member), '100.00');
    await setProviderMaintenance(system, CLOSED_GAME, false);
    await assertBooksAgree(system, ledger, member.id, member.players);
  });

  test('after sweeps of many games the bank has paid each amount in the books once [R-WDR-02]', () =>
    assertPaidOnce(system));
});
