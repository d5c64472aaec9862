import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import type { ApiReply } from '../harness/api-client.ts';
import { assertBooksAgree, untilSettled, transfer } from '../harness/games.ts';
import { type GamingMember, gamingMemberWith } from '../harness/gaming-member.ts';
import { readBalance, fundWallet, createTestLedger } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  assertPaidOnce,
  waitForNoOpenWithdrawals,
  setPayoutDelay,
  readReceivedAmount,
  readWithdrawalRows,
  withdraw,
  withdrawAll,
} from './payout-fixtures.ts';

const CONCURRENT_REQUESTS = 30;
const POSSIBLE_REFUSALS = ['REQUEST_LIMIT', 'MONEY_NOT_ENOUGH', 'TRANSFER_MINIMUM', 'TRANSFER_FAIL'];

describe('money commands of one member at the same moment, withdrawals among them', () => {
  let system: System;
  let ledger: Ledger;
  before(async () => {
    system = await startSystem();
    ledger = createTestLedger(system);
    await setPayoutDelay(system, 20);
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  const memberWith = (amount: string): Promise<GamingMember> => gamingMemberWith(system, ledger, amount);
  const transferAll = ({ token }: GamingMember, to: string, key: string): Promise<ApiReply> =>
    system.api('POST /api/wallet/transferAll', { token, body: { to }, idempotencyKey: key });
  const waitForQuiet = async (): Promise<void> => {
    await untilSettled(system);
    await waitForNoOpenWithdrawals(system);
  };

  for (const [name, ask] of [
    ['withdraw', withdraw],
    ['withdrawAll', withdrawAll],
  ] as const) {
    test(`${name}: the same key sent thirty times pays once, and all get the same reply [R-XFER-04]`, async () => {
      const member = await memberWith('500.00');
      const replies = await Promise.all(
        Array.from({ length: CONCURRENT_REQUESTS }, () => ask(system, member, 200, 'thirty-times-the-same')),
      );
      for (const { status, body } of replies) assert.deepEqual([status, body], [200, replies[0]?.body]);
      await waitForQuiet();
      assert.equal(await readReceivedAmount(system, member), '200.00');
      assert.equal((await readBalance(ledger, member.id, 'WALLET')).free, '300.00');
      assert.equal((await readWithdrawalRows(system, member.id)).length, 1);
    });

    test(`${name}: different keys pay one at a time, and never more than the balance [R-XFER-04]`, async () => {
      const member = await memberWith('450.00');
      const replies = await Promise.all(
        Array.from({ length: CONCURRENT_REQUESTS }, (_, index) => ask(system, member, 200, `never-overdraw-${index}`)),
      );
      const acceptedReplies = replies.filter(({ status }) => status === 200);
      assert.ok(acceptedReplies.length >= 1 && acceptedReplies.length <= 2, `${acceptedReplies.length} were taken`);
      for (const { status, body } of replies) {
        assert.ok(status === 200 || POSSIBLE_REFUSALS.includes(body.message), `${status} ${JSON.stringify(body)}`);
      }
      await waitForQuiet();
      assert.equal(await readReceivedAmount(system, member), `${200 * acceptedReplies.length}.00`);
    });
  }

  test('thirty commands of four kinds, each key twice, leave every satang accounted for [R-XFER-04]', async () => {
    const member = await memberWith('900.00');
    await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 150 });
    const sendCommand = (index: number): Promise<ApiReply> => {
      const key = `mixed-command-${index}`;
      const game = index % 2 === 0 ? 'pg' : 'askmebet';
      switch (index % 5) {
        case 0:
          return withdraw(system, member, 100 + index, key);
        case 1:
          return withdrawAll(system, member, 100 + index, key);
        case 2:
          return transferAll(member, game, key);
        case 3:
          return transfer(system, member.token, { from: 'WALLET', to: game, amount: 20.25 + index, key });
        default:
          return transfer(system, member.token, { from: game, to: 'WALLET', amount: 5.5 + index, key });
      }
    };
    const referencesByIndex = new Map<number, string>();
    for (let round = 0; round < 2; round += 1) {
      const requestIndexes = Array.from({ length: CONCURRENT_REQUESTS }, (_, index) => index);
      const doubledIndexes = [...requestIndexes, ...requestIndexes];
      const replies = await Promise.all(doubledIndexes.map(sendCommand));
      for (const [position, { status, body }] of replies.entries()) {
        assert.ok(
          status === 200 || status === 202 || POSSIBLE_REFUSALS.includes(body.message),
          `${status} ${JSON.stringify(body)}`,
        );
        if (status !== 200) continue;
        const index = doubledIndexes[position] as number;
        const knownReference = referencesByIndex.get(index);
        assert.ok(knownReference === undefined || knownReference === body.reference, `key ${index} got two references`);
        referencesByIndex.set(index, body.reference);
      }
      await waitForQuiet();
    }
    assert.ok(referencesByIndex.size >= 3, 'some of them went through');
    // The volley may have left no withdrawal, or have paid out nearly everything.
    await fundWallet(ledger, member.id, '100.00');
    assert.equal((await withdrawAll(system, member, 100, 'after-the-volley')).status, 200);
    await waitForQuiet();
    const paidRows = (await readWithdrawalRows(system, member.id)).filter(({ state }) => state === 'PAID');
    const accounts = await ledger.balances(member.id);
    const keptAmount = accounts.reduce((total, { posted }) => total + posted, 0n);
    const received = BigInt((await readReceivedAmount(system, member)).replace('.', ''));
    assert.equal(keptAmount + received, 100_000n, 'what is kept and what was paid is what there was');
    assert.ok(paidRows.length >= 1, 'one of the withdrawals was paid');
    for (const { free, kind } of accounts) assert.ok(free >= 0n, kind);
    await assertBooksAgree(system, ledger, member.id, member);
  });

  test('two members with the same key get a withdrawal each [R-XFER-04] [R-ROLE-01]', async () => {
    const [firstMember, secondMember] = [await memberWith('200.00'), await memberWith('200.00')];
    const replies = await Promise.all(
      [firstMember, secondMember].map((member) => withdraw(system, member, 150, 'both-use-this-key')),
    );
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200],
    );
    assert.notEqual(replies[0]?.body.reference, replies[1]?.body.reference);
    await waitForQuiet();
    assert.deepEqual(
      [await readReceivedAmount(system, firstMember), await readReceivedAmount(system, secondMember)],
      ['150.00', '150.00'],
    );
  });

  test('after concurrent withdrawals the bank has paid each amount in the books once [R-XFER-04]', () =>
    assertPaidOnce(system));
});
