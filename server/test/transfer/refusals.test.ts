import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import {
  assertBooksAgree,
  countProviderCalls,
  openGame,
  playRound,
  transfer,
  type TransferRequest,
} from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../harness/money.ts';
import { closeWallet } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';

/** Amounts that are no numbers of at least one baht with two decimals. */
const INVALID_AMOUNTS = [
  0,
  -1,
  0.001,
  0.99,
  1.005,
  '1e3',
  '1,000',
  '100',
  2 ** 53,
  1e15,
  null,
  true,
  [1],
  { amount: 1 },
  'NaN',
];

describe('transfers that are refused', () => {
  let system: System;
  let ledger: Ledger;
  let member: TestMember;
  let pg: string;

  before(async () => {
    system = await startSystem();
    ledger = createTestLedger(system);
    member = await registerMember(system);
    pg = (await openGame(system, member.token, 'pg')).username;
    await fundWallet(ledger, member.id, '100.00');
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  async function assertRefusal(
    request: TransferRequest,
    status: number,
    message: string,
    detail?: string,
  ): Promise<void> {
    const reply = await transfer(system, member.token, request);
    // A refusal of a stored transfer names it.
    const { reference, ...body } = reply.body;
    if (reference !== undefined) assert.match(reference, /^T[A-Z0-9]+$/);
    assert.deepEqual(
      [reply.status, body],
      [status, { message, ...(detail === undefined ? {} : { detail }) }],
      JSON.stringify(request),
    );
    assert.deepEqual(await readBalance(ledger, member.id, 'WALLET'), { free: '100.00', held: '0.00' });
  }

  test('a transfer with an invalid amount, or one below the minimum, is TRANSFER_MINIMUM [R-XFER-02]', async () => {
    for (const amount of INVALID_AMOUNTS)
      await assertRefusal({ from: 'WALLET', to: 'pg', amount }, 400, 'TRANSFER_MINIMUM');
    await assertRefusal({ from: 'WALLET', to: 'pg', amount: undefined }, 400, 'TRANSFER_MINIMUM');
    // Not JSON: no value is guessed.
    const nanReply = await system.api('POST /api/wallet/transfer', {
      token: member.token,
      body: '{"from":"WALLET","to":"pg","amount":NaN}',
    });
    assert.equal(nanReply.status, 400);
    const deeplyNestedJson = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
    const body = `{"from":"WALLET","to":"pg","amount":${deeplyNestedJson}}`;
    const nestedReply = await system.api('POST /api/wallet/transfer', { token: member.token, body });
    assert.deepEqual([nestedReply.status, nestedReply.body], [400, { message: 'TRANSFER_MINIMUM' }]);
    assert.equal(await countProviderCalls(system, 'pg', 'TransferIn'), 0);
  });

  test('unknown and hidden games are NO_GAME [R-XFER-02]', async () => {
    await assertRefusal({ from: 'WALLET', to: 'nothing', amount: 1 }, 404, 'NO_GAME');
    await assertRefusal({ from: 'nothing', to: 'WALLET', amount: 'x' }, 404, 'NO_GAME');
    await system.database.query(`update game set is_hidden = true where code = 'pg'`);
    await assertRefusal({ from: 'WALLET', to: 'pg', amount: 1 }, 404, 'NO_GAME');
    await system.database.query(`update game set is_hidden = false where code = 'pg'`);
  });

  test('a transfer without source or destination, or with equal ones, is refused [R-XFER-02]', async () => {
    await assertRefusal({ from: 'WALLET', to: 'WALLET', amount: 1 }, 404, 'NO_GAME', 'SAME_ACCOUNT');
    await assertRefusal({ from: 'pg', to: 'pg', amount: 0 }, 404, 'NO_GAME', 'SAME_ACCOUNT');
    const reply = await system.api('POST /api/wallet/transfer', {
      token: member.token,
      body: { from: 'WALLET', amount: 1 },
    });
    assert.deepEqual([reply.status, reply.body], [400, { message: 'NO_GAME', detail: 'to' }]);
  });

  test('a game without an account of the member is SLOT_NO_ACCOUNT, after the check of the amount [R-XFER-02]', async () => {
    await assertRefusal({ from: 'WALLET', to: 'askmebet', amount: 1 }, 404, 'SLOT_NO_ACCOUNT');
    await assertRefusal({ from: 'pg', to: 'askmebet', amount: 1 }, 404, 'SLOT_NO_ACCOUNT');
    await assertRefusal({ from: 'WALLET', to: 'askmebet', amount: 0.5 }, 400, 'TRANSFER_MINIMUM');
  });

  test('more than the balance is MONEY_NOT_ENOUGH, from the wallet and from a game [R-XFER-02]', async () => {
    await assertRefusal({ from: 'WALLET', to: 'pg', amount: 100.01 }, 400, 'MONEY_NOT_ENOUGH');
    await assertRefusal({ from: 'pg', to: 'WALLET', amount: 1 }, 400, 'MONEY_NOT_ENOUGH');
    await assertRefusal({ from: 'WALLET', to: 'pg', amount: 9_999_999_999_999 }, 400, 'MONEY_NOT_ENOUGH');
    for (const call of ['TransferIn', 'TransferOut'])
      assert.equal(await countProviderCalls(system, 'pg', call), 0, call);
  });

  test('an amount too large in credits is MONEY_NOT_ENOUGH, too [R-XFER-02]', async () => {
    await system.database.query(`update game set credits_per_unit = 1000000 where code = 'pg'`);
    await assertRefusal({ from: 'WALLET', to: 'pg', amount: 9_999_999_999_999.99 }, 400, 'MONEY_NOT_ENOUGH');
    await assertRefusal({ from: 'pg', to: 'WALLET', amount: 9_999_999_999_999.99 }, 400, 'MONEY_NOT_ENOUGH');
    await system.database.query(`update game set credits_per_unit = 1 where code = 'pg'`);
  });

  test('money lost in the game since the last refresh is not available for a transfer [R-XFER-02]', async () => {
    await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 60 });
    await playRound(system, 'pg', pg, '50.00', '0');
    const reply = await transfer(system, member.token, { from: 'pg', to: 'WALLET', amount: 60 });
    assertRefused(reply, 'MONEY_NOT_ENOUGH', undefined, 400);
    const transferHomeReply = await transfer(system, member.token, { from: 'pg', to: 'WALLET', amount: 10 });
    assert.equal(transferHomeReply.status, 200);
    await fundWallet(ledger, member.id, '50.00');
    await assertBooksAgree(system, ledger, member.id, { pg });
  });

  test('a closed wallet refuses a transfer with NO_WALLET, a game in maintenance with GAME_ACTIVATION_FAIL [R-XFER-02]', async () => {
    await closeWallet(system, member);
    await assertRefusal({ from: 'WALLET', to: 'pg', amount: 1 }, 404, 'NO_WALLET', 'SUSPENDED');
    await system.database.query('delete from wallet_suspension');
    await system.database.query(`update game set in_maintenance = true where code = 'pg'`);
    await assertRefusal({ from: 'WALLET', to: 'pg', amount: 1 }, 503, 'GAME_ACTIVATION_FAIL', 'MAINTENANCE');
    await system.database.query(`update game set in_maintenance = false where code = 'pg'`);
  });

  test('a transfer key belongs to one input, even if that was refused [R-XFER-04]', async () => {
    const key = 'one-input-only';
    await assertRefusal({ from: 'WALLET', to: 'pg', amount: 500, key }, 400, 'MONEY_NOT_ENOUGH');
    await assertRefusal({ from: 'WALLET', to: 'pg', amount: 400, key }, 403, 'KEY_INVALID', 'IDEMPOTENCY_KEY_REUSED');
    await fundWallet(ledger, member.id, '500.00');
    const repeatedReply = await transfer(system, member.token, { from: 'WALLET', to: 'pg', amount: 500, key });
    // The first reply, forever.
    assertRefused(repeatedReply, 'MONEY_NOT_ENOUGH', undefined, 400);
    const otherMember = await registerMember(system);
    const otherMemberReply = await transfer(system, otherMember.token, {
      from: 'WALLET',
      to: 'pg',
      amount: 500,
      key,
    });
    assert.equal(otherMemberReply.body.message, 'SLOT_NO_ACCOUNT', 'a key of another member is another key');
  });
});
