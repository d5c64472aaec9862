import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import type { ApiReply } from '../harness/api-client.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import {
  assertBooksAgree,
  clearProviderFaults,
  readProviderCredit,
  failProvider,
  openGame,
  outsideWithProviderTimeout,
  untilSettled,
  transfer,
} from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../harness/money.ts';
import { closeWallet } from '../harness/operator.ts';
import { FAULTY_TIMEOUT_MS } from '../harness/provider-calls.ts';
import { startSystem, type System } from '../harness/system.ts';

const CONCURRENT_REQUESTS = 12;

describe('everything that is free in the wallet moves into a game', () => {
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

  async function memberWith(amount: string): Promise<TestMember & { pg: string }> {
    const member = await registerMember(system);
    const pg = (await openGame(system, member.token, 'pg')).username;
    if (amount !== '0.00') await fundWallet(ledger, member.id, amount);
    return { ...member, pg };
  }
  const transferAll = ({ token }: TestMember, to: unknown = 'pg', key?: string): Promise<ApiReply> =>
    system.api('POST /api/wallet/transferAll', {
      token,
      body: { to },
      ...(key === undefined ? {} : { idempotencyKey: key }),
    });

  test('the whole wallet moves into a game to the last satang, and the reply states the amount [R-NET-01]', async () => {
    const member = await memberWith('123.45');
    const reply = await transferAll(member);
    assert.deepEqual([reply.status, reply.body.status, reply.body.amount], [200, 'DONE', 123.45]);
    assert.equal(await readProviderCredit(system, 'pg', member.pg), '123.45');
    assert.deepEqual(await readBalance(ledger, member.id, 'WALLET'), { free: '0.00', held: '0.00' });
    await assertBooksAgree(system, ledger, member.id, member);
  });

  test('an empty wallet, or one below one baht, is TRANSFER_MINIMUM, and nothing moves [R-NET-06]', async () => {
    assertRefused(await transferAll(await memberWith('0.00')), 'TRANSFER_MINIMUM');
    const member = await memberWith('0.99');
    assertRefused(await transferAll(member), 'TRANSFER_MINIMUM');
    assert.equal((await readBalance(ledger, member.id, 'WALLET')).free, '0.99');
  });

  test('moving the whole wallet to a missing or inactive game, or to the wallet itself, is refused with its code [R-NET-06]', async () => {
    const member = await memberWith('10.00');
    assertRefused(await transferAll(member, 'WALLET'), 'NO_GAME', 'SAME_ACCOUNT');
    assertRefused(await transferAll(member, 'nosuchgame'), 'NO_GAME');
    assertRefused(await transferAll(member, 'askmebet'), 'SLOT_NO_ACCOUNT');
    for (const to of [null, 5, {}, [], '', 'x'.repeat(33)]) {
      assertRefused(await transferAll(member, to), 'NO_GAME', 'to', 400);
    }
    await closeWallet(system, member);
    assertRefused(await transferAll(member), 'NO_WALLET');
    assert.equal((await readBalance(ledger, member.id, 'WALLET')).free, '10.00');
  });

  test('the same key sent repeatedly moves the whole wallet once; for another game it is refused [R-XFER-04]', async () => {
    const member = await memberWith('80.00');
    const replies = await Promise.all(
      Array.from({ length: CONCURRENT_REQUESTS }, () => transferAll(member, 'pg', 'everything-once')),
    );
    for (const { status, body } of replies) assert.deepEqual([status, body], [200, replies[0]?.body]);
    await fundWallet(ledger, member.id, '5.00');
    assert.deepEqual((await transferAll(member, 'pg', 'everything-once')).body, replies[0]?.body, 'new money stays');
    assert.equal(await readProviderCredit(system, 'pg', member.pg), '80.00');
    assertRefused(await transferAll(member, 'askmebet', 'everything-once'), 'KEY_INVALID', 'IDEMPOTENCY_KEY_REUSED');
    const asAmount = { from: 'WALLET', to: 'pg', amount: 5, key: 'everything-once' };
    assertRefused(await transfer(system, member.token, asAmount), 'KEY_INVALID', 'IDEMPOTENCY_KEY_REUSED');
    await assertBooksAgree(system, ledger, member.id, member);
  });

  test('a refusal before the transfer started does not use its key; the later transfer becomes its permanent reply [R-XFER-04]', async () => {
    const member = await memberWith('0.00');
    assertRefused(await transferAll(member, 'pg', 'empty-at-first'), 'TRANSFER_MINIMUM');
    await fundWallet(ledger, member.id, '30.00');
    const transferReply = await transferAll(member, 'pg', 'empty-at-first');
    assert.deepEqual([transferReply.status, transferReply.body.amount], [200, 30]);
    await fundWallet(ledger, member.id, '5.00');
    assert.deepEqual((await transferAll(member, 'pg', 'empty-at-first')).body, transferReply.body);
    await assertBooksAgree(system, ledger, member.id, member);
  });

  test('moving the whole wallet during transfers of an amount never overdraws it [R-XFER-04]', async () => {
    const member = await memberWith('100.00');
    const askmebetUsername = (await openGame(system, member.token, 'askmebet')).username;
    const replies = await Promise.all(
      Array.from({ length: CONCURRENT_REQUESTS }, (_, index) =>
        index % 2 === 0
          ? transferAll(member, index % 4 === 0 ? 'pg' : 'askmebet')
          : transfer(system, member.token, {
              from: 'WALLET',
              to: index % 4 === 1 ? 'pg' : 'askmebet',
              amount: 40,
            }),
      ),
    );
    await untilSettled(system);
    for (const { status, body } of replies) {
      const isKnown = ['REQUEST_LIMIT', 'MONEY_NOT_ENOUGH', 'TRANSFER_MINIMUM'].includes(body.message);
      assert.ok(status === 200 || isKnown, `${status} ${JSON.stringify(body)}`);
    }
    assert.ok(replies.some(({ status }) => status === 200));
    await assertBooksAgree(system, ledger, member.id, { pg: member.pg, askmebet: askmebetUsername });
  });

  test('moving the whole wallet to a silent provider stays in progress, with the amount, and has one outcome [R-XFER-04]', async () => {
    const member = await memberWith('60.00');
    await failProvider(system, 'pg', { fault: 'timeout-applied', call: 'TransferIn' });
    // An immediate inquiry would be answered before the member's reply.
    await failProvider(system, 'pg', { fault: 'error-500', call: 'GetSingleTransaction', times: 500 });
    const reply = await transferAll(member, 'pg', 'not-told');
    assert.deepEqual([reply.status, reply.body.message, reply.body.amount], [202, 'PROCESSING', 60]);
    await clearProviderFaults(system);
    await untilSettled(system);
    const last = await transferAll(member, 'pg', 'not-told');
    assert.deepEqual([last.status, last.body.status, last.body.amount], [200, 'DONE', 60]);
    await assertBooksAgree(system, ledger, member.id, member);
  });
});
