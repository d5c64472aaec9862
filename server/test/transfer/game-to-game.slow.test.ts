import { strict as assert } from 'node:assert';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import type { ApiReply } from '../harness/api-client.ts';
import {
  assertBooksAgree,
  behave,
  type GameCode,
  legStates,
  maintain,
  misbehave,
  openGame,
  play,
  providersWithin,
  settled,
  transfer,
} from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { balanceOf, fund, ledgerOf } from '../harness/money.ts';
import { callNamesOf, type FaultCase, FAULTY_TIMEOUT_MS, faultCases } from '../harness/provider-calls.ts';
import { assertRefused } from '../harness/refused.ts';
import { startSystem, type System } from '../harness/system.ts';
import { withdraw } from '../withdraw/payout-fixtures.ts';

/** A provider with inquiries and one without, each on either side. Their faults are tested in `provider/`. */
const PAIRS: [GameCode, GameCode][] = [
  ['pg', 'askmebet'],
  ['askmebet', 'pg'],
];

type Run = { testCase: FaultCase; half: 1 | 2; member: TestMember; players: Record<GameCode, string>; reply: ApiReply };
type Outcome = { status: number; detail?: string; states: string[]; wallet: string; inFrom: string; inTo: string };

/** In progress or ended: an inquiry may be answered before the reply is sent. */
function assertTrue(run: Run): void {
  const { testCase, reply } = run;
  const { status, detail } = outcomeOf(run);
  if (testCase.firstReply === 'PROCESSING' && reply.status === 202)
    assert.equal(reply.body.message, 'PROCESSING', testCase.name);
  else assert.deepEqual([reply.status, reply.body.detail], [status, detail], testCase.name);
}

/** Moves 40.50 of 100 baht in the first game. */
function outcomeOf({ testCase: { firstReply, ends }, half }: Pick<Run, 'testCase' | 'half'>): Outcome {
  const nothing = { wallet: '0.00', inFrom: '100.00', inTo: '0.00' };
  const rests = { status: 502, detail: 'RESTS_IN_WALLET', wallet: '40.50', inFrom: '59.50', inTo: '0.00' };
  if (half === 1 && ends === 'REVERSED') return { status: 502, states: ['REVERSED', 'REVERSED'], ...nothing };
  // The second leg does not start when the first is resolved late.
  if (half === 1 && firstReply === 'PROCESSING') return { states: ['DONE', 'REVERSED'], ...rests };
  if (half === 2 && ends === 'REVERSED') return { states: ['DONE', 'REVERSED'], ...rests };
  return { status: 200, states: ['DONE', 'DONE'], wallet: '0.00', inFrom: '59.50', inTo: '40.50' };
}

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem({ outside: providersWithin(FAULTY_TIMEOUT_MS) });
  ledger = ledgerOf(system);
});
afterEach(() => behave(system));
after(async () => {
  await ledger?.close();
  await system?.stop();
});

async function gamer(from: GameCode, to: GameCode, amount = '100.00') {
  const member = await registerMember(system);
  const players: Record<GameCode, string> = {};
  for (const code of [from, to]) players[code] = (await openGame(system, member.token, code)).username;
  await fund(ledger, member.id, amount);
  const moved = await transfer(system, member.token, { from: 'WALLET', to: from, amount: Number(amount) });
  assert.equal(moved.status, 200, JSON.stringify(moved.body));
  return { member, players };
}
const free = async ({ id }: TestMember, kind: 'WALLET' | `GAME:${string}`) => {
  const balance = await balanceOf(ledger, id, kind);
  assert.equal(balance.held, '0.00', kind);
  return balance.free;
};
const requestFor = (from: GameCode, to: GameCode, key: string) => ({ from, to, amount: 40.5, key });

describe('money from game to game', () => {
  for (const [from, to] of PAIRS) {
    for (const half of [1, 2] as const) {
      const faulty = half === 1 ? from : to;
      test(`${from} to ${to}, every way that ${faulty} fails: both halves end right, and the same command says so [R-XFER-02] [R-XFER-04]`, async () => {
        const runs: Run[] = [];
        for (const [index, testCase] of faultCases.entries()) {
          const { member, players } = await gamer(from, to);
          const { name: _, firstReply: __, ends: ___, ...fault } = testCase;
          await misbehave(system, faulty, { ...fault, call: callNamesOf(faulty)[half === 1 ? 'out' : 'in'] });
          const reply = await transfer(system, member.token, requestFor(from, to, `half-${half}-case-${index}`));
          await behave(system);
          const run = { testCase, half, member, players, reply };
          assertTrue(run);
          runs.push(run);
        }
        await settled(system);
        for (const [index, run] of runs.entries()) {
          const { member, players, testCase } = run;
          const expected = outcomeOf(run);
          const again = await transfer(system, member.token, requestFor(from, to, `half-${half}-case-${index}`));
          assert.deepEqual([again.status, again.body.detail], [expected.status, expected.detail], testCase.name);
          const { rows } = await system.database.query<{ reference: string }>(
            `select reference from transfer where member_id = $1 and source = $2 and target = $3`,
            [member.id, from, to],
          );
          assert.equal(rows.length, 1, testCase.name);
          assert.deepEqual(await legStates(system, rows[0]?.reference ?? ''), expected.states, testCase.name);
          const held = [free(member, 'WALLET'), free(member, `GAME:${from}`), free(member, `GAME:${to}`)];
          assert.deepEqual(await Promise.all(held), [expected.wallet, expected.inFrom, expected.inTo], testCase.name);
          await assertBooksAgree(system, ledger, member.id, players);
        }
      });
    }

    test(`${from} to ${to}: while the first half is unknown, the other game and withdrawals are free [R-XFER-02] [R-XFER-04]`, async () => {
      const { member, players } = await gamer(from, to);
      await fund(ledger, member.id, '300.00');
      const { out, balance, check } = callNamesOf(from);
      // The provider answers the balance inquiry, then nothing more.
      await misbehave(system, from, { fault: 'slow', call: balance, delayMs: 1 });
      for (const call of [balance, ...(check === undefined ? [] : [check])])
        await misbehave(system, from, { fault: 'error-500', call, times: 500 });
      await misbehave(system, from, { fault: 'timeout-applied', call: out });
      const reply = await transfer(system, member.token, requestFor(from, to, 'first-half-open'));
      assert.equal(reply.status, 202, JSON.stringify(reply.body));
      assert.deepEqual(await legStates(system, reply.body.reference), ['UNKNOWN', 'REVERSED']);
      const into = { from: 'WALLET', to, amount: 10, key: 'meanwhile-into-it' };
      assert.equal((await transfer(system, member.token, into)).status, 200);
      const again = { from, to: 'WALLET', amount: 1, key: 'meanwhile-out-of-it' };
      assertRefused(await transfer(system, member.token, again), 'REQUEST_LIMIT', 'TRANSFER_IN_PROGRESS');
      await system.database.query(
        `update transfer_leg set state = 'MANUAL' where provider_reference = $1 and state = 'UNKNOWN'`,
        [`${reply.body.reference}-1`],
      );
      const paid = await withdraw(system, member, 100);
      assert.equal(paid.status, 200, JSON.stringify(paid.body));
      await system.database.query(
        `update transfer_leg set proof = 'APPLIED', next_ask_at = now() where provider_reference = $1`,
        [`${reply.body.reference}-1`],
      );
      await behave(system);
      await settled(system);
      assert.deepEqual(await legStates(system, reply.body.reference), ['DONE', 'REVERSED']);
      assertRefused(
        await transfer(system, member.token, requestFor(from, to, 'first-half-open')),
        'TRANSFER_FAIL',
        'RESTS_IN_WALLET',
      );
      await system.api('GET /api/wallet/refresh/slot', { token: member.token });
      await assertBooksAgree(system, ledger, member.id, players);
    });

    test(`${from} to ${to}: a game in maintenance answers with its code and the detail says where the money is [R-XFER-02]`, async () => {
      const { member, players } = await gamer(from, to);
      const go = (key: string) => transfer(system, member.token, requestFor(from, to, key));
      try {
        await maintain(system, from, true);
        assertRefused(await go('first-in-maintenance'), 'TRANSFER_FAIL', 'PROVIDER_MAINTENANCE');
        await maintain(system, from, false);
        await maintain(system, to, true);
        assertRefused(await go('second-in-maintenance'), 'TRANSFER_FAIL', 'RESTS_IN_WALLET');
        const into = { from: 'WALLET', to, amount: 40.5, key: 'still-in-maintenance' };
        assertRefused(await transfer(system, member.token, into), 'TRANSFER_FAIL', 'PROVIDER_MAINTENANCE');
      } finally {
        await maintain(system, from, false);
        await maintain(system, to, false);
      }
      assertRefused(await go('second-in-maintenance'), 'TRANSFER_FAIL', 'RESTS_IN_WALLET');
      assert.equal(await free(member, 'WALLET'), '40.50');
      await assertBooksAgree(system, ledger, member.id, players);
      // An unreachable provider is detected before anything is stored: the key is still unused.
      assert.equal((await go('first-in-maintenance')).status, 200);
      await assertBooksAgree(system, ledger, member.id, players);
    });
  }
});

describe('limits of money from game to game', () => {
  test('more than the balance of the first game is MONEY_NOT_ENOUGH, winnings may be moved, and neither touches the second [R-XFER-02]', async () => {
    const [from, to] = PAIRS[0] ?? assert.fail('no pair');
    const { member, players } = await gamer(from, to, '20.00');
    assertRefused(await transfer(system, member.token, requestFor(from, to, 'too-much-there')), 'MONEY_NOT_ENOUGH');
    await play(system, from, players[from] ?? '', '10.00', '35.50');
    const won = await transfer(system, member.token, requestFor(from, to, 'won-meanwhile'));
    assert.equal(won.status, 200, JSON.stringify(won.body));
    assert.deepEqual([await free(member, 'WALLET'), await free(member, `GAME:${to}`)], ['0.00', '40.50']);
    await assertBooksAgree(system, ledger, member.id, players);
  });

  test('both directions concurrently, each with its key three times: one at a time, nothing twice [R-XFER-04]', async () => {
    const [one, other] = PAIRS[0] ?? assert.fail('no pair');
    const { member, players } = await gamer(one, other);
    const back = await transfer(system, member.token, { from: one, to: other, amount: 50 });
    assert.equal(back.status, 200);
    const wishes = [requestFor(one, other, 'there-and-back-1'), requestFor(other, one, 'there-and-back-2')];
    const replies = await Promise.all(
      [...wishes, ...wishes, ...wishes].map((request) => transfer(system, member.token, request)),
    );
    await settled(system);
    const moved = [0, 1].map((index) => {
      const firstReply = replies.filter((_, place) => place % 2 === index);
      for (const { status, body } of firstReply) {
        assert.ok(status === 200 || body.detail === 'TRANSFER_IN_PROGRESS', `${status} ${JSON.stringify(body)}`);
      }
      return new Set(firstReply.flatMap(({ body }) => body.reference ?? [])).size;
    });
    assert.ok(moved.every((count) => count <= 1) && moved.includes(1), moved.join());
    const net = 40.5 * ((moved[1] ?? 0) - (moved[0] ?? 0));
    assert.equal(await free(member, `GAME:${one}`), (50 + net).toFixed(2));
    assert.equal(await free(member, 'WALLET'), '0.00');
    await assertBooksAgree(system, ledger, member.id, players);
  });
});
