import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import {
  assertBooksAgree,
  countProviderCalls,
  readProviderCredit,
  untilSettled,
  transfer,
  type TransferRequest,
} from '../harness/games.ts';
import { type GamingMember, gamingMemberWith } from '../harness/gaming-member.ts';
import { readBalance, createTestLedger } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';

const CONCURRENT_REQUESTS = 30;

describe('concurrent money commands of one member', () => {
  let system: System;
  let ledger: Ledger;
  before(async () => {
    system = await startSystem();
    ledger = createTestLedger(system);
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  const memberWith = (amount: string): Promise<GamingMember> => gamingMemberWith(system, ledger, amount);
  const sendConcurrently = (token: string, transferRequests: TransferRequest[]) =>
    Promise.all(transferRequests.map((request) => transfer(system, token, request)));

  test('the same key sent thirty times moves money once, and all get the same reply [R-XFER-04]', async () => {
    const member = await memberWith('100.00');
    const request = { from: 'WALLET', to: 'pg', amount: 70, key: 'thirty-times-the-same' };
    const replies = await sendConcurrently(
      member.token,
      Array.from({ length: CONCURRENT_REQUESTS }, () => request),
    );
    const [first] = replies;
    for (const { status, body } of replies) assert.deepEqual([status, body], [200, first?.body]);
    assert.equal(await readProviderCredit(system, 'pg', member.pg), '70.00');
    assert.equal((await readBalance(ledger, member.id, 'WALLET')).free, '30.00');
    assert.equal(await countProviderCalls(system, 'pg', 'TransferIn'), 1, 'the provider was called once');
    await assertBooksAgree(system, ledger, member.id, member);
  });

  test('different keys never overdraw, and each successful one moves its money once [R-XFER-04]', async () => {
    const member = await memberWith('100.00');
    const transferRequests = Array.from({ length: CONCURRENT_REQUESTS }, (_, index) => ({
      from: 'WALLET',
      to: index % 2 === 0 ? 'pg' : 'askmebet',
      amount: 60,
      key: `never-overdraw-${index}`,
    }));
    const replies = await sendConcurrently(member.token, transferRequests);
    await untilSettled(system);
    const acceptedReplies = replies.filter(({ status }) => status === 200);
    assert.equal(acceptedReplies.length, 1, 'sixty of a hundred fit once');
    for (const { status, body } of replies) {
      assert.ok(
        status === 200 || ['REQUEST_LIMIT', 'MONEY_NOT_ENOUGH'].includes(body.message),
        `${status} ${JSON.stringify(body)}`,
      );
    }
    assert.deepEqual(await readBalance(ledger, member.id, 'WALLET'), { free: '40.00', held: '0.00' });
    await assertBooksAgree(system, ledger, member.id, member);
  });

  test('commands in all directions with repeated keys leave every satang accounted for [R-XFER-04]', async () => {
    const member = await memberWith('500.00');
    await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 100 });
    await transfer(system, member.token, { from: 'WALLET', to: 'askmebet', amount: 100 });
    const legAccounts = ['WALLET', 'pg', 'askmebet'];
    const transferRequests = Array.from({ length: CONCURRENT_REQUESTS }, (_, index) => {
      const from = legAccounts[index % 3] as string;
      const to = legAccounts[(index + 1 + (index % 2)) % 3] as string;
      return { from, to, amount: 7.25 + index, key: `all-directions-${index}` };
    });
    const repliesByKey = new Map<string, string>();
    const movedByAccount = new Map(legAccounts.map((legAccount) => [legAccount, 0]));
    for (let round = 0; round < 3; round += 1) {
      const replies = await sendConcurrently(member.token, [...transferRequests, ...transferRequests]);
      for (const [index, reply] of replies.entries()) {
        const request = transferRequests[index % CONCURRENT_REQUESTS] as (typeof transferRequests)[number];
        if (reply.body.message === 'REQUEST_LIMIT') continue;
        const replySummary = `${reply.status} ${reply.body.reference ?? reply.body.message}`;
        const before = repliesByKey.get(request.key);
        assert.ok(
          before === undefined || before === replySummary,
          `${request.key}: ${before ?? ''}, then ${replySummary}`,
        );
        if (before !== undefined) continue;
        repliesByKey.set(request.key, replySummary);
        if (reply.status !== 200) continue;
        movedByAccount.set(request.from, (movedByAccount.get(request.from) ?? 0) - request.amount);
        movedByAccount.set(request.to, (movedByAccount.get(request.to) ?? 0) + request.amount);
      }
    }
    await untilSettled(system);
    const expectedBalance = (legAccount: string, start: number) =>
      (start + (movedByAccount.get(legAccount) ?? 0)).toFixed(2);
    assert.equal((await readBalance(ledger, member.id, 'WALLET')).free, expectedBalance('WALLET', 300));
    assert.equal((await readBalance(ledger, member.id, 'GAME:pg')).free, expectedBalance('pg', 100));
    assert.equal((await readBalance(ledger, member.id, 'GAME:askmebet')).free, expectedBalance('askmebet', 100));
    await assertBooksAgree(system, ledger, member.id, member);
    assert.ok(repliesByKey.size >= 3, 'some of them went through');
  });

  test('two members at the same games do not affect each other [R-XFER-04] [R-ROLE-01]', async () => {
    const [firstMember, secondMember] = [await memberWith('50.00'), await memberWith('50.00')];
    const request = { from: 'WALLET', to: 'pg', amount: 50, key: 'both-use-this-key' };
    const replies = await Promise.all([
      transfer(system, firstMember.token, request),
      transfer(system, secondMember.token, request),
    ]);
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200],
    );
    assert.notEqual(replies[0]?.body.reference, replies[1]?.body.reference);
    await assertBooksAgree(system, ledger, firstMember.id, firstMember);
    await assertBooksAgree(system, ledger, secondMember.id, secondMember);
  });
});
