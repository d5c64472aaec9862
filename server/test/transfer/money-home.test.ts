import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import {
  assertBooksAgree,
  openGame,
  playRound,
  readProviderCredit,
  setProviderMaintenance,
  transfer,
} from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { createTestLedger, fundWallet, readBalance } from '../harness/money.ts';
import { startSystem, type System } from '../harness/system.ts';

describe('moving all money of a game to the wallet', () => {
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

  async function memberWith(amount: string): Promise<TestMember & { pg: string }> {
    const member = await registerMember(system);
    const pg = (await openGame(system, member.token, 'pg')).username;
    await fundWallet(ledger, member.id, amount);
    return { ...member, pg };
  }
  const transferAll = ({ token }: TestMember) =>
    system.api('POST /api/wallet/transferAll', { token, body: { to: 'pg' } });
  const bringHome = ({ token }: TestMember, from: unknown = 'pg', to: unknown = 'WALLET', key?: string) =>
    system.api('POST /api/wallet/transferAll', {
      token,
      body: { from, to },
      ...(key === undefined ? {} : { idempotencyKey: key }),
    });

  test('all money of a game moves to the wallet, with wins and losses since the last refresh, once per key [R-WALLET-03]', async () => {
    const member = await memberWith('100.00');
    await transferAll(member);
    await playRound(system, 'pg', member.pg, '30.00', '7.55');
    const reply = await bringHome(member, 'pg', 'WALLET', 'home-once');
    assert.deepEqual([reply.status, reply.body.status, reply.body.amount], [200, 'DONE', 77.55]);
    assert.equal(await readProviderCredit(system, 'pg', member.pg), '0.00');
    assert.deepEqual(await readBalance(ledger, member.id, 'WALLET'), { free: '77.55', held: '0.00' });
    assert.deepEqual((await bringHome(member, 'pg', 'WALLET', 'home-once')).body, reply.body);
    assertRefused(await bringHome(member), 'TRANSFER_MINIMUM', 'EMPTY');
    await assertBooksAgree(system, ledger, member.id, member);
  });

  test('moving all money home includes amounts below one baht; between games, or from a foreign game, nothing moves [R-WALLET-03]', async () => {
    const member = await memberWith('10.00');
    const askmebet = (await openGame(system, member.token, 'askmebet')).username;
    await transferAll(member);
    await playRound(system, 'pg', member.pg, '9.50', '0.00');
    assertRefused(await bringHome(member, 'pg', 'askmebet'), 'NO_GAME', 'NOT_TO_WALLET');
    assertRefused(await bringHome(member, 'nosuchgame'), 'NO_GAME');
    assertRefused(await bringHome(member, 'joker2'), 'SLOT_NO_ACCOUNT');
    for (const from of [null, 5, {}, [], '', 'x'.repeat(33)])
      assertRefused(await bringHome(member, from), 'NO_GAME', 'from', 400);
    assert.equal((await bringHome(member)).body.amount, 0.5);
    await assertBooksAgree(system, ledger, member.id, { pg: member.pg, askmebet });
  });

  const lastTopUp = async ({ token }: TestMember): Promise<number | null> => {
    const { body } = await system.api('GET /api/wallet', { token });
    return body.slots.find(({ code }: { code: string }) => code === 'pg').lastTopUp;
  };

  test('the last transferred amount into a game is known on every device; refused transfers and those home do not change it [R-WALLET-03]', async () => {
    const member = await memberWith('300.00');
    assert.equal(await lastTopUp(member), null);
    await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 40.25 });
    assert.equal(await lastTopUp(member), 40.25);
    await setProviderMaintenance(system, 'pg', true);
    const refused = await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 50 });
    assertRefused(refused, 'TRANSFER_FAIL', 'PROVIDER_MAINTENANCE');
    await setProviderMaintenance(system, 'pg', false);
    assertRefused(await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 500 }), 'MONEY_NOT_ENOUGH');
    await bringHome(member);
    assert.equal(await lastTopUp(member), 40.25);
    await transferAll(member);
    assert.equal(await lastTopUp(member), 300);
  });
});
