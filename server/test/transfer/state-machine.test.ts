import { strict as assert } from 'node:assert';
import { describe, test } from 'node:test';
import { canFollow, type TransferState, transferTransitions } from '@krapao/contract/states';
import fc from 'fast-check';
import { minor } from '@krapao/contract/money';
import {
  type InquiryVerdict,
  verdictFromBalance,
  verdictFromInquiry,
  verdictFromSilence,
} from '../../src/modules/transfer/resolve-leg.ts';
import { INQUIRY_MAX_MS, backoffMs, mayStillApplyMs } from '../../src/platform/jobs/resolver.ts';
import { resultOf, legsBetween, readTransferAmount } from '../../src/modules/transfer/transfer.ts';
import { credits, type Moved, type Outcome, type ProviderBalance } from '../../src/adapters/game/port.ts';

const TIMEOUT_MS = 10_000;
const states = Object.keys(transferTransitions) as TransferState[];

const noAnswer = { outcome: 'unknown', note: 'silence' } as const;
const absent = { outcome: 'refused', reason: 'no-transfer', note: 'not there' } as const;
const noPlayer = { outcome: 'refused', reason: 'no-player', note: 'who is that' } as const;
const found: Outcome<Moved> = { outcome: 'done', value: { balance: credits(500n) } };
const balance = (cash: bigint, outstanding = 0n, turnover: bigint | null = null): Outcome<ProviderBalance> => ({
  outcome: 'done',
  value: {
    cash: credits(cash),
    outstanding: credits(outstanding),
    turnover: turnover === null ? null : credits(turnover),
  },
});

const leg = fc.record({
  absences: fc.nat({ max: 5 }),
  sentAgoMs: fc.oneof(fc.constant(null), fc.nat({ max: 5 * TIMEOUT_MS }), fc.nat({ max: 2 * INQUIRY_MAX_MS })),
  direction: fc.constantFrom('in' as const, 'out' as const),
  credits: fc.bigInt({ min: 1n, max: 10n ** 12n }).map(credits),
  balanceBefore: fc.bigInt({ min: 0n, max: 10n ** 12n }).map(credits),
  turnoverBefore: fc.option(fc.bigInt({ min: 0n, max: 10n ** 12n }).map(credits)),
});

type Asked = Parameters<typeof verdictFromBalance>[0];

const expectedOf = ({ direction, credits: amount }: Asked): bigint => (direction === 'in' ? amount : 0n - amount);

/** Inquired again while the call may still be executed, then left to an operator; never taken for a refusal. */
function leavesItOpen({ sentAgoMs }: Asked, judged: InquiryVerdict): void {
  assert.equal(judged.next, (sentAgoMs ?? 0) > mayStillApplyMs(TIMEOUT_MS) ? 'manual' : 'wait');
  if (judged.next === 'wait') assert.ok(!judged.absent);
}

describe('the state machine of a transfer', () => {
  test('final states have no way out, and every other state leads to both of them', () => {
    const reach = (from: TransferState): Set<TransferState> => {
      const seen = new Set<TransferState>([from]);
      for (const state of seen) for (const next of transferTransitions[state]) seen.add(next);
      return seen;
    };
    for (const state of states) {
      const isFinal = transferTransitions[state].length === 0;
      assert.equal(isFinal, state === 'DONE' || state === 'REVERSED');
      if (!isFinal) assert.ok(reach(state).has('DONE') && reach(state).has('REVERSED'), state);
    }
    assert.ok(!canFollow(transferTransitions, 'QUEUED', 'DONE'), 'nothing arrives that was never sent');
  });

  test('success or failure is answered only when every movement has ended [R-XFER-04]', () => {
    const anyLeg = fc.constantFrom(...states).map((state) => ({
      state,
      code: state === 'REVERSED' ? ('TRANSFER_FAIL' as const) : null,
      detail: null,
    }));
    fc.assert(
      fc.property(fc.array(anyLeg, { minLength: 1, maxLength: 2 }), (legs) => {
        const { kind } = resultOf(legs);
        const all = legs.map(({ state }) => state);
        if (kind === 'done') assert.ok(all.every((state) => state === 'DONE'));
        else if (kind === 'refused') {
          assert.ok(all.includes('REVERSED') && all.every((state) => state === 'DONE' || state === 'REVERSED'));
        } else assert.ok(all.some((state) => state !== 'DONE' && state !== 'REVERSED'));
      }),
    );
  });

  test('a transfer is one movement, or two through the wallet', () => {
    assert.deepEqual(legsBetween('WALLET', 'pg'), [{ gameCode: 'pg', direction: 'in' }]);
    assert.deepEqual(legsBetween('pg', 'WALLET'), [{ gameCode: 'pg', direction: 'out' }]);
    assert.deepEqual(legsBetween('pg', 'askmebet'), [
      { gameCode: 'pg', direction: 'out' },
      { gameCode: 'askmebet', direction: 'in' },
    ]);
  });

  test('an amount is read exactly, or not at all [R-XFER-02]', () => {
    fc.assert(
      fc.property(fc.integer({ min: 100, max: 999_999_999_999_999 }), (satang) => {
        assert.equal(readTransferAmount(satang / 100), minor(BigInt(satang)));
      }),
    );
    fc.assert(
      fc.property(fc.anything(), (value) => {
        const amount = readTransferAmount(value);
        if (amount === undefined) return;
        assert.ok(typeof value === 'number' && amount >= 100n);
        assert.equal(Number(amount) / 100, value);
      }),
    );
  });
});

describe('the resolver’s judgement', () => {
  test('inquires immediately, after 2, 4, 8 … 128 s, then every five minutes [R-XFER-04]', () => {
    const pauses = Array.from({ length: 10 }, (_, index) => backoffMs(index + 1) / 1000);
    assert.deepEqual(pauses, [2, 4, 8, 16, 32, 64, 128, 300, 300, 300]);
  });

  test('silence alone never moves money, and after a day it is an operator’s [R-XFER-04]', () => {
    fc.assert(
      fc.property(leg, (asked) => {
        for (const judged of [
          verdictFromInquiry(asked, noAnswer, TIMEOUT_MS),
          verdictFromInquiry(asked, noPlayer, TIMEOUT_MS),
          verdictFromBalance(asked, noPlayer, TIMEOUT_MS),
          verdictFromBalance(asked, noAnswer, TIMEOUT_MS),
          verdictFromSilence(asked, 'not configured'),
        ]) {
          assert.equal(judged.next, (asked.sentAgoMs ?? 0) > INQUIRY_MAX_MS ? 'manual' : 'wait');
          assert.ok(judged.next === 'manual' || (judged.next === 'wait' && !judged.absent));
        }
      }),
    );
  });

  test('"not found" is a refusal only when repeated and later than twice the timeout [R-XFER-04]', () => {
    fc.assert(
      fc.property(leg, (asked) => {
        const isProof = asked.absences >= 1 && (asked.sentAgoMs ?? 0) > mayStillApplyMs(TIMEOUT_MS);
        const expected = isProof ? 'refused' : 'wait';
        assert.equal(verdictFromInquiry(asked, absent, TIMEOUT_MS).next, expected);
        const quiet = { ...asked, turnoverBefore: credits(5n) };
        const same = verdictFromBalance(quiet, balance(asked.balanceBefore, 0n, 5n), TIMEOUT_MS);
        assert.equal(same.next, expected);
        if (same.next === 'wait') assert.ok(same.absent);
      }),
    );
  });

  test('a found transfer is done, whatever the earlier replies [R-XFER-04]', () => {
    fc.assert(
      fc.property(leg, (asked) => {
        assert.deepEqual(verdictFromInquiry(asked, found, TIMEOUT_MS), { next: 'applied', balance: credits(500n) });
      }),
    );
  });

  test('by the balance only the exact amount is a yes, stakes counted; anything else is never guessed [R-XFER-04]', () => {
    fc.assert(
      fc.property(
        leg,
        fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }),
        fc.nat({ max: 1000 }),
        (asked, change, open) => {
          const now = asked.balanceBefore + change;
          fc.pre(now >= 0n);
          const staked = BigInt(open) < now ? BigInt(open) : 0n;
          const quiet = { ...asked, turnoverBefore: credits(5n) };
          const judged: InquiryVerdict = verdictFromBalance(quiet, balance(now - staked, staked, 5n), TIMEOUT_MS);
          if (change === expectedOf(asked)) assert.equal(judged.next, 'applied');
          else if (change === 0n) assert.ok(judged.next === 'wait' || judged.next === 'refused');
          else assert.equal(judged.next, (asked.sentAgoMs ?? 0) > mayStillApplyMs(TIMEOUT_MS) ? 'manual' : 'wait');
        },
      ),
    );
  });

  test('once rounds were settled no balance proves anything, not even the exact amount [R-XFER-04]', () => {
    const staked = fc.bigInt({ min: 1n, max: 10n ** 12n });
    fc.assert(
      fc.property(leg, staked, fc.constantFrom(0n, 1n), (asked, stakes, isMoved) => {
        const played = { ...asked, turnoverBefore: credits(5n) };
        const now = asked.balanceBefore + isMoved * expectedOf(asked);
        fc.pre(now >= 0n && asked.balanceBefore > 0n);
        leavesItOpen(asked, verdictFromBalance(played, balance(now, 0n, 5n + stakes), TIMEOUT_MS));
        assert.notEqual(verdictFromBalance(played, balance(now, 0n, 5n), TIMEOUT_MS).next, 'manual');
      }),
    );
  });

  test('without a report of stakes no balance proves anything either [R-XFER-04]', () => {
    const readings = fc.constantFrom([null, null], [5n, null], [null, 5n]);
    fc.assert(
      fc.property(leg, readings, fc.constantFrom(0n, 1n), (asked, [before = null, after = null], isMoved) => {
        const silent = { ...asked, turnoverBefore: before === null ? null : credits(before) };
        const now = asked.balanceBefore + isMoved * expectedOf(asked);
        fc.pre(now >= 0n && asked.balanceBefore > 0n);
        const judged = verdictFromBalance(silent, balance(now, 0n, after), TIMEOUT_MS);
        leavesItOpen(asked, judged);
        const seen = 'seen' in judged ? judged.seen : null;
        assert.deepEqual([seen?.whole, seen?.turnover], [now, after], 'an operator sees the balance');
      }),
    );
  });

  test('where nothing was, exactly the amount has come with the transfer; nothing proves nothing [R-XFER-04]', () => {
    fc.assert(
      fc.property(leg, (asked) => {
        const fromNothing = { ...asked, direction: 'in' as const, balanceBefore: credits(0n), turnoverBefore: null };
        const there = verdictFromBalance(fromNothing, balance(asked.credits), TIMEOUT_MS);
        assert.deepEqual(there, { next: 'applied', balance: asked.credits });
        leavesItOpen(asked, verdictFromBalance(fromNothing, balance(0n), TIMEOUT_MS));
        leavesItOpen(asked, verdictFromBalance(fromNothing, balance(asked.credits + 1n), TIMEOUT_MS));
        leavesItOpen(
          asked,
          verdictFromBalance({ ...fromNothing, direction: 'out' }, balance(asked.credits), TIMEOUT_MS),
        );
      }),
    );
  });
});
