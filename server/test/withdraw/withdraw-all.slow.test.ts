import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import {
  assertBooksAgree,
  clearProviderFaults,
  countProviderCalls,
  readProviderCredit,
  waitUntilResult,
  failProvider,
  openGame,
  playRound,
  outsideWithProviderTimeout,
  untilSettled,
  transfer,
} from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../harness/money.ts';
import { FAULTY_TIMEOUT_MS } from '../harness/provider-calls.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  assertPaidOnce,
  waitForNoOpenWithdrawals,
  setPayoutDelay,
  readReceivedAmount,
  readWithdrawalRows,
  withdrawAll,
} from './payout-fixtures.ts';

type GamesMember = TestMember & { pg: string; askmebet: string };

describe('withdrawing money from games', () => {
  let system: System;
  let ledger: Ledger;
  before(async () => {
    system = await startSystem({ outside: outsideWithProviderTimeout(FAULTY_TIMEOUT_MS) });
    ledger = createTestLedger(system);
    await setPayoutDelay(system, 50);
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  /** A member with these amounts in the wallet and in each game. */
  async function newMember(inWallet: string, inPg: number, inAskmebet: number): Promise<GamesMember> {
    const member = await registerMember(system);
    const pg = (await openGame(system, member.token, 'pg')).username;
    const askmebet = (await openGame(system, member.token, 'askmebet')).username;
    await fundWallet(ledger, member.id, (Number(inWallet) + inPg + inAskmebet).toFixed(2));
    for (const [to, amount] of Object.entries({ pg: inPg, askmebet: inAskmebet })) {
      const reply = await transfer(system, member.token, { from: 'WALLET', to, amount });
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
    }
    return { ...member, pg, askmebet };
  }
  const readFree = async ({ id }: TestMember) => (await readBalance(ledger, id, 'WALLET')).free;

  test('everything is swept when everything is needed, winnings and satang included, and then the amount is paid [R-WDR-02]', async () => {
    const member = await newMember('50.00', 100, 200);
    await playRound(system, 'pg', member.pg, '10.00', '25.75');
    const reply = await withdrawAll(system, member, 365.75);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual([reply.body.amount, reply.body.notBrought], [365.75, []]);
    await waitForNoOpenWithdrawals(system);
    assert.equal(await readReceivedAmount(system, member), '365.75');
    assert.equal(await readFree(member), '0.00');
    assert.equal(await readProviderCredit(system, 'pg', member.pg), '0.00');
    assert.equal(await readProviderCredit(system, 'askmebet', member.askmebet), '0.00');
    await assertBooksAgree(system, ledger, member.id, member);
  });

  test('an unreachable game is not swept when others have enough, and the amount is paid [R-WDR-02]', async () => {
    const member = await newMember('50.00', 100, 200);
    await failProvider(system, 'askmebet', { fault: 'error-500', call: 'credit', times: 50 });
    const reply = await withdrawAll(system, member, 150, 'one-game-stays');
    await clearProviderFaults(system);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual(reply.body.notBrought, []);
    assert.deepEqual((await withdrawAll(system, member, 150, 'one-game-stays')).body, reply.body);
    await waitForNoOpenWithdrawals(system);
    assert.equal(await readFree(member), '0.00');
    assert.equal(await readProviderCredit(system, 'askmebet', member.askmebet), '2000.00');
  });

  test('when a needed game is unreachable nothing is paid, and swept money stays in the wallet [R-WDR-02] [R-NET-06]', async () => {
    const member = await newMember('50.00', 100, 200);
    await failProvider(system, 'askmebet', { fault: 'error-500', call: 'credit', times: 50 });
    assertRefused(await withdrawAll(system, member, 300, 'not-enough-came'), 'TRANSFER_FAIL', 'GAMES_NOT_BROUGHT');
    await clearProviderFaults(system);
    assertRefused(await withdrawAll(system, member, 300, 'not-enough-came'), 'TRANSFER_FAIL', 'GAMES_NOT_BROUGHT');
    assert.equal(await readFree(member), '150.00');
    assert.deepEqual(
      (await readWithdrawalRows(system, member.id)).map(({ state, isHeld }) => [state, isHeld]),
      [['FAILED', false]],
    );
    assert.equal((await withdrawAll(system, member, 300)).status, 200, 'another command may try again');
    await waitForNoOpenWithdrawals(system);
    assert.equal(await readReceivedAmount(system, member), '300.00');
  });

  test('a refusing provider and a silent one are distinguished, and no money is lost [R-WDR-02]', async () => {
    const member = await newMember('50.00', 300, 200);
    await openGame(system, member.token, 'joker2');
    await fundWallet(ledger, member.id, '100.00');
    assert.equal((await transfer(system, member.token, { from: 'WALLET', to: 'joker2', amount: 100 })).status, 200);
    const withdrawCalls = await countProviderCalls(system, 'askmebet', 'withdraw');
    await failProvider(system, 'pg', { fault: 'decline', call: 'TransferOut' });
    await failProvider(system, 'askmebet', { fault: 'timeout-applied', call: 'withdraw' });
    const pendingReply = withdrawAll(system, member, 150);
    // Its balance is read before the money leaves; read afterwards, it would prove the transfer too early.
    const countWithdrawCalls = () => countProviderCalls(system, 'askmebet', 'withdraw');
    await waitUntilResult('withdrawals that the game got', countWithdrawCalls, (count) => count > withdrawCalls);
    await failProvider(system, 'askmebet', { fault: 'error-500', call: 'credit', times: 500 });
    const reply = await pendingReply;
    await clearProviderFaults(system);
    assert.deepEqual(reply.body.notBrought, [
      { slotCode: 'pg', reason: 'TRANSFER_FAIL' },
      { slotCode: 'askmebet', reason: 'PROCESSING' },
    ]);
    await untilSettled(system);
    await waitForNoOpenWithdrawals(system);
    assert.equal(await readFree(member), '100.00', 'what the silent one did came later');
    await assertBooksAgree(system, ledger, member.id, member);
  });

  test('more than wallet and games together is MONEY_NOT_ENOUGH, and no game is swept [R-WDR-02] [R-NET-06]', async () => {
    const member = await newMember('50.00', 100, 100);
    assertRefused(await withdrawAll(system, member, 250.01), 'MONEY_NOT_ENOUGH');
    assert.equal(await readFree(member), '50.00');
    await assertBooksAgree(system, ledger, member.id, member);
  });

  test('a transfer that waits for an operator locks the money of its game only [R-WDR-02]', async () => {
    const member = await newMember('200.00', 100, 100);
    await failProvider(system, 'pg', { fault: 'timeout-lost', call: 'TransferOut' });
    await failProvider(system, 'pg', { fault: 'error-500', call: 'GetSingleTransaction', times: 50 });
    const { reference } = (await transfer(system, member.token, { from: 'pg', to: 'WALLET', amount: 10 })).body;
    await system.database.query(`update transfer_leg set state = 'MANUAL' where provider_reference = $1`, [
      `${reference}-1`,
    ]);
    await clearProviderFaults(system);
    const reply = await withdrawAll(system, member, 300);
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    assert.deepEqual(reply.body.notBrought, []);
    await waitForNoOpenWithdrawals(system);
    assertRefused(await withdrawAll(system, member, 100), 'TRANSFER_FAIL', 'GAMES_NOT_BROUGHT');
    await system.database.query(
      `update transfer_leg set proof = 'REFUSED', next_inquiry_at = now() where provider_reference = $1`,
      [`${reference}-1`],
    );
    await untilSettled(system);
  });

  test('after withdrawals from games every audit finds nothing, and the bank has paid each amount once [R-WDR-02]', async () => {
    await waitForNoOpenWithdrawals(system);
    await assertPaidOnce(system);
  });
});
