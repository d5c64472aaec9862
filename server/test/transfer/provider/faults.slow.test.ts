import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../../src/ledger/index.ts';
import { assertRefused } from '../../harness/assert-refused.ts';
import {
  assertBooksAgree,
  clearProviderFaults,
  readProviderCredit,
  waitUntilResult,
  type GameCode,
  readLegStates,
  failProvider,
  openGame,
  playRound,
  outsideWithProviderTimeout,
  untilSettled,
  transfer,
} from '../../harness/games.ts';
import { registerMember } from '../../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../../harness/money.ts';
import { providerCallNames, ALL_PROVIDER_GAMES, FAULTY_TIMEOUT_MS } from '../../harness/provider-calls.ts';
import { startSystem, type System } from '../../harness/system.ts';

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem({ outside: outsideWithProviderTimeout(FAULTY_TIMEOUT_MS) });
  ledger = createTestLedger(system);
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

const readAccountState = async (token: string, code: GameCode) => {
  const { body } = await system.api('GET /api/wallet', { token });
  const slot = body.slots.find((slot: { code: string }) => slot.code === code);
  return { ...body.wallet, inGame: slot.amount, inProgress: slot.inProgress };
};
const readStatement = async (token: string) =>
  (await system.api('POST /api/statement', { token, body: {} })).body.statements as {
    reference: string;
    status: string;
    amount: number;
  }[];

describe('a provider that misbehaves', () => {
  test('money of a transfer with unknown outcome is held and shown as in progress [R-XFER-04]', async () => {
    const member = await registerMember(system);
    const { username } = await openGame(system, member.token, 'pg');
    await fundWallet(ledger, member.id, '100.00');
    await failProvider(system, 'pg', { fault: 'timeout-lost', call: 'TransferIn' });
    // The fault stays until everything shown during the pending state has been checked.
    await failProvider(system, 'pg', { fault: 'error-500', call: 'GetSingleTransaction', times: 500 });
    const transferBody = { from: 'WALLET', to: 'pg', amount: 30, key: 'unknown-outcome-1' };
    const reply = await transfer(system, member.token, transferBody);
    assert.equal(reply.status, 202);
    assert.deepEqual(await readAccountState(member.token, 'pg'), {
      amount: 70,
      inTransit: 30,
      inGame: 0,
      inProgress: reply.body.reference,
    });
    const [statementEntry] = await readStatement(member.token);
    assert.deepEqual(
      [statementEntry?.status, statementEntry?.amount, statementEntry?.reference],
      ['PROCESSING', -30, reply.body.reference],
    );
    const repeatedReply = await transfer(system, member.token, transferBody);
    assert.deepEqual([repeatedReply.status, repeatedReply.body], [202, reply.body], 'the same key, the same answer');
    const otherReply = await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 5 });
    assert.deepEqual(
      [otherReply.status, otherReply.body],
      [429, { message: 'REQUEST_LIMIT', detail: 'TRANSFER_IN_PROGRESS' }],
    );
    await clearProviderFaults(system, 'pg');
    await untilSettled(system);
    const last = await transfer(system, member.token, transferBody);
    assert.deepEqual([last.status, last.body.message], [502, 'TRANSFER_FAIL'], 'now it is known');
    assert.equal(await readProviderCredit(system, 'pg', username), '0.00');
    assert.equal((await readAccountState(member.token, 'pg')).amount, 100);
  });

  test('a refused second leg between games leaves the money in the wallet [R-XFER-02]', async () => {
    const member = await registerMember(system);
    const pg = (await openGame(system, member.token, 'pg')).username;
    const askmebetUsername = (await openGame(system, member.token, 'askmebet')).username;
    await fundWallet(ledger, member.id, '50.00');
    await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 50 });
    await failProvider(system, 'askmebet', { fault: 'decline', call: 'deposit' });
    const reply = await transfer(system, member.token, { from: 'pg', to: 'askmebet', amount: 20 });
    assertRefused(reply, 'TRANSFER_FAIL', 'RESTS_IN_WALLET');
    assert.deepEqual(await readAccountState(member.token, 'pg'), {
      amount: 20,
      inTransit: 0,
      inGame: 30,
      inProgress: null,
    });
    await assertBooksAgree(system, ledger, member.id, { pg, askmebet: askmebetUsername });
  });

  test('a first leg between games that is proven late leaves the money in the wallet [R-XFER-04]', async () => {
    const member = await registerMember(system);
    const pg = (await openGame(system, member.token, 'pg')).username;
    const askmebetUsername = (await openGame(system, member.token, 'askmebet')).username;
    await fundWallet(ledger, member.id, '50.00');
    await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 50 });
    await failProvider(system, 'pg', { fault: 'timeout-applied', call: 'TransferOut' });
    // An immediate inquiry would be answered before the member's reply.
    await failProvider(system, 'pg', { fault: 'error-500', call: 'GetSingleTransaction', times: 500 });
    const transferBody = { from: 'pg', to: 'askmebet', amount: 20, key: 'late-first-half' };
    const reply = await transfer(system, member.token, transferBody);
    assert.equal(reply.status, 202);
    await clearProviderFaults(system, 'pg');
    await untilSettled(system);
    const last = await transfer(system, member.token, transferBody);
    assert.deepEqual([last.status, last.body.detail], [502, 'RESTS_IN_WALLET']);
    assert.equal((await readAccountState(member.token, 'pg')).amount, 20);
    await assertBooksAgree(system, ledger, member.id, { pg, askmebet: askmebetUsername });
  });
});

describe('outcomes that stay unknown', () => {
  test('a transfer whose outcome is hidden by play waits for an operator, whose proof is applied [R-XFER-04]', async () => {
    const member = await registerMember(system);
    const { username } = await openGame(system, member.token, 'askmebet');
    await fundWallet(ledger, member.id, '100.00');
    await transfer(system, member.token, { from: 'WALLET', to: 'askmebet', amount: 50 });
    await failProvider(system, 'askmebet', { fault: 'timeout-lost', call: 'deposit' });
    const reply = await transfer(system, member.token, { from: 'WALLET', to: 'askmebet', amount: 10 });
    assert.equal(reply.status, 202);
    await system.simulatorsApi('POST /games/{code}/players/{username}/play', {
      params: { code: 'askmebet', username },
      body: { stake: '30.00', win: '0' },
    });
    const { reference } = reply.body;
    await waitUntilResult(
      'an operator is asked for',
      () => readLegStates(system, reference),
      ([state]) => state === 'MANUAL',
    );
    assert.deepEqual(await readBalance(ledger, member.id, 'WALLET'), { free: '40.00', held: '10.00' });
    await system.database.query(
      `update transfer_leg set proof = 'REFUSED', next_inquiry_at = now() where provider_reference = $1`,
      [`${reference}-1`],
    );
    await untilSettled(system);
    assert.deepEqual(await readLegStates(system, reference), ['REVERSED']);
    assert.deepEqual(await readBalance(ledger, member.id, 'WALLET'), { free: '50.00', held: '0.00' });
    await system.api('GET /api/wallet/refresh/slot', { token: member.token });
    await assertBooksAgree(system, ledger, member.id, { askmebet: username });
  });

  test('winning or losing exactly the amount during a transfer does not count as the transfer [R-XFER-04]', async () => {
    // The effect of the call, and a round whose effect looks like the opposite.
    const cases = [
      { fault: 'timeout-lost', stake: '5.00', win: '15.00', proof: 'REFUSED', ends: 'REVERSED', wallet: '50.00' },
      { fault: 'timeout-applied', stake: '10.00', win: '0', proof: 'APPLIED', ends: 'DONE', wallet: '40.00' },
    ] as const;
    for (const { fault, stake, win, proof, ends, wallet } of cases) {
      const member = await registerMember(system);
      const { username } = await openGame(system, member.token, 'circus');
      await fundWallet(ledger, member.id, '100.00');
      await transfer(system, member.token, { from: 'WALLET', to: 'circus', amount: 50 });
      // The balance before is reported; the next read is after the member's play.
      await failProvider(system, 'circus', { fault: 'slow', call: 'balance', delayMs: 1 });
      await failProvider(system, 'circus', { fault: 'error-500', call: 'balance', times: 50 });
      await failProvider(system, 'circus', { fault, call: 'in' });
      const { reference } = (await transfer(system, member.token, { from: 'WALLET', to: 'circus', amount: 10 })).body;
      await playRound(system, 'circus', username, stake, win);
      await clearProviderFaults(system, 'circus');
      await waitUntilResult(
        'an operator is asked for',
        () => readLegStates(system, reference),
        ([state]) => state !== 'UNKNOWN',
      );
      assert.deepEqual(await readLegStates(system, reference), ['MANUAL'], fault);
      assert.deepEqual(await readBalance(ledger, member.id, 'WALLET'), { free: '40.00', held: '10.00' });
      await system.database.query(
        `update transfer_leg set proof = $2, next_inquiry_at = now() where provider_reference = $1`,
        [`${reference}-1`, proof],
      );
      await untilSettled(system, 'circus');
      assert.deepEqual(await readLegStates(system, reference), [ends]);
      assert.deepEqual(await readBalance(ledger, member.id, 'WALLET'), { free: wallet, held: '0.00' });
      await system.api('GET /api/wallet/refresh/slot', { token: member.token });
      await assertBooksAgree(system, ledger, member.id, { circus: username });
    }
  });

  test('"no such player" from a provider with status inquiries does not prove that nothing was done [R-XFER-04]', async () => {
    const gamesWithInquiry = ALL_PROVIDER_GAMES.filter((code) => providerCallNames(code).check !== undefined);
    const faultyTransfers = await Promise.all(
      gamesWithInquiry.map(async (code) => {
        const member = await registerMember(system);
        const { username } = await openGame(system, member.token, code);
        await fundWallet(ledger, member.id, '100.00');
        const callNames = providerCallNames(code);
        await failProvider(system, code, { fault: 'unknown-player', call: String(callNames.check), times: 2 });
        await failProvider(system, code, { fault: 'timeout-applied', call: callNames.in });
        const { reference } = (await transfer(system, member.token, { from: 'WALLET', to: code, amount: 10 })).body;
        // Old enough that "no such transfer" twice would prove a refusal.
        await system.database.query(
          `update transfer_leg set sent_at = sent_at - interval '1 minute' where provider_reference = $1`,
          [`${reference}-1`],
        );
        return { code, member, username, reference };
      }),
    );
    await untilSettled(system);
    for (const { code, member, username, reference } of faultyTransfers) {
      assert.deepEqual(await readLegStates(system, reference), ['DONE'], code);
      assert.deepEqual(await readBalance(ledger, member.id, 'WALLET'), { free: '90.00', held: '0.00' }, code);
      await assertBooksAgree(system, ledger, member.id, { [code]: username });
    }
  });

  test('a transfer without a reply for a day waits for an operator [R-XFER-04]', async () => {
    const member = await registerMember(system);
    await openGame(system, member.token, 'pg');
    await fundWallet(ledger, member.id, '100.00');
    await failProvider(system, 'pg', { fault: 'timeout-lost', call: 'TransferIn' });
    await failProvider(system, 'pg', { fault: 'error-500', call: 'GetSingleTransaction', times: 50 });
    const { reference } = (await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 10 })).body;
    await system.database.query(
      `update transfer_leg set sent_at = now() - interval '25 hours', next_inquiry_at = now() where provider_reference = $1`,
      [`${reference}-1`],
    );
    await waitUntilResult(
      'an operator is asked for',
      () => readLegStates(system, reference),
      ([state]) => state === 'MANUAL',
    );
    assert.deepEqual(await readBalance(ledger, member.id, 'WALLET'), { free: '90.00', held: '10.00' });
    await clearProviderFaults(system);
  });

  test('after all provider faults every audit finds nothing [R-XFER-04]', async () => {
    for (const { name, violations } of await ledger.audit()) assert.equal(violations, 0, name);
    const openHolds = await ledger.openHolds(new Date(Date.now() + 60_000));
    assert.equal(openHolds.length, 1, 'the leg that waits for an operator');
  });
});
