import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../../src/ledger/index.ts';
import {
  assertBooksAgree,
  clearProviderFaults,
  readProviderCredit,
  waitUntilResult,
  readLegStates,
  failProvider,
  openGame,
  outsideWithProviderTimeout,
  transfer,
} from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { parseBaht, readBalance, fundWallet, createTestLedger } from '../../harness/money.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { startListeningProvider } from './listening-provider.ts';

const FUNDS_BAHT = 1_000;
/** Minimum number of reads while bets are placed. */
const READING_COUNT = 25;

describe('open bets at imi', () => {
  let system: System;
  let ledger: Ledger;
  let member: TestMember;
  let imiUsername: string;

  before(async () => {
    // As short as a busy machine allows: a proof by reference takes twice as long.
    system = await startSystem({ outside: outsideWithProviderTimeout(1_500) });
    ledger = createTestLedger(system);
    member = await registerMember(system);
    imiUsername = (await openGame(system, member.token, 'imi')).username;
    await fundWallet(ledger, member.id, '2000.00');
    const transferReply = await transfer(system, member.token, {
      from: 'WALLET',
      to: 'imi',
      amount: FUNDS_BAHT,
    });
    assert.equal(transferReply.status, 200, JSON.stringify(transferReply.body));
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  const sendRound = async (action: 'play' | 'settle', body: object): Promise<{ roundId: number }> => {
    const reply = await system.simulatorsApi(`POST /games/imi/players/${imiUsername}/${action}`, { body });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body;
  };
  const refreshSlot = async (): Promise<{
    isStale: boolean;
    amount: number;
    outstanding: number;
    turnover: number;
  }> => {
    const { body } = await system.api('GET /api/wallet/refresh/slot', { token: member.token });
    return body.slots.find(({ code }: { code: string }) => code === 'imi');
  };
  const readFreshSlot = () => waitUntilResult('a fresh reading', refreshSlot, ({ isStale }) => !isStale);

  test('imi: stakes are separate from movable money, and settled ones count as turnover [R-GAME-08]', async () => {
    const { roundId } = await sendRound('play', { stake: '100.00', open: true });
    const slotWithOpenBets = await readFreshSlot();
    assert.deepEqual(
      [slotWithOpenBets.amount, slotWithOpenBets.outstanding, slotWithOpenBets.turnover],
      [FUNDS_BAHT - 100, 100, 0],
    );
    await sendRound('settle', { roundId, win: '100.00' });
    const settledSlot = await readFreshSlot();
    assert.deepEqual([settledSlot.amount, settledSlot.outstanding, settledSlot.turnover], [FUNDS_BAHT, 0, 100]);
  });

  test('imi: while bets are placed and settled, no reading counts a stake twice or loses one [R-GAME-08]', async () => {
    let isReading = true;
    let betCount = 0;
    const bettingLoop = (async () => {
      for (const openRounds: number[] = []; isReading || openRounds.length > 0;) {
        // A bet is settled right before another of the same stake: the total stays equal.
        const roundToSettle = openRounds.length > (isReading ? 2 : 0) ? openRounds.shift() : undefined;
        if (roundToSettle !== undefined) await sendRound('settle', { roundId: roundToSettle, win: '40.00' });
        if (isReading) openRounds.push((await sendRound('play', { stake: '40.00', open: true })).roundId);
        betCount += 1;
      }
    })();
    const totals: number[] = [];
    try {
      for (let readingNumber = 0; readingNumber < READING_COUNT || betCount < READING_COUNT; readingNumber += 1) {
        const { isStale, amount, outstanding } = await refreshSlot();
        // The ledger is also correct after an abandoned reading: its balance is from an earlier reading.
        if (!isStale) totals.push(amount + outstanding);
      }
    } finally {
      isReading = false;
      await bettingLoop;
    }
    for (const total of totals) assert.equal(total, FUNDS_BAHT);
    const quietSlot = await readFreshSlot();
    assert.deepEqual([quietSlot.amount, quietSlot.outstanding], [FUNDS_BAHT, 0]);
    await assertBooksAgree(system, ledger, member.id, { imi: imiUsername });
  });

  for (const [isApplied, states, movedAmount] of [
    [true, ['DONE'], '10.00'],
    [false, ['REVERSED'], '0.00'],
  ] as const) {
    const outcomeText = isApplied ? 'was' : 'was not';
    test(`imi: "that reference was used" proves nothing: the transfer ${outcomeText} made, and the balance decides [R-XFER-04]`, async () => {
      const [providerCredit, wallet] = [
        await readProviderCredit(system, 'imi', imiUsername),
        (await readBalance(ledger, member.id, 'WALLET')).free,
      ];
      // The balance is reported before the transfer out; an immediate second report would prove the transfer before the
      // reply.
      await failProvider(system, 'imi', { fault: 'slow', call: 'balance', delayMs: 1 });
      await failProvider(system, 'imi', { fault: 'error-500', call: 'balance', times: 500 });
      await failProvider(system, 'imi', { fault: 'duplicate-reference', call: 'deposit', applied: isApplied });
      const reply = await transfer(system, member.token, { from: 'WALLET', to: 'imi', amount: 10 });
      assert.deepEqual([reply.status, reply.body.message], [202, 'PROCESSING'], JSON.stringify(reply.body));
      const { reference } = reply.body;
      await clearProviderFaults(system);
      await waitUntilResult(
        'it is found out',
        () => readLegStates(system, reference),
        (result) => JSON.stringify(result) === JSON.stringify(states),
      );
      assert.equal(
        parseBaht(await readProviderCredit(system, 'imi', imiUsername)) - parseBaht(providerCredit),
        parseBaht(movedAmount),
      );
      assert.equal(
        parseBaht(wallet) - parseBaht((await readBalance(ledger, member.id, 'WALLET')).free),
        parseBaht(movedAmount),
      );
      await assertBooksAgree(system, ledger, member.id, { imi: imiUsername });
    });
  }
});

describe('consecutive reports of imi', () => {
  const config = { kind: 'imi', user: 'brand', password: 'secret' } as const;
  const username = 'kpmali01';
  /** Replies with `outstanding` from the list, then repeats the last. */
  const providerReporting = (outstandingBets: readonly [string, number | null][]) => {
    let callCount = 0;
    return ({ path }: { path: string }) => {
      if (path === '/balance') return { json: successReply({ username, balance: '70.00', turnover: '0.00' }) };
      const [stake, lastBetId] = outstandingBets[Math.min(callCount, outstandingBets.length - 1)] ?? ['0.00', null];
      callCount += 1;
      return { json: successReply({ username, outstanding: stake, lastBetId }) };
    };
  };
  const successReply = (data: object) => ({ code: 0, message: 'SUCCESS', data });
  const changingBets = Array.from({ length: 20 }, (_, betNumber): [string, number] => ['30.00', betNumber]);

  for (const [title, outstandingBets, expected, expectedCalls] of [
    ['equal reports before and after', [['30.00', 7]], 'done', 3],
    ['no bets', [['0.00', null]], 'done', 3],
    [
      'a bet in between',
      [
        ['0.00', 6],
        ['30.00', 7],
      ],
      'done',
      5,
    ],
    [
      'a bet settled in between',
      [
        ['50.00', 7],
        ['30.00', 7],
      ],
      'done',
      5,
    ],
    [
      'a bet settled and an equal one made',
      [
        ['30.00', 7],
        ['30.00', 8],
      ],
      'done',
      5,
    ],
    ['endlessly changing bets', changingBets, 'unknown', 7],
  ] as const) {
    test(`imi: a balance read with ${title} is ${expected} after ${expectedCalls} calls`, async (t) => {
      const { provider, receivedCalls, stop } = await startListeningProvider(
        config,
        providerReporting(outstandingBets.map(([stake, id]) => [stake, id])),
      );
      t.after(stop);
      const outcome = await provider.balance(username);
      assert.equal(outcome.outcome, expected);
      assert.equal(receivedCalls.length, expectedCalls);
      if (outcome.outcome !== 'done') return;
      const last = outstandingBets.at(-1)?.[0] ?? '';
      assert.deepEqual([outcome.value.cash, outcome.value.outstanding], [7_000n, BigInt(last.replace('.', ''))]);
    });
  }
});
