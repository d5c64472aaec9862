import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import type { Outside } from '../../src/outside-config.ts';
import {
  assertBooksAgree,
  clearProviderFaults,
  countProviderCalls,
  providerCallLog,
  failProvider,
  openGame,
  playRound,
  untilSettled,
  transfer,
} from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { fundWallet, createTestLedger } from '../harness/money.ts';
import { closeWallet } from '../harness/operator.ts';
import { FAULTY_TIMEOUT_MS } from '../harness/provider-calls.ts';
import { startSystem, type System } from '../harness/system.ts';

/** Delay of a slow provider that replies in time. */
const SLOW_MS = 1_000;

type Slot = { code: string; amount: number; isStale: boolean };

let system: System;
let ledger: Ledger;
let member: TestMember;
let pg: string;
let askmebetUsername: string;
before(async () => {
  system = await startSystem({ outside: withShortTimeout });
  ledger = createTestLedger(system);
  member = await registerMember(system);
  pg = (await openGame(system, member.token, 'pg')).username;
  askmebetUsername = (await openGame(system, member.token, 'askmebet')).username;
  await fundWallet(ledger, member.id, '300.00');
  await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 100 });
  await transfer(system, member.token, { from: 'WALLET', to: 'askmebet', amount: 100 });
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

const refreshSlots = async (): Promise<Slot[]> => {
  const reply = await system.api('GET /api/wallet/refresh/slot', { token: member.token });
  assert.equal(reply.status, 200);
  return reply.body.slots.map(({ code, amount, isStale }: Slot) => ({ code, amount, isStale }));
};
const inWallet = async (): Promise<Slot[]> => {
  const { slots } = (await system.api('GET /api/wallet', { token: member.token })).body;
  const activeSlots = slots.filter(({ isActive }: { isActive: boolean }) => isActive);
  return activeSlots.map(({ code, amount, isStale }: Slot) => ({ code, amount, isStale }));
};
const freshSlot = (code: string, amount: number): Slot => ({ code, amount, isStale: false });
const assertAgreement = () => assertBooksAgree(system, ledger, member.id, { pg, askmebet: askmebetUsername });

describe('refreshing game accounts', () => {
  test('a refresh updates amounts and ledger with wins and losses, in baht [R-GAME-08]', async () => {
    await playRound(system, 'pg', pg, '30.00', '0');
    await playRound(system, 'askmebet', askmebetUsername, '100.00', '355.00');
    assert.deepEqual(await inWallet(), [freshSlot('pg', 100), freshSlot('askmebet', 100)], 'not before a refresh');
    assert.deepEqual(await refreshSlots(), [freshSlot('pg', 70), freshSlot('askmebet', 125.5)]);
    assert.deepEqual(await inWallet(), [freshSlot('pg', 70), freshSlot('askmebet', 125.5)]);
    await assertAgreement();
    const events = await ledger.eventsSince(member.id, 0n);
    assert.deepEqual(
      events.slice(-2).map(({ kind, state }) => [kind, state]),
      [
        ['play', 'SUCCESS'],
        ['play', 'SUCCESS'],
      ],
    );
  });

  test('provider credits below one satang are rounded down, and the rest is not credited [R-GAME-08]', async () => {
    await playRound(system, 'askmebet', askmebetUsername, '0.07', '0');
    const slots = await refreshSlots();
    assert.deepEqual(slots, [freshSlot('pg', 70), freshSlot('askmebet', 125.49)]);
    assert.deepEqual(await refreshSlots(), slots);
    const transferHomeReply = await transfer(system, member.token, {
      from: 'askmebet',
      to: 'WALLET',
      amount: 125.49,
    });
    assert.equal(transferHomeReply.status, 200);
    const repeatedReply = await transfer(system, member.token, { from: 'askmebet', to: 'WALLET', amount: 1 });
    assert.equal(repeatedReply.body.message, 'MONEY_NOT_ENOUGH');
    await playRound(system, 'askmebet', askmebetUsername, '0.03', '0');
    await refreshSlots();
    await assertAgreement();
  });

  test('a refresh without changes writes nothing', async () => {
    const before = await ledger.lastEvent(member.id);
    await refreshSlots();
    assert.equal(await ledger.lastEvent(member.id), before);
  });

  test('a silent provider keeps its last amount, marked stale, while the others are inquired concurrently [R-GAME-02]', async () => {
    await playRound(system, 'pg', pg, '10.00', '0');
    await failProvider(system, 'pg', { fault: 'timeout-lost', call: 'GetPlayerWallet' });
    await failProvider(system, 'askmebet', { fault: 'slow', call: 'credit', delayMs: SLOW_MS });
    assert.deepEqual(await refreshSlots(), [{ code: 'pg', amount: 70, isStale: true }, freshSlot('askmebet', 0)]);
    const expectedHoldMs = { pg: FAULTY_TIMEOUT_MS, askmebet: SLOW_MS };
    const readCallTime = async (code: 'pg' | 'askmebet', callName: string) => {
      const [newestCall] = await providerCallLog(system, code, callName);
      return { at: Date.parse(newestCall?.at ?? ''), heldFor: expectedHoldMs[code] };
    };
    const [first, second] = [
      await readCallTime('pg', 'GetPlayerWallet'),
      await readCallTime('askmebet', 'credit'),
    ].toSorted((a, b) => a.at - b.at);
    assert.ok(first && second && second.at < first.at + first.heldFor, 'while the other still waited for its answer');
    assert.deepEqual(await inWallet(), [{ code: 'pg', amount: 70, isStale: true }, freshSlot('askmebet', 0)]);
    assert.deepEqual(await refreshSlots(), [freshSlot('pg', 60), freshSlot('askmebet', 0)]);
    await assertAgreement();
  });

  test("a balance in a transfer's reply makes an amount current, one determined later does not [R-GAME-08] [R-XFER-04]", async () => {
    const transferIn = () => transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 5 });
    const readPgSlot = async () => (await inWallet())[0];
    await failProvider(system, 'pg', { fault: 'error-500', call: 'GetPlayerWallet', times: 2 });
    await refreshSlots();
    assert.equal((await transferIn()).status, 200);
    assert.deepEqual(await readPgSlot(), freshSlot('pg', 65));
    await refreshSlots();
    await failProvider(system, 'pg', { fault: 'timeout-applied', call: 'TransferIn' });
    // An immediate inquiry would be answered before the member's reply.
    await failProvider(system, 'pg', { fault: 'error-500', call: 'GetSingleTransaction', times: 500 });
    assert.equal((await transferIn()).status, 202);
    await clearProviderFaults(system, 'pg');
    await untilSettled(system);
    assert.deepEqual(await readPgSlot(), { code: 'pg', amount: 70, isStale: true });
    await playRound(system, 'pg', pg, '10.00', '0');
    assert.deepEqual((await refreshSlots())[0], freshSlot('pg', 60));
    await assertAgreement();
  });

  test('a refresh never reads an account with a pending transfer [R-GAME-08]', async () => {
    await failProvider(system, 'pg', { fault: 'timeout-applied', call: 'TransferIn' });
    // Its outcome is unknown until the provider recovers.
    await failProvider(system, 'pg', { fault: 'error-500', call: 'GetSingleTransaction', times: 500 });
    const transferReply = await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 40 });
    assert.equal(transferReply.status, 202);
    const walletCalls = await countProviderCalls(system, 'pg', 'GetPlayerWallet');
    const lastEvent = await ledger.lastEvent(member.id);
    assert.deepEqual((await refreshSlots())[0], { code: 'pg', amount: 60, isStale: true });
    assert.equal(
      await countProviderCalls(system, 'pg', 'GetPlayerWallet'),
      walletCalls,
      'the provider is not even asked',
    );
    assert.equal(await ledger.lastEvent(member.id), lastEvent, 'what came by the transfer is no play');
    await clearProviderFaults(system, 'pg');
    await system.database.query('update transfer_leg set next_inquiry_at = now()');
    await untilSettled(system);
    assert.deepEqual((await refreshSlots())[0], freshSlot('pg', 100));
    await assertAgreement();
  });

  test('concurrent refreshes and transfers leave the ledger equal to the provider [R-GAME-08] [R-XFER-04]', async () => {
    for (let round = 0; round < 8; round += 1) {
      await failProvider(system, 'pg', { fault: 'slow', call: 'GetPlayerWallet', delayMs: 30 });
      await Promise.all([
        refreshSlots(),
        transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 3 }),
        playRound(system, 'pg', pg, '1.00', '1.50'),
        refreshSlots(),
        transfer(system, member.token, { from: 'pg', to: 'WALLET', amount: 2 }),
      ]);
    }
    await untilSettled(system);
    await refreshSlots();
    await assertAgreement();
  });

  test('a refresh by a member with a closed wallet is refused with NO_WALLET [R-GAME-02]', async () => {
    await closeWallet(system, member);
    for (const path of ['/api/wallet', '/api/wallet/refresh/slot']) {
      const reply = await system.api(`GET ${path}`, { token: member.token });
      assert.deepEqual([reply.status, reply.body.message], [404, 'NO_WALLET']);
    }
    await system.database.query('delete from wallet_suspension');
  });
});

/** Short timeout for the silent provider; the other has time, on a busy machine too. */
function withShortTimeout({ games, ...rest }: Outside): Outside {
  const { pg, ...others } = games;
  return { ...rest, games: { ...others, ...(pg && { pg: { ...pg, timeoutMs: FAULTY_TIMEOUT_MS } }) } };
}
