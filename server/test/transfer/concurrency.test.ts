import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { assertBooksAgree, callsOf, creditOf, settled, transfer, type Wish } from '../harness/games.ts';
import { balanceOf, ledgerOf } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';
import { type Gamer, gamerWith } from '../harness/gamers.ts';

const VOLLEY = 30;

describe('many money commands of one member at the same moment', () => {
  let system: System;
  let ledger: Ledger;
  before(async () => {
    system = await startSystem();
    ledger = ledgerOf(system);
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  const memberWith = (amount: string): Promise<Gamer> => gamerWith(system, ledger, amount);
  const volley = (token: string, wishes: Wish[]) =>
    Promise.all(wishes.map((request) => transfer(system, token, request)));

  test('the same key thirty times moves money once, and all get the same answer [R-XFER-04]', async () => {
    const member = await memberWith('100.00');
    const request = { from: 'WALLET', to: 'pg', amount: 70, key: 'thirty-times-the-same' };
    const replies = await volley(
      member.token,
      Array.from({ length: VOLLEY }, () => request),
    );
    const [first] = replies;
    for (const { status, body } of replies) assert.deepEqual([status, body], [200, first?.body]);
    assert.equal(await creditOf(system, 'pg', member.pg), '70.00');
    assert.equal((await balanceOf(ledger, member.id, 'WALLET')).free, '30.00');
    assert.equal(await callsOf(system, 'pg', 'TransferIn'), 1, 'the provider was called once');
    await assertBooksAgree(system, ledger, member.id, member);
  });

  test('different keys never overdraw; each that succeeds moves its money once [R-XFER-04]', async () => {
    const member = await memberWith('100.00');
    const wishes = Array.from({ length: VOLLEY }, (_, index) => ({
      from: 'WALLET',
      to: index % 2 === 0 ? 'pg' : 'askmebet',
      amount: 60,
      key: `never-overdraw-${index}`,
    }));
    const replies = await volley(member.token, wishes);
    await settled(system);
    const done = replies.filter(({ status }) => status === 200);
    assert.equal(done.length, 1, 'sixty of a hundred fit once');
    for (const { status, body } of replies) {
      assert.ok(
        status === 200 || ['REQUEST_LIMIT', 'MONEY_NOT_ENOUGH'].includes(body.message),
        `${status} ${JSON.stringify(body)}`,
      );
    }
    assert.deepEqual(await balanceOf(ledger, member.id, 'WALLET'), { free: '40.00', held: '0.00' });
    await assertBooksAgree(system, ledger, member.id, member);
  });

  test('commands in all directions with keys that come again leave every satang accounted for [R-XFER-04]', async () => {
    const member = await memberWith('500.00');
    await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 100 });
    await transfer(system, member.token, { from: 'WALLET', to: 'askmebet', amount: 100 });
    const ends = ['WALLET', 'pg', 'askmebet'];
    const wishes = Array.from({ length: VOLLEY }, (_, index) => {
      const from = ends[index % 3] as string;
      const to = ends[(index + 1 + (index % 2)) % 3] as string;
      return { from, to, amount: 7.25 + index, key: `all-directions-${index}` };
    });
    const answers = new Map<string, string>();
    const moved = new Map(ends.map((end) => [end, 0]));
    for (let round = 0; round < 3; round += 1) {
      const replies = await volley(member.token, [...wishes, ...wishes]);
      for (const [index, reply] of replies.entries()) {
        const request = wishes[index % VOLLEY] as (typeof wishes)[number];
        if (reply.body.message === 'REQUEST_LIMIT') continue;
        const summary = `${reply.status} ${reply.body.reference ?? reply.body.message}`;
        const before = answers.get(request.key);
        assert.ok(before === undefined || before === summary, `${request.key}: ${before ?? ''}, then ${summary}`);
        if (before !== undefined) continue;
        answers.set(request.key, summary);
        if (reply.status !== 200) continue;
        moved.set(request.from, (moved.get(request.from) ?? 0) - request.amount);
        moved.set(request.to, (moved.get(request.to) ?? 0) + request.amount);
      }
    }
    await settled(system);
    const expected = (end: string, start: number) => (start + (moved.get(end) ?? 0)).toFixed(2);
    assert.equal((await balanceOf(ledger, member.id, 'WALLET')).free, expected('WALLET', 300));
    assert.equal((await balanceOf(ledger, member.id, 'GAME:pg')).free, expected('pg', 100));
    assert.equal((await balanceOf(ledger, member.id, 'GAME:askmebet')).free, expected('askmebet', 100));
    await assertBooksAgree(system, ledger, member.id, member);
    assert.ok(answers.size >= 3, 'some of them went through');
  });

  test('two members at the same games do not get in each other’s way [R-XFER-04] [R-ROLE-01]', async () => {
    const [one, two] = [await memberWith('50.00'), await memberWith('50.00')];
    const request = { from: 'WALLET', to: 'pg', amount: 50, key: 'both-use-this-key' };
    const replies = await Promise.all([transfer(system, one.token, request), transfer(system, two.token, request)]);
    assert.deepEqual(
      replies.map(({ status }) => status),
      [200, 200],
    );
    assert.notEqual(replies[0]?.body.reference, replies[1]?.body.reference);
    await assertBooksAgree(system, ledger, one.id, one);
    await assertBooksAgree(system, ledger, two.id, two);
  });
});
