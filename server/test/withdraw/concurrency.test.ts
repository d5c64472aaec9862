import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import type { ApiReply } from '../harness/api-client.ts';
import { assertBooksAgree, settled, transfer } from '../harness/games.ts';
import { type Gamer, gamerWith } from '../harness/gamers.ts';
import { balanceOf, fund, ledgerOf } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  assertPaidOnce,
  nothingOpen,
  payoutsTake,
  receivedBy,
  rowsOf,
  withdraw,
  withdrawAll,
} from './payout-fixtures.ts';

const VOLLEY = 30;
const REFUSED = ['REQUEST_LIMIT', 'MONEY_NOT_ENOUGH', 'TRANSFER_MINIMUM', 'TRANSFER_FAIL'];

describe('money commands of one member at the same moment, withdrawals among them', () => {
  let system: System;
  let ledger: Ledger;
  before(async () => {
    system = await startSystem();
    ledger = ledgerOf(system);
    await payoutsTake(system, 20);
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  const memberWith = (amount: string): Promise<Gamer> => gamerWith(system, ledger, amount);
  const all = ({ token }: Gamer, to: string, key: string): Promise<ApiReply> =>
    system.api('POST /api/wallet/transferAll', { token, body: { to }, idempotencyKey: key });
  const quiet = async (): Promise<void> => {
    await settled(system);
    await nothingOpen(system);
  };

  for (const [name, ask] of [
    ['withdraw', withdraw],
    ['withdrawAll', withdrawAll],
  ] as const) {
    test(`${name}: the same key thirty times pays once, and all get the same answer [R-XFER-04]`, async () => {
      const member = await memberWith('500.00');
      const replies = await Promise.all(
        Array.from({ length: VOLLEY }, () => ask(system, member, 200, 'thirty-times-the-same')),
      );
      for (const { status, body } of replies) assert.deepEqual([status, body], [200, replies[0]?.body]);
      await quiet();
      assert.equal(await receivedBy(system, member), '200.00');
      assert.equal((await balanceOf(ledger, member.id, 'WALLET')).free, '300.00');
      assert.equal((await rowsOf(system, member.id)).length, 1);
    });

    test(`${name}: different keys pay one at a time and never more than there is [R-XFER-04]`, async () => {
      const member = await memberWith('450.00');
      const replies = await Promise.all(
        Array.from({ length: VOLLEY }, (_, index) => ask(system, member, 200, `never-overdraw-${index}`)),
      );
      const taken = replies.filter(({ status }) => status === 200);
      assert.ok(taken.length >= 1 && taken.length <= 2, `${taken.length} were taken`);
      for (const { status, body } of replies) {
        assert.ok(status === 200 || REFUSED.includes(body.message), `${status} ${JSON.stringify(body)}`);
      }
      await quiet();
      assert.equal(await receivedBy(system, member), `${200 * taken.length}.00`);
    });
  }

  test('thirty commands of four kinds, each key twice, leave every satang accounted for [R-XFER-04]', async () => {
    const member = await memberWith('900.00');
    await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 150 });
    const command = (index: number): Promise<ApiReply> => {
      const key = `mixed-command-${index}`;
      const game = index % 2 === 0 ? 'pg' : 'askmebet';
      switch (index % 5) {
        case 0:
          return withdraw(system, member, 100 + index, key);
        case 1:
          return withdrawAll(system, member, 100 + index, key);
        case 2:
          return all(member, game, key);
        case 3:
          return transfer(system, member.token, { from: 'WALLET', to: game, amount: 20.25 + index, key });
        default:
          return transfer(system, member.token, { from: game, to: 'WALLET', amount: 5.5 + index, key });
      }
    };
    const answers = new Map<number, string>();
    for (let round = 0; round < 2; round += 1) {
      const indexes = Array.from({ length: VOLLEY }, (_, index) => index);
      const twice = [...indexes, ...indexes];
      const replies = await Promise.all(twice.map(command));
      for (const [at, { status, body }] of replies.entries()) {
        assert.ok(
          status === 200 || status === 202 || REFUSED.includes(body.message),
          `${status} ${JSON.stringify(body)}`,
        );
        if (status !== 200) continue;
        const index = twice[at] as number;
        const known = answers.get(index);
        assert.ok(known === undefined || known === body.reference, `key ${index} got two references`);
        answers.set(index, body.reference);
      }
      await quiet();
    }
    assert.ok(answers.size >= 3, 'some of them went through');
    // The volley may have left no withdrawal, or have paid out nearly everything.
    await fund(ledger, member.id, '100.00');
    assert.equal((await withdrawAll(system, member, 100, 'after-the-volley')).status, 200);
    await quiet();
    const paid = (await rowsOf(system, member.id)).filter(({ state }) => state === 'PAID');
    const accounts = await ledger.balances(member.id);
    const kept = accounts.reduce((sum, { posted }) => sum + posted, 0n);
    const received = BigInt((await receivedBy(system, member)).replace('.', ''));
    assert.equal(kept + received, 100_000n, 'what is kept and what was paid is what there was');
    assert.ok(paid.length >= 1, 'one of the withdrawals was paid');
    for (const { free, kind } of accounts) assert.ok(free >= 0n, kind);
    await assertBooksAgree(system, ledger, member.id, member);
  });

  test('two members who use one key get a withdrawal each [R-XFER-04] [R-ROLE-01]', async () => {
    const [one, two] = [await memberWith('200.00'), await memberWith('200.00')];
    const replies = await Promise.all([one, two].map((member) => withdraw(system, member, 150, 'both-use-this-key')));
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200],
    );
    assert.notEqual(replies[0]?.body.reference, replies[1]?.body.reference);
    await quiet();
    assert.deepEqual([await receivedBy(system, one), await receivedBy(system, two)], ['150.00', '150.00']);
  });

  test('after all that the bank has paid what the books say, once [R-XFER-04]', () => assertPaidOnce(system));
});
