import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../../src/ledger/index.ts';
import {
  assertBooksAgree,
  behave,
  creditOf,
  eventually,
  type GameCode,
  legStates,
  misbehave,
  openGame,
  play,
  providersWithin,
  settled,
  transfer,
} from '../../harness/games.ts';
import { registerMember } from '../../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../../harness/money.ts';
import { callNamesOf, everyProvider, FAULTY_TIMEOUT_MS } from '../../harness/provider-calls.ts';
import { startSystem, type System } from '../../harness/system.ts';

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem({ outside: providersWithin(FAULTY_TIMEOUT_MS) });
  ledger = ledgerOf(system);
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

const picture = async (token: string, code: GameCode) => {
  const { body } = await system.api('GET /api/wallet', { token });
  const slot = body.slots.find((one: { code: string }) => one.code === code);
  return { ...body.wallet, inGame: slot.amount, inProgress: slot.inProgress };
};
const statement = async (token: string) =>
  (await system.api('POST /api/statement', { token, body: {} })).body.statements as {
    reference: string;
    status: string;
    amount: number;
  }[];

describe('a provider that misbehaves', () => {
  test('while the outcome is unknown the money is held and shown as in progress [R-XFER-04]', async () => {
    const member = await registerMember(system);
    const { username } = await openGame(system, member.token, 'pg');
    await fund(ledger, member.id, '100.00');
    await misbehave(system, 'pg', { fault: 'timeout-lost', call: 'TransferIn' });
    // Until everything shown while it is pending has been checked.
    await misbehave(system, 'pg', { fault: 'error-500', call: 'GetSingleTransaction', times: 500 });
    const asked = { from: 'WALLET', to: 'pg', amount: 30, key: 'unknown-outcome-1' };
    const reply = await transfer(system, member.token, asked);
    assert.equal(reply.status, 202);
    assert.deepEqual(await picture(member.token, 'pg'), {
      amount: 70,
      inTransit: 30,
      inGame: 0,
      inProgress: reply.body.reference,
    });
    const [line] = await statement(member.token);
    assert.deepEqual([line?.status, line?.amount, line?.reference], ['PROCESSING', -30, reply.body.reference]);
    const again = await transfer(system, member.token, asked);
    assert.deepEqual([again.status, again.body], [202, reply.body], 'the same key, the same answer');
    const other = await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 5 });
    assert.deepEqual([other.status, other.body], [429, { message: 'REQUEST_LIMIT', detail: 'TRANSFER_IN_PROGRESS' }]);
    await behave(system, 'pg');
    await settled(system);
    const last = await transfer(system, member.token, asked);
    assert.deepEqual([last.status, last.body.message], [502, 'TRANSFER_FAIL'], 'now it is known');
    assert.equal(await creditOf(system, 'pg', username), '0.00');
    assert.equal((await picture(member.token, 'pg')).amount, 100);
  });

  test('from game to game: a refused second half leaves the money in the wallet [R-XFER-02]', async () => {
    const member = await registerMember(system);
    const pg = (await openGame(system, member.token, 'pg')).username;
    const askmebet = (await openGame(system, member.token, 'askmebet')).username;
    await fund(ledger, member.id, '50.00');
    await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 50 });
    await misbehave(system, 'askmebet', { fault: 'decline', call: 'deposit' });
    const reply = await transfer(system, member.token, { from: 'pg', to: 'askmebet', amount: 20 });
    assert.deepEqual([reply.status, reply.body], [502, { message: 'TRANSFER_FAIL', detail: 'RESTS_IN_WALLET' }]);
    assert.deepEqual(await picture(member.token, 'pg'), { amount: 20, inTransit: 0, inGame: 30, inProgress: null });
    await assertBooksAgree(system, ledger, member.id, { pg, askmebet });
  });

  test('from game to game: a first half that is proven late leaves the money in the wallet [R-XFER-04]', async () => {
    const member = await registerMember(system);
    const pg = (await openGame(system, member.token, 'pg')).username;
    const askmebet = (await openGame(system, member.token, 'askmebet')).username;
    await fund(ledger, member.id, '50.00');
    await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 50 });
    await misbehave(system, 'pg', { fault: 'timeout-applied', call: 'TransferOut' });
    // An immediate inquiry would be answered before the member's reply.
    await misbehave(system, 'pg', { fault: 'error-500', call: 'GetSingleTransaction', times: 500 });
    const asked = { from: 'pg', to: 'askmebet', amount: 20, key: 'late-first-half' };
    const reply = await transfer(system, member.token, asked);
    assert.equal(reply.status, 202);
    await behave(system, 'pg');
    await settled(system);
    const last = await transfer(system, member.token, asked);
    assert.deepEqual([last.status, last.body.detail], [502, 'RESTS_IN_WALLET']);
    assert.equal((await picture(member.token, 'pg')).amount, 20);
    await assertBooksAgree(system, ledger, member.id, { pg, askmebet });
  });
});

describe('outcomes that stay unknown', () => {
  test('a play that hides the outcome is left to an operator, whose proof is applied [R-XFER-04]', async () => {
    const member = await registerMember(system);
    const { username } = await openGame(system, member.token, 'askmebet');
    await fund(ledger, member.id, '100.00');
    await transfer(system, member.token, { from: 'WALLET', to: 'askmebet', amount: 50 });
    await misbehave(system, 'askmebet', { fault: 'timeout-lost', call: 'deposit' });
    const reply = await transfer(system, member.token, { from: 'WALLET', to: 'askmebet', amount: 10 });
    assert.equal(reply.status, 202);
    await system.world('POST /games/{code}/players/{username}/play', {
      params: { code: 'askmebet', username },
      body: { stake: '30.00', win: '0' },
    });
    const { reference } = reply.body;
    await eventually(
      'an operator is asked for',
      () => legStates(system, reference),
      ([state]) => state === 'MANUAL',
    );
    assert.deepEqual(await balanceOf(ledger, member.id, 'WALLET'), { free: '40.00', held: '10.00' });
    await system.database.query(
      `update transfer_leg set proof = 'REFUSED', next_ask_at = now() where provider_reference = $1`,
      [`${reference}-1`],
    );
    await settled(system);
    assert.deepEqual(await legStates(system, reference), ['REVERSED']);
    assert.deepEqual(await balanceOf(ledger, member.id, 'WALLET'), { free: '50.00', held: '0.00' });
    await system.api('GET /api/wallet/refresh/slot', { token: member.token });
    await assertBooksAgree(system, ledger, member.id, { askmebet: username });
  });

  test('winning or losing just the amount in between is not taken for the transfer [R-XFER-04]', async () => {
    // The effect of the call, and a round that makes it look like the opposite.
    const cases = [
      { fault: 'timeout-lost', stake: '5.00', win: '15.00', proof: 'REFUSED', ends: 'REVERSED', wallet: '50.00' },
      { fault: 'timeout-applied', stake: '10.00', win: '0', proof: 'APPLIED', ends: 'DONE', wallet: '40.00' },
    ] as const;
    for (const { fault, stake, win, proof, ends, wallet } of cases) {
      const member = await registerMember(system);
      const { username } = await openGame(system, member.token, 'circus');
      await fund(ledger, member.id, '100.00');
      await transfer(system, member.token, { from: 'WALLET', to: 'circus', amount: 50 });
      // The balance before is reported; the next read is after the member's play.
      await misbehave(system, 'circus', { fault: 'slow', call: 'balance', delayMs: 1 });
      await misbehave(system, 'circus', { fault: 'error-500', call: 'balance', times: 50 });
      await misbehave(system, 'circus', { fault, call: 'in' });
      const { reference } = (await transfer(system, member.token, { from: 'WALLET', to: 'circus', amount: 10 })).body;
      await play(system, 'circus', username, stake, win);
      await behave(system, 'circus');
      await eventually(
        'an operator is asked for',
        () => legStates(system, reference),
        ([state]) => state !== 'UNKNOWN',
      );
      assert.deepEqual(await legStates(system, reference), ['MANUAL'], fault);
      assert.deepEqual(await balanceOf(ledger, member.id, 'WALLET'), { free: '40.00', held: '10.00' });
      await system.database.query(
        `update transfer_leg set proof = $2, next_ask_at = now() where provider_reference = $1`,
        [`${reference}-1`, proof],
      );
      await settled(system, 'circus');
      assert.deepEqual(await legStates(system, reference), [ends]);
      assert.deepEqual(await balanceOf(ledger, member.id, 'WALLET'), { free: wallet, held: '0.00' });
      await system.api('GET /api/wallet/refresh/slot', { token: member.token });
      await assertBooksAgree(system, ledger, member.id, { circus: username });
    }
  });

  test('who can be asked and says "no such player" has not said that nothing was done [R-XFER-04]', async () => {
    const askable = everyProvider.filter((code) => callNamesOf(code).check !== undefined);
    const asked = await Promise.all(
      askable.map(async (code) => {
        const member = await registerMember(system);
        const { username } = await openGame(system, member.token, code);
        await fund(ledger, member.id, '100.00');
        const calls = callNamesOf(code);
        await misbehave(system, code, { fault: 'unknown-player', call: String(calls.check), times: 2 });
        await misbehave(system, code, { fault: 'timeout-applied', call: calls.in });
        const { reference } = (await transfer(system, member.token, { from: 'WALLET', to: code, amount: 10 })).body;
        // Old enough that "no such transfer" twice would prove a refusal.
        await system.database.query(
          `update transfer_leg set sent_at = sent_at - interval '1 minute' where provider_reference = $1`,
          [`${reference}-1`],
        );
        return { code, member, username, reference };
      }),
    );
    await settled(system);
    for (const { code, member, username, reference } of asked) {
      assert.deepEqual(await legStates(system, reference), ['DONE'], code);
      assert.deepEqual(await balanceOf(ledger, member.id, 'WALLET'), { free: '90.00', held: '0.00' }, code);
      await assertBooksAgree(system, ledger, member.id, { [code]: username });
    }
  });

  test('after a day without an answer an operator is asked for [R-XFER-04]', async () => {
    const member = await registerMember(system);
    await openGame(system, member.token, 'pg');
    await fund(ledger, member.id, '100.00');
    await misbehave(system, 'pg', { fault: 'timeout-lost', call: 'TransferIn' });
    await misbehave(system, 'pg', { fault: 'error-500', call: 'GetSingleTransaction', times: 50 });
    const { reference } = (await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 10 })).body;
    await system.database.query(
      `update transfer_leg set sent_at = now() - interval '25 hours', next_ask_at = now() where provider_reference = $1`,
      [`${reference}-1`],
    );
    await eventually(
      'an operator is asked for',
      () => legStates(system, reference),
      ([state]) => state === 'MANUAL',
    );
    assert.deepEqual(await balanceOf(ledger, member.id, 'WALLET'), { free: '90.00', held: '10.00' });
    await behave(system);
  });

  test('after all that the books are right [R-XFER-04]', async () => {
    for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
    const open = await ledger.openHolds(new Date(Date.now() + 60_000));
    assert.equal(open.length, 1, 'the leg that waits for an operator');
  });
});
