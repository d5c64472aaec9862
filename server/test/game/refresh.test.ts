import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import type { Outside } from '../../src/outside-config.ts';
import {
  assertBooksAgree,
  behave,
  callsOf,
  callsTo,
  misbehave,
  openGame,
  play,
  settled,
  transfer,
} from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { fund, ledgerOf } from '../harness/money.ts';
import { FAULTY_TIMEOUT_MS } from '../harness/provider-calls.ts';
import { startSystem, type System } from '../harness/system.ts';
import { closeWallet } from '../harness/operator.ts';

/** Delay of a slow provider that replies in time. */
const SLOW_MS = 1_000;

type Slot = { code: string; amount: number; isStale: boolean };

let system: System;
let ledger: Ledger;
let member: TestMember;
let pg: string;
let askmebet: string;
before(async () => {
  system = await startSystem({ outside: impatient });
  ledger = ledgerOf(system);
  member = await registerMember(system);
  pg = (await openGame(system, member.token, 'pg')).username;
  askmebet = (await openGame(system, member.token, 'askmebet')).username;
  await fund(ledger, member.id, '300.00');
  await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 100 });
  await transfer(system, member.token, { from: 'WALLET', to: 'askmebet', amount: 100 });
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

const refresh = async (): Promise<Slot[]> => {
  const reply = await system.api('GET /api/wallet/refresh/slot', { token: member.token });
  assert.equal(reply.status, 200);
  return reply.body.slots.map(({ code, amount, isStale }: Slot) => ({ code, amount, isStale }));
};
const inWallet = async (): Promise<Slot[]> => {
  const { slots } = (await system.api('GET /api/wallet', { token: member.token })).body;
  const own = slots.filter(({ isActive }: { isActive: boolean }) => isActive);
  return own.map(({ code, amount, isStale }: Slot) => ({ code, amount, isStale }));
};
const fresh = (code: string, amount: number): Slot => ({ code, amount, isStale: false });
const agree = () => assertBooksAgree(system, ledger, member.id, { pg, askmebet });

describe('refreshing game accounts', () => {
  test('wins and losses show in the amounts, in baht, and in the ledger [R-GAME-08]', async () => {
    await play(system, 'pg', pg, '30.00', '0');
    await play(system, 'askmebet', askmebet, '100.00', '355.00');
    assert.deepEqual(await inWallet(), [fresh('pg', 100), fresh('askmebet', 100)], 'not before a refresh');
    assert.deepEqual(await refresh(), [fresh('pg', 70), fresh('askmebet', 125.5)]);
    assert.deepEqual(await inWallet(), [fresh('pg', 70), fresh('askmebet', 125.5)]);
    await agree();
    const events = await ledger.eventsSince(member.id, 0n);
    assert.deepEqual(
      events.slice(-2).map(({ kind, state }) => [kind, state]),
      [
        ['play', 'SUCCESS'],
        ['play', 'SUCCESS'],
      ],
    );
  });

  test('credits that are no whole satang are rounded down, and nothing is made of the rest [R-GAME-08]', async () => {
    await play(system, 'askmebet', askmebet, '0.07', '0');
    const slots = await refresh();
    assert.deepEqual(slots, [fresh('pg', 70), fresh('askmebet', 125.49)]);
    assert.deepEqual(await refresh(), slots);
    const home = await transfer(system, member.token, { from: 'askmebet', to: 'WALLET', amount: 125.49 });
    assert.equal(home.status, 200);
    const more = await transfer(system, member.token, { from: 'askmebet', to: 'WALLET', amount: 1 });
    assert.equal(more.body.message, 'MONEY_NOT_ENOUGH');
    await play(system, 'askmebet', askmebet, '0.03', '0');
    await refresh();
    await agree();
  });

  test('a refresh that finds nothing new writes nothing', async () => {
    const before = await ledger.lastEvent(member.id);
    await refresh();
    assert.equal(await ledger.lastEvent(member.id), before);
  });

  test('a provider that does not answer keeps its last amount and is marked stale; the others are asked concurrently [R-GAME-02]', async () => {
    await play(system, 'pg', pg, '10.00', '0');
    await misbehave(system, 'pg', { fault: 'timeout-lost', call: 'GetPlayerWallet' });
    await misbehave(system, 'askmebet', { fault: 'slow', call: 'credit', delayMs: SLOW_MS });
    assert.deepEqual(await refresh(), [{ code: 'pg', amount: 70, isStale: true }, fresh('askmebet', 0)]);
    const heldFor = { pg: FAULTY_TIMEOUT_MS, askmebet: SLOW_MS };
    const cameAt = async (code: 'pg' | 'askmebet', call: string) => {
      const [newest] = await callsTo(system, code, call);
      return { at: Date.parse(newest?.at ?? ''), heldFor: heldFor[code] };
    };
    const [first, second] = [await cameAt('pg', 'GetPlayerWallet'), await cameAt('askmebet', 'credit')].toSorted(
      (one, other) => one.at - other.at,
    );
    assert.ok(first && second && second.at < first.at + first.heldFor, 'while the other still waited for its answer');
    assert.deepEqual(await inWallet(), [{ code: 'pg', amount: 70, isStale: true }, fresh('askmebet', 0)]);
    assert.deepEqual(await refresh(), [fresh('pg', 60), fresh('askmebet', 0)]);
    await agree();
  });

  test('the balance in a transfer’s reply makes an amount fresh, one that was found out later does not [R-GAME-08] [R-XFER-04]', async () => {
    const put = () => transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 5 });
    const pgSlot = async () => (await inWallet())[0];
    await misbehave(system, 'pg', { fault: 'error-500', call: 'GetPlayerWallet', times: 2 });
    await refresh();
    assert.equal((await put()).status, 200);
    assert.deepEqual(await pgSlot(), fresh('pg', 65));
    await refresh();
    await misbehave(system, 'pg', { fault: 'timeout-applied', call: 'TransferIn' });
    // An immediate inquiry would be answered before the member's reply.
    await misbehave(system, 'pg', { fault: 'error-500', call: 'GetSingleTransaction', times: 500 });
    assert.equal((await put()).status, 202);
    await behave(system, 'pg');
    await settled(system);
    assert.deepEqual(await pgSlot(), { code: 'pg', amount: 70, isStale: true });
    await play(system, 'pg', pg, '10.00', '0');
    assert.deepEqual((await refresh())[0], fresh('pg', 60));
    await agree();
  });

  test('a refresh never reads an account with a pending transfer [R-GAME-08]', async () => {
    await misbehave(system, 'pg', { fault: 'timeout-applied', call: 'TransferIn' });
    // Its outcome is unknown until the provider recovers.
    await misbehave(system, 'pg', { fault: 'error-500', call: 'GetSingleTransaction', times: 500 });
    const sent = await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 40 });
    assert.equal(sent.status, 202);
    const asked = await callsOf(system, 'pg', 'GetPlayerWallet');
    const written = await ledger.lastEvent(member.id);
    assert.deepEqual((await refresh())[0], { code: 'pg', amount: 60, isStale: true });
    assert.equal(await callsOf(system, 'pg', 'GetPlayerWallet'), asked, 'the provider is not even asked');
    assert.equal(await ledger.lastEvent(member.id), written, 'what came by the transfer is no play');
    await behave(system, 'pg');
    await system.database.query('update transfer_leg set next_ask_at = now()');
    await settled(system);
    assert.deepEqual((await refresh())[0], fresh('pg', 100));
    await agree();
  });

  test('refreshes and transfers at the same moment leave the ledger with what the provider has [R-GAME-08] [R-XFER-04]', async () => {
    for (let round = 0; round < 8; round += 1) {
      await misbehave(system, 'pg', { fault: 'slow', call: 'GetPlayerWallet', delayMs: 30 });
      await Promise.all([
        refresh(),
        transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 3 }),
        play(system, 'pg', pg, '1.00', '1.50'),
        refresh(),
        transfer(system, member.token, { from: 'pg', to: 'WALLET', amount: 2 }),
      ]);
    }
    await settled(system);
    await refresh();
    await agree();
  });

  test('a member with a closed wallet is refused with NO_WALLET [R-GAME-02]', async () => {
    await closeWallet(system, member);
    for (const path of ['/api/wallet', '/api/wallet/refresh/slot']) {
      const reply = await system.api(`GET ${path}`, { token: member.token });
      assert.deepEqual([reply.status, reply.body.message], [404, 'NO_WALLET']);
    }
    await system.database.query('delete from wallet_suspension');
  });
});

/** Short timeout for the silent provider; the other has time, on a busy machine too. */
function impatient({ games, ...rest }: Outside): Outside {
  const { pg, ...others } = games;
  return { ...rest, games: { ...others, ...(pg && { pg: { ...pg, timeoutMs: FAULTY_TIMEOUT_MS } }) } };
}
