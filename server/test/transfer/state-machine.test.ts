import { strict as assert } from 'node:assert';
import { describe, test } from 'node:test';
import { minor } from '@krapao/contract/money';
import { canFollow, type TransferState, transferTransitions } from '@krapao/contract/states';
import fc from 'fast-check';
import { credits, type Moved, type Outcome, type ProviderBalance } from '../../src/adapters/game/port.ts';
import {
  type InquiryVerdict,
  verdictFromBalance,
  verdictFromInquiry,
  verdictFromSilence,
} from '../../src/modules/transfer/resolve-leg.ts';
import { resultOf, legsBetween, readTransferAmount } from '../../src/modules/transfer/transfer.ts';
import { backoffMs } from '../../src/platform/jobs/resolver.ts';

const TIMEOUT_MS = 10_000;
/** Twice the timeout, and the two seconds within which a call starts. */
const STILL_APPLIES_MS = 22_000;
const DAY_MS = 86_400_000;
const states = Object.keys(transferTransitions) as TransferState[];

const unknownOutcome = { outcome: 'unknown', note: 'silence' } as const;
const absentOutcome = { outcome: 'refused', reason: 'no-transfer', note: 'not there' } as const;
const noPlayerOutcome = { outcome: 'refused', reason: 'no-player', note: 'who is that' } as const;
const foundOutcome: Outcome<Moved> = { outcome: 'done', value: { balance: credits(500n) } };
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
  sentAgoMs: fc.oneof(fc.constant(null), fc.nat({ max: 5 * TIMEOUT_MS }), fc.nat({ max: 2 * DAY_MS })),
  direction: fc.constantFrom('in' as const, 'out' as const),
  credits: fc.bigInt({ min: 1n, max: 10n ** 12n }).map(credits),
  balanceBefore: fc.bigInt({ min: 0n, max: 10n ** 12n }).map(credits),
  turnoverBefore: fc.option(fc.bigInt({ min: 0n, max: 10n ** 12n }).map(credits)),
});

type InquiryFacts = Parameters<typeof verdictFromBalance>[0];

const expectedOf = ({ direction, credits: amount }: InquiryFacts): bigint =>
  direction === 'in' ? amount : 0n - amount;

/**
 * Asserts that the leg is inquired again while the call may still be executed, then left to an operator, and never
 * counted as refused.
 */
function assertStaysOpen({ sentAgoMs }: InquiryFacts, verdict: InquiryVerdict): void {
  assert.equal(verdict.next, (sentAgoMs ?? 0) > STILL_APPLIES_MS ? 'manual' : 'wait');
  if (verdict.next === 'wait') assert.ok(!verdict.isAbsent);
}

describe('the state machine of a transfer', () => {
  test('final states of a transfer have no next state, and every other state leads to both of them', () => {
    const reachableFrom = (from: TransferState): Set<TransferState> => {
      const reachedStates = new Set<TransferState>([from]);
      for (const state of reachedStates)
        for (const nextState of transferTransitions[state]) reachedStates.add(nextState);
      return reachedStates;
    };
    for (const state of states) {
      const isFinal = transferTransitions[state].length === 0;
      assert.equal(isFinal, state === 'DONE' || state === 'REVERSED');
      if (!isFinal) assert.ok(reachableFrom(state).has('DONE') && reachableFrom(state).has('REVERSED'), state);
    }
    assert.ok(!canFollow(transferTransitions, 'QUEUED', 'DONE'), 'nothing arrives that was never sent');
  });

  test('a transfer returns success or failure only when every leg has ended [R-XFER-04]', () => {
    const arbitraryLeg = fc.constantFrom(...states).map((state) => ({
      state,
      code: state === 'REVERSED' ? ('TRANSFER_FAIL' as const) : null,
      detail: null,
    }));
    fc.assert(
      fc.property(fc.array(arbitraryLeg, { minLength: 1, maxLength: 2 }), (legs) => {
        const { kind } = resultOf(legs);
        const states = legs.map(({ state }) => state);
        if (kind === 'done') assert.ok(states.every((state) => state === 'DONE'));
        else if (kind === 'refused') {
          assert.ok(states.includes('REVERSED') && states.every((state) => state === 'DONE' || state === 'REVERSED'));
        } else assert.ok(states.some((state) => state !== 'DONE' && state !== 'REVERSED'));
      }),
    );
  });

  test('a transfer has one leg, or two through the wallet', () => {
    assert.deepEqual(legsBetween('WALLET', 'pg'), [{ gameCode: 'pg', direction: 'in' }]);
    assert.deepEqual(legsBetween('pg', 'WALLET'), [{ gameCode: 'pg', direction: 'out' }]);
    assert.deepEqual(legsBetween('pg', 'askmebet'), [
      { gameCode: 'pg', direction: 'out' },
      { gameCode: 'askmebet', direction: 'in' },
    ]);
  });

  test("a transfer's amount is parsed exactly, or refused [R-XFER-02]", () => {
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
  test('the resolver inquires immediately, after 2, 4, 8 … 128 s, and then every five minutes [R-XFER-04]', () => {
    const pauseSeconds = Array.from({ length: 10 }, (_, index) => backoffMs(index + 1) / 1000);
    assert.deepEqual(pauseSeconds, [2, 4, 8, 16, 32, 64, 128, 300, 300, 300]);
  });

  test('a missing reply alone never moves money, and after a day an operator decides [R-XFER-04]', () => {
    fc.assert(
      fc.property(leg, (facts) => {
        for (const verdict of [
          verdictFromInquiry(facts, unknownOutcome, TIMEOUT_MS),
          verdictFromInquiry(facts, noPlayerOutcome, TIMEOUT_MS),
          verdictFromBalance(facts, noPlayerOutcome, TIMEOUT_MS),
          verdictFromBalance(facts, unknownOutcome, TIMEOUT_MS),
          verdictFromSilence(facts, 'not configured'),
        ]) {
          assert.equal(verdict.next, (facts.sentAgoMs ?? 0) > DAY_MS ? 'manual' : 'wait');
          assert.ok(verdict.next === 'manual' || (verdict.next === 'wait' && !verdict.isAbsent));
        }
      }),
    );
  });

  test('"not found" proves a refusal only when repeated and later than twice the timeout [R-XFER-04]', () => {
    fc.assert(
      fc.property(leg, (facts) => {
        const isProof = facts.absences >= 1 && (facts.sentAgoMs ?? 0) > STILL_APPLIES_MS;
        const expected = isProof ? 'refused' : 'wait';
        assert.equal(verdictFromInquiry(facts, absentOutcome, TIMEOUT_MS).next, expected);
        const quietFacts = { ...facts, turnoverBefore: credits(5n) };
        const sameVerdict = verdictFromBalance(quietFacts, balance(facts.balanceBefore, 0n, 5n), TIMEOUT_MS);
        assert.equal(sameVerdict.next, expected);
        if (sameVerdict.next === 'wait') assert.ok(sameVerdict.isAbsent);
      }),
    );
  });

  test('a transfer found at the provider is done, whatever the earlier replies [R-XFER-04]', () => {
    fc.assert(
      fc.property(leg, (facts) => {
        assert.deepEqual(verdictFromInquiry(facts, foundOutcome, TIMEOUT_MS), {
          next: 'applied',
          balance: credits(500n),
        });
      }),
    );
  });

  test('a balance proves a transfer only by the exact amount, including stakes [R-XFER-04]', () => {
    fc.assert(
      fc.property(
        leg,
        fc.bigInt({ min: -(10n ** 12n), max: 10n ** 12n }),
        fc.nat({ max: 1000 }),
        (facts, balanceChange, openStake) => {
          const now = facts.balanceBefore + balanceChange;
          fc.pre(now >= 0n);
          const staked = BigInt(openStake) < now ? BigInt(openStake) : 0n;
          const quietFacts = { ...facts, turnoverBefore: credits(5n) };
          const verdict: InquiryVerdict = verdictFromBalance(quietFacts, balance(now - staked, staked, 5n), TIMEOUT_MS);
          if (balanceChange === expectedOf(facts)) assert.equal(verdict.next, 'applied');
          else if (balanceChange === 0n) assert.ok(verdict.next === 'wait' || verdict.next === 'refused');
          else assert.equal(verdict.next, (facts.sentAgoMs ?? 0) > STILL_APPLIES_MS ? 'manual' : 'wait');
        },
      ),
    );
  });

  test('after rounds were settled no balance proves a transfer, not even the exact amount [R-XFER-04]', () => {
    const arbitraryStake = fc.bigInt({ min: 1n, max: 10n ** 12n });
    fc.assert(
      fc.property(leg, arbitraryStake, fc.constantFrom(0n, 1n), (facts, stakeAmount, isMoved) => {
        const playedFacts = { ...facts, turnoverBefore: credits(5n) };
        const now = facts.balanceBefore + isMoved * expectedOf(facts);
        fc.pre(now >= 0n && facts.balanceBefore > 0n);
        assertStaysOpen(facts, verdictFromBalance(playedFacts, balance(now, 0n, 5n + stakeAmount), TIMEOUT_MS));
        assert.notEqual(verdictFromBalance(playedFacts, balance(now, 0n, 5n), TIMEOUT_MS).next, 'manual');
      }),
    );
  });

  test('without reported stakes no balance proves a transfer [R-XFER-04]', () => {
    const turnoverReadings = fc.constantFrom([null, null], [5n, null], [null, 5n]);
    fc.assert(
      fc.property(leg, turnoverReadings, fc.constantFrom(0n, 1n), (facts, [before = null, after = null], isMoved) => {
        const silentFacts = { ...facts, turnoverBefore: before === null ? null : credits(before) };
        const now = facts.balanceBefore + isMoved * expectedOf(facts);
        fc.pre(now >= 0n && facts.balanceBefore > 0n);
        const verdict = verdictFromBalance(silentFacts, balance(now, 0n, after), TIMEOUT_MS);
        assertStaysOpen(facts, verdict);
        const seenBalance = 'reading' in verdict ? verdict.reading : null;
        assert.deepEqual(
          [seenBalance?.cashAndStakes, seenBalance?.turnover],
          [now, after],
          'an operator sees the balance',
        );
      }),
    );
  });

  test('in an account that was empty, exactly the amount proves the transfer, and no money proves nothing [R-XFER-04]', () => {
    fc.assert(
      fc.property(leg, (facts) => {
        const factsFromZero = {
          ...facts,
          direction: 'in' as const,
          balanceBefore: credits(0n),
          turnoverBefore: null,
        };
        const verdict = verdictFromBalance(factsFromZero, balance(facts.credits), TIMEOUT_MS);
        assert.deepEqual(verdict, { next: 'applied', balance: facts.credits });
        assertStaysOpen(facts, verdictFromBalance(factsFromZero, balance(0n), TIMEOUT_MS));
        assertStaysOpen(facts, verdictFromBalance(factsFromZero, balance(facts.credits + 1n), TIMEOUT_MS));
        assertStaysOpen(
          facts,
          verdictFromBalance({ ...factsFromZero, direction: 'out' }, balance(facts.credits), TIMEOUT_MS),
        );
      }),
    );
  });
});
