import { strict as assert } from 'node:assert';
import { after, before, describe, test } from 'node:test';
import type { Ledger } from '../../../src/ledger/index.ts';
import {
  assertBooksAgree,
  behave,
  creditOf,
  eventually,
  legStates,
  misbehave,
  openGame,
  providersWithin,
  transfer,
} from '../../harness/games.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { baht, balanceOf, fund, ledgerOf } from '../../harness/money.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { listeningProvider } from './listening-provider.ts';

const FUNDS = 1_000;
/** Minimum number of reads while bets are placed. */
const READINGS = 25;

describe('open bets at imi', () => {
  let system: System;
  let ledger: Ledger;
  let member: TestMember;
  let imi: string;

  before(async () => {
    // As short as a busy machine allows: proof about a reference takes twice as long.
    system = await startSystem({ outside: providersWithin(1_500) });
    ledger = ledgerOf(system);
    member = await registerMember(system);
    imi = (await openGame(system, member.token, 'imi')).username;
    await fund(ledger, member.id, '2000.00');
    const put = await transfer(system, member.token, { from: 'WALLET', to: 'imi', amount: FUNDS });
    assert.equal(put.status, 200, JSON.stringify(put.body));
  });
  after(async () => {
    await ledger?.close();
    await system?.stop();
  });

  const bet = async (word: 'play' | 'settle', body: object): Promise<{ roundId: number }> => {
    const reply = await system.world(`POST /games/imi/players/${imi}/${word}`, { body });
    assert.equal(reply.status, 200, JSON.stringify(reply.body));
    return reply.body;
  };
  const refresh = async (): Promise<{ isStale: boolean; amount: number; outstanding: number; turnover: number }> => {
    const { body } = await system.api('GET /api/wallet/refresh/slot', { token: member.token });
    return body.slots.find(({ code }: { code: string }) => code === 'imi');
  };
  const fresh = () => eventually('a fresh reading', refresh, ({ isStale }) => !isStale);

  test('stakes are reported apart from movable cash, and settled ones count as turnover [R-GAME-08]', async () => {
    const { roundId } = await bet('play', { stake: '100.00', open: true });
    const open = await fresh();
    assert.deepEqual([open.amount, open.outstanding, open.turnover], [FUNDS - 100, 100, 0]);
    await bet('settle', { roundId, win: '100.00' });
    const settled = await fresh();
    assert.deepEqual([settled.amount, settled.outstanding, settled.turnover], [FUNDS, 0, 100]);
  });

  test('while bets are made and settled, no reading counts a stake twice or loses one [R-GAME-08]', async () => {
    let isReading = true;
    let bets = 0;
    const betting = (async () => {
      for (const open: number[] = []; isReading || open.length > 0;) {
        // A bet is settled right before another of the same stake: the total stays equal.
        const done = open.length > (isReading ? 2 : 0) ? open.shift() : undefined;
        if (done !== undefined) await bet('settle', { roundId: done, win: '40.00' });
        if (isReading) open.push((await bet('play', { stake: '40.00', open: true })).roundId);
        bets += 1;
      }
    })();
    const totals: number[] = [];
    try {
      for (let reading = 0; reading < READINGS || bets < READINGS; reading += 1) {
        const { isStale, amount, outstanding } = await refresh();
        // The ledger is also right when the reading was given up: it is from an earlier read.
        if (!isStale) totals.push(amount + outstanding);
      }
    } finally {
      isReading = false;
      await betting;
    }
    for (const total of totals) assert.equal(total, FUNDS);
    const quiet = await fresh();
    assert.deepEqual([quiet.amount, quiet.outstanding], [FUNDS, 0]);
    await assertBooksAgree(system, ledger, member.id, { imi });
  });

  for (const [applied, states, moved] of [
    [true, ['DONE'], '10.00'],
    [false, ['REVERSED'], '0.00'],
  ] as const) {
    const what = applied ? 'was' : 'was not';
    test(`"that reference was used" proves nothing: the transfer ${what} made, and the balance decides [R-XFER-04]`, async () => {
      const [there, wallet] = [await creditOf(system, 'imi', imi), (await balanceOf(ledger, member.id, 'WALLET')).free];
      // The balance is reported before the transfer out; an immediate second report would prove the transfer before the
      // reply.
      await misbehave(system, 'imi', { fault: 'slow', call: 'balance', delayMs: 1 });
      await misbehave(system, 'imi', { fault: 'error-500', call: 'balance', times: 500 });
      await misbehave(system, 'imi', { fault: 'duplicate-reference', call: 'deposit', applied });
      const reply = await transfer(system, member.token, { from: 'WALLET', to: 'imi', amount: 10 });
      assert.deepEqual([reply.status, reply.body.message], [202, 'PROCESSING'], JSON.stringify(reply.body));
      const { reference } = reply.body;
      await behave(system);
      await eventually(
        'it is found out',
        () => legStates(system, reference),
        (found) => JSON.stringify(found) === JSON.stringify(states),
      );
      assert.equal(baht(await creditOf(system, 'imi', imi)) - baht(there), baht(moved));
      assert.equal(baht(wallet) - baht((await balanceOf(ledger, member.id, 'WALLET')).free), baht(moved));
      await assertBooksAgree(system, ledger, member.id, { imi });
    });
  }
});

describe('what imi reports in consecutive calls', () => {
  const config = { kind: 'imi', user: 'brand', password: 'secret' } as const;
  const username = 'kpmali01';
  /** Replies with `outstanding` from the list, then repeats the last. */
  const telling = (outstanding: readonly [string, number | null][]) => {
    let asked = 0;
    return ({ path }: { path: string }) => {
      if (path === '/balance') return { json: said({ username, balance: '70.00', turnover: '0.00' }) };
      const [stake, lastBetId] = outstanding[Math.min(asked, outstanding.length - 1)] ?? ['0.00', null];
      asked += 1;
      return { json: said({ username, outstanding: stake, lastBetId }) };
    };
  };
  const said = (data: object) => ({ code: 0, message: 'SUCCESS', data });
  const changing = Array.from({ length: 20 }, (_, bet): [string, number] => ['30.00', bet]);

  for (const [what, outstanding, expected, calls] of [
    ['the same before and after', [['30.00', 7]], 'done', 3],
    ['no bet ever', [['0.00', null]], 'done', 3],
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
      'one settled, another of the same stake made',
      [
        ['30.00', 7],
        ['30.00', 8],
      ],
      'done',
      5,
    ],
    ['bets without an end', changing, 'unknown', 7],
  ] as const) {
    test(`${what}: ${expected} after ${calls} calls`, async (t) => {
      const { provider, received, stop } = await listeningProvider(
        config,
        telling(outstanding.map(([stake, id]) => [stake, id])),
      );
      t.after(stop);
      const outcome = await provider.balance(username);
      assert.equal(outcome.outcome, expected);
      assert.equal(received.length, calls);
      if (outcome.outcome !== 'done') return;
      const last = outstanding.at(-1)?.[0] ?? '';
      assert.deepEqual([outcome.value.cash, outcome.value.outstanding], [7_000n, BigInt(last.replace('.', ''))]);
    });
  }
});
