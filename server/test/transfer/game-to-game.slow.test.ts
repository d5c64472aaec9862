import { strict as assert } from 'node:assert';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Ledger } from '../../src/ledger/index.ts';
import type { ApiReply } from '../harness/api-client.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import {
  assertBooksAgree,
  clearProviderFaults,
  type GameCode,
  readLegStates,
  setProviderMaintenance,
  failProvider,
  openGame,
  playRound,
  outsideWithProviderTimeout,
  untilSettled,
  transfer,
} from '../harness/games.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { readBalance, fundWallet, createTestLedger } from '../harness/money.ts';
import {
  providerCallNames,
  type FaultCase,
  FAULTY_TIMEOUT_MS,
  PROVIDER_FAULT_CASES,
} from '../harness/provider-calls.ts';
import { startSystem, type System } from '../harness/system.ts';
import { withdraw } from '../withdraw/payout-fixtures.ts';

/** A provider with inquiries and one without, each on either side. Their faults are tested in `provider/`. */
const GAME_PAIRS: [GameCode, GameCode][] = [
  ['pg', 'askmebet'],
  ['askmebet', 'pg'],
];

type TransferRun = {
  testCase: FaultCase;
  faultyLeg: 1 | 2;
  member: TestMember;
  players: Record<GameCode, string>;
  reply: ApiReply;
};
type ExpectedOutcome = {
  status: number;
  detail?: string;
  states: string[];
  wallet: string;
  inFrom: string;
  inTo: string;
};

/** In progress or ended: an inquiry may be answered before the reply is sent. */
function assertTrue(transferRun: TransferRun): void {
  const { testCase, reply } = transferRun;
  const { status, detail } = outcomeOf(transferRun);
  if (testCase.firstReply === 'PROCESSING' && reply.status === 202)
    assert.equal(reply.body.message, 'PROCESSING', testCase.name);
  else assert.deepEqual([reply.status, reply.body.detail], [status, detail], testCase.name);
}

/** Moves 40.50 of 100 baht in the first game. */
function outcomeOf({
  testCase: { firstReply, expectedEnd },
  faultyLeg,
}: Pick<TransferRun, 'testCase' | 'faultyLeg'>): ExpectedOutcome {
  const unchangedOutcome = { wallet: '0.00', inFrom: '100.00', inTo: '0.00' };
  const halfDoneOutcome = { status: 502, detail: 'RESTS_IN_WALLET', wallet: '40.50', inFrom: '59.50', inTo: '0.00' };
  if (faultyLeg === 1 && expectedEnd === 'REVERSED')
    return { status: 502, states: ['REVERSED', 'REVERSED'], ...unchangedOutcome };
  // The second leg does not start when the first is resolved late.
  if (faultyLeg === 1 && firstReply === 'PROCESSING') return { states: ['DONE', 'REVERSED'], ...halfDoneOutcome };
  if (faultyLeg === 2 && expectedEnd === 'REVERSED') return { states: ['DONE', 'REVERSED'], ...halfDoneOutcome };
  return { status: 200, states: ['DONE', 'DONE'], wallet: '0.00', inFrom: '59.50', inTo: '40.50' };
}

let system: System;
let ledger: Ledger;
before(async () => {
  system = await startSystem({ outside: outsideWithProviderTimeout(FAULTY_TIMEOUT_MS) });
  ledger = createTestLedger(system);
});
afterEach(() => clearProviderFaults(system));
after(async () => {
  await ledger?.close();
  await system?.stop();
});

async function memberAtGames(from: GameCode, to: GameCode, amount = '100.00') {
  const member = await registerMember(system);
  const players: Record<GameCode, string> = {};
  for (const code of [from, to]) players[code] = (await openGame(system, member.token, code)).username;
  await fundWallet(ledger, member.id, amount);
  const transferReply = await transfer(system, member.token, {
    from: 'WALLET',
    to: from,
    amount: Number(amount),
  });
  assert.equal(transferReply.status, 200, JSON.stringify(transferReply.body));
  return { member, players };
}
const readFreeWithNothingHeld = async ({ id }: TestMember, accountKind: 'WALLET' | `GAME:${string}`) => {
  const balance = await readBalance(ledger, id, accountKind);
  assert.equal(balance.held, '0.00', accountKind);
  return balance.free;
};
const requestFor = (from: GameCode, to: GameCode, key: string) => ({ from, to, amount: 40.5, key });

describe('money from game to game', () => {
  for (const [from, to] of GAME_PAIRS) {
    for (const halfNumber of [1, 2] as const) {
      const faultyGame = halfNumber === 1 ? from : to;
      test(`${from} to ${to} ends both legs correctly with every failure of ${faultyGame}, and a repetition returns the outcome [R-XFER-02] [R-XFER-04]`, async () => {
        const transferRuns: TransferRun[] = [];
        for (const [index, testCase] of PROVIDER_FAULT_CASES.entries()) {
          const { member, players } = await memberAtGames(from, to);
          const { name: _, firstReply: __, expectedEnd: ___, ...fault } = testCase;
          await failProvider(system, faultyGame, {
            ...fault,
            call: providerCallNames(faultyGame)[halfNumber === 1 ? 'out' : 'in'],
          });
          const reply = await transfer(system, member.token, requestFor(from, to, `half-${halfNumber}-case-${index}`));
          await clearProviderFaults(system);
          const transferRun = { testCase, faultyLeg: halfNumber, member, players, reply };
          assertTrue(transferRun);
          transferRuns.push(transferRun);
        }
        await untilSettled(system);
        for (const [index, transferRun] of transferRuns.entries()) {
          const { member, players, testCase } = transferRun;
          const expected = outcomeOf(transferRun);
          const repeatedReply = await transfer(
            system,
            member.token,
            requestFor(from, to, `half-${halfNumber}-case-${index}`),
          );
          assert.deepEqual(
            [repeatedReply.status, repeatedReply.body.detail],
            [expected.status, expected.detail],
            testCase.name,
          );
          const { rows } = await system.database.query<{ reference: string }>(
            `select reference from transfer where member_id = $1 and source = $2 and target = $3`,
            [member.id, from, to],
          );
          assert.equal(rows.length, 1, testCase.name);
          assert.deepEqual(await readLegStates(system, rows[0]?.reference ?? ''), expected.states, testCase.name);
          const heldAmounts = [
            readFreeWithNothingHeld(member, 'WALLET'),
            readFreeWithNothingHeld(member, `GAME:${from}`),
            readFreeWithNothingHeld(member, `GAME:${to}`),
          ];
          assert.deepEqual(
            await Promise.all(heldAmounts),
            [expected.wallet, expected.inFrom, expected.inTo],
            testCase.name,
          );
          await assertBooksAgree(system, ledger, member.id, players);
        }
      });
    }

    test(`${from} to ${to}: while the first leg is unknown, the other game and withdrawals are usable [R-XFER-02] [R-XFER-04]`, async () => {
      const { member, players } = await memberAtGames(from, to);
      await fundWallet(ledger, member.id, '300.00');
      const { out: transferOut, balance, check: inquiry } = providerCallNames(from);
      // The provider answers the balance inquiry, then nothing more.
      await failProvider(system, from, { fault: 'slow', call: balance, delayMs: 1 });
      for (const call of [balance, ...(inquiry === undefined ? [] : [inquiry])])
        await failProvider(system, from, { fault: 'error-500', call, times: 500 });
      await failProvider(system, from, { fault: 'timeout-applied', call: transferOut });
      const reply = await transfer(system, member.token, requestFor(from, to, 'first-half-open'));
      assert.equal(reply.status, 202, JSON.stringify(reply.body));
      assert.deepEqual(await readLegStates(system, reply.body.reference), ['UNKNOWN', 'REVERSED']);
      const inRequest = { from: 'WALLET', to, amount: 10, key: 'meanwhile-into-it' };
      assert.equal((await transfer(system, member.token, inRequest)).status, 200);
      const outRequest = { from, to: 'WALLET', amount: 1, key: 'meanwhile-out-of-it' };
      assertRefused(await transfer(system, member.token, outRequest), 'REQUEST_LIMIT', 'TRANSFER_IN_PROGRESS');
      await system.database.query(
        `update transfer_leg set state = 'MANUAL' where provider_reference = $1 and state = 'UNKNOWN'`,
        [`${reply.body.reference}-1`],
      );
      const withdrawReply = await withdraw(system, member, 100);
      assert.equal(withdrawReply.status, 200, JSON.stringify(withdrawReply.body));
      await system.database.query(
        `update transfer_leg set proof = 'APPLIED', next_inquiry_at = now() where provider_reference = $1`,
        [`${reply.body.reference}-1`],
      );
      await clearProviderFaults(system);
      await untilSettled(system);
      assert.deepEqual(await readLegStates(system, reply.body.reference), ['DONE', 'REVERSED']);
      assertRefused(
        await transfer(system, member.token, requestFor(from, to, 'first-half-open')),
        'TRANSFER_FAIL',
        'RESTS_IN_WALLET',
      );
      await system.api('GET /api/wallet/refresh/slot', { token: member.token });
      await assertBooksAgree(system, ledger, member.id, players);
    });

    test(`${from} to ${to}: a game in maintenance returns its code, and the detail says where the money is [R-XFER-02]`, async () => {
      const { member, players } = await memberAtGames(from, to);
      const sendTransfer = (key: string) => transfer(system, member.token, requestFor(from, to, key));
      try {
        await setProviderMaintenance(system, from, true);
        assertRefused(await sendTransfer('first-in-maintenance'), 'TRANSFER_FAIL', 'PROVIDER_MAINTENANCE');
        await setProviderMaintenance(system, from, false);
        await setProviderMaintenance(system, to, true);
        assertRefused(await sendTransfer('second-in-maintenance'), 'TRANSFER_FAIL', 'RESTS_IN_WALLET');
        const inRequest = { from: 'WALLET', to, amount: 40.5, key: 'still-in-maintenance' };
        assertRefused(await transfer(system, member.token, inRequest), 'TRANSFER_FAIL', 'PROVIDER_MAINTENANCE');
      } finally {
        await setProviderMaintenance(system, from, false);
        await setProviderMaintenance(system, to, false);
      }
      assertRefused(await sendTransfer('second-in-maintenance'), 'TRANSFER_FAIL', 'RESTS_IN_WALLET');
      assert.equal(await readFreeWithNothingHeld(member, 'WALLET'), '40.50');
      await assertBooksAgree(system, ledger, member.id, players);
      // An unreachable provider is detected before anything is stored: the key is still unused.
      assert.equal((await sendTransfer('first-in-maintenance')).status, 200);
      await assertBooksAgree(system, ledger, member.id, players);
    });
  }
});

describe('limits of money from game to game', () => {
  test("more than the first game's balance is MONEY_NOT_ENOUGH, winnings can be moved, and the second game is unaffected [R-XFER-02]", async () => {
    const [from, to] = GAME_PAIRS[0] ?? assert.fail('no pair');
    const { member, players } = await memberAtGames(from, to, '20.00');
    assertRefused(await transfer(system, member.token, requestFor(from, to, 'too-much-there')), 'MONEY_NOT_ENOUGH');
    await playRound(system, from, players[from] ?? '', '10.00', '35.50');
    const concurrentReply = await transfer(system, member.token, requestFor(from, to, 'won-meanwhile'));
    assert.equal(concurrentReply.status, 200, JSON.stringify(concurrentReply.body));
    assert.deepEqual(
      [await readFreeWithNothingHeld(member, 'WALLET'), await readFreeWithNothingHeld(member, `GAME:${to}`)],
      ['0.00', '40.50'],
    );
    await assertBooksAgree(system, ledger, member.id, players);
  });

  test('concurrent transfers in both directions between games, each key three times, run one at a time, none twice [R-XFER-04]', async () => {
    const [firstGame, otherGame] = GAME_PAIRS[0] ?? assert.fail('no pair');
    const { member, players } = await memberAtGames(firstGame, otherGame);
    const backReply = await transfer(system, member.token, { from: firstGame, to: otherGame, amount: 50 });
    assert.equal(backReply.status, 200);
    const transferRequests = [
      requestFor(firstGame, otherGame, 'there-and-back-1'),
      requestFor(otherGame, firstGame, 'there-and-back-2'),
    ];
    const replies = await Promise.all(
      [...transferRequests, ...transferRequests, ...transferRequests].map((request) =>
        transfer(system, member.token, request),
      ),
    );
    await untilSettled(system);
    const acceptedByDirection = [0, 1].map((index) => {
      const firstReply = replies.filter((_, position) => position % 2 === index);
      for (const { status, body } of firstReply) {
        assert.ok(status === 200 || body.detail === 'TRANSFER_IN_PROGRESS', `${status} ${JSON.stringify(body)}`);
      }
      return new Set(firstReply.flatMap(({ body }) => body.reference ?? [])).size;
    });
    assert.ok(
      acceptedByDirection.every((count) => count <= 1) && acceptedByDirection.includes(1),
      acceptedByDirection.join(),
    );
    const netAmount = 40.5 * ((acceptedByDirection[1] ?? 0) - (acceptedByDirection[0] ?? 0));
    assert.equal(await readFreeWithNothingHeld(member, `GAME:${firstGame}`), (50 + netAmount).toFixed(2));
    assert.equal(await readFreeWithNothingHeld(member, 'WALLET'), '0.00');
    await assertBooksAgree(system, ledger, member.id, players);
  });
});
