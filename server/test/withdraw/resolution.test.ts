import { strict as assert } from 'node:assert';
import { describe, test } from 'node:test';
import { canFollow, type WithdrawState, withdrawTransitions } from '@krapao/contract/states';
import fc from 'fast-check';
import type { PayoutInquiry } from '../../src/adapters/payout.ts';
import { verdictFromInquiry } from '../../src/modules/withdraw/resolve-withdrawal.ts';
import { isClosed, parseWithdrawAmount } from '../../src/modules/withdraw/withdraw.ts';
import { assertTransition } from '../../src/platform/state-machine.ts';

const TIMEOUT_MS = 10_000;
/** More than twice the timeout and the two seconds within which a call starts. */
const SETTLED_MS = 22_001;
const DAY_MS = 86_400_000;
const states = Object.keys(withdrawTransitions) as WithdrawState[];
const factsWith = (changes: Partial<Parameters<typeof verdictFromInquiry>[0]> = {}) => ({
  state: 'UNKNOWN' as WithdrawState,
  absences: 0,
  sentAgoMs: 100,
  firstSentAgoMs: 100,
  ...changes,
});

const arbitraryInquiry: fc.Arbitrary<PayoutInquiry> = fc.constantFrom<PayoutInquiry[]>(
  { status: 'ACCEPTED' },
  { status: 'PAID', transRef: 'T1' },
  { status: 'FAILED', reason: 'ACCOUNT_CLOSED', note: 'closed' },
  { status: 'NOT_FOUND' },
  { status: 'UNKNOWN', note: 'silence' },
);

describe("conclusions from the bank's reports about a payout", () => {
  test('only a report about the payout ends it: a missing reply or an unknown reference never returns money [R-WDR-02]', () => {
    fc.assert(
      fc.property(
        fc.constantFrom<WithdrawState>('ACCEPTED', 'UNKNOWN', 'MANUAL'),
        fc.nat(5),
        fc.nat(2 * DAY_MS),
        fc.nat(2 * DAY_MS),
        arbitraryInquiry,
        (state, absences, sentAgoMs, extraMs, inquiry) => {
          const inquiryFacts = factsWith({ state, absences, sentAgoMs, firstSentAgoMs: sentAgoMs + extraMs });
          const { next } = verdictFromInquiry(inquiryFacts, inquiry, TIMEOUT_MS);
          assert.equal(next === 'proof', inquiry.status === 'PAID' || inquiry.status === 'FAILED');
          if (next === 'send') assert.equal(inquiry.status, 'NOT_FOUND');
          if (next === 'manual') assert.ok(canFollow(withdrawTransitions, state, 'MANUAL'));
          if (next === 'accepted') assert.ok(canFollow(withdrawTransitions, state, 'ACCEPTED'));
        },
      ),
    );
  });

  test('a payout is sent again only after two reports of absence, later than twice the timeout [R-WDR-02]', () => {
    const verdictOf = (absences: number, sentAgoMs: number) =>
      verdictFromInquiry(
        factsWith({ absences, sentAgoMs, firstSentAgoMs: sentAgoMs }),
        { status: 'NOT_FOUND' },
        TIMEOUT_MS,
      ).next;
    assert.equal(verdictOf(0, SETTLED_MS), 'wait');
    assert.equal(verdictOf(1, SETTLED_MS - 2), 'wait');
    assert.equal(verdictOf(9, 0), 'wait');
    assert.equal(verdictOf(1, SETTLED_MS), 'send');
  });

  test('a payout that the bank had accepted is never sent again, whatever it reports later [R-WDR-02]', () => {
    for (const state of ['ACCEPTED', 'MANUAL'] as const) {
      const inquiryFacts = factsWith({ state, absences: 9, sentAgoMs: SETTLED_MS, firstSentAgoMs: SETTLED_MS });
      assert.equal(verdictFromInquiry(inquiryFacts, { status: 'NOT_FOUND' }, TIMEOUT_MS).next, 'wait');
    }
  });

  test('a payout waits for an operator a day after its first order, not its last [R-WDR-02]', () => {
    const oldFacts = factsWith({ sentAgoMs: 100, firstSentAgoMs: DAY_MS + 1 });
    for (const status of ['NOT_FOUND', 'UNKNOWN'] as const) {
      assert.equal(verdictFromInquiry(oldFacts, { status, note: 'silence' }, TIMEOUT_MS).next, 'manual');
    }
    const acceptedFacts = factsWith({ state: 'ACCEPTED', firstSentAgoMs: DAY_MS + 1 });
    assert.equal(verdictFromInquiry(acceptedFacts, { status: 'ACCEPTED' }, TIMEOUT_MS).next, 'manual');
    assert.equal(verdictFromInquiry(oldFacts, { status: 'PAID', transRef: 'T1' }, TIMEOUT_MS).next, 'proof');
  });
});

describe('the states of a withdrawal', () => {
  test('a final withdrawal keeps its state, and every other one can still fail', () => {
    for (const state of states) {
      assert.equal(isClosed(state), state === 'PAID' || state === 'FAILED', state);
      if (!isClosed(state)) assert.ok(canFollow(withdrawTransitions, state, 'FAILED'), state);
    }
    assert.throws(() => assertTransition(withdrawTransitions, 'PAID', 'FAILED'), /PAID to FAILED/);
    assert.throws(() => assertTransition(withdrawTransitions, 'HELD', 'PAID'), /HELD to PAID/);
  });

  test('an amount is within the limits, both included, and whole for kip, or has the reason for its refusal', () => {
    const limits = { min: 10_000n, max: 5_000_000n };
    assert.equal(parseWithdrawAmount(100, 'BAHT', limits), 10_000n);
    assert.equal(parseWithdrawAmount(50_000, 'BAHT', limits), 5_000_000n);
    assert.equal(parseWithdrawAmount(99.99, 'BAHT', limits), 'WITHDRAW_MINIMUM');
    assert.equal(parseWithdrawAmount(50_000.01, 'BAHT', limits), 'WITHDRAW_MAXIMUM');
    for (const value of [0, -1, Number.NaN, Infinity, 100.001, '100', null, {}, 1e21]) {
      assert.equal(parseWithdrawAmount(value, 'BAHT', limits), 'AMOUNT_INVALID', JSON.stringify(value));
    }
    assert.equal(parseWithdrawAmount(100, 'LAK', limits), 10_000n);
    assert.equal(parseWithdrawAmount(100.5, 'LAK', limits), 'AMOUNT_INVALID');
  });
});
