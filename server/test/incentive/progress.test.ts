import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { type Currency, minor, smallestUnit } from '@krapao/contract/money';
import fc from 'fast-check';
import { conditionAmounts, type Condition, sameInAllLanguages } from '../../src/modules/incentive/incentive.ts';
import {
  measureCondition,
  amountToTakeBack,
  currentTurnover,
  turnoverCounted,
  turnoverSince,
  newlyReportedTurnover,
  isExpired,
  conditionVerdict,
} from '../../src/modules/incentive/progress.ts';

const NOW = new Date('2026-03-01T00:00:00Z');
const arbitraryHundredths = (max: number, min = 0) =>
  fc.integer({ min: min * 100, max: max * 100 }).map((fraction) => fraction / 100);
const arbitraryTerms = fc.record({
  currency: fc.constantFrom<Currency>('BAHT', 'LAK'),
  own: fc.bigInt({ min: 0n, max: 10n ** 12n }),
  amount: fc.bigInt({ min: 1n, max: 10n ** 12n }),
  percentSuccess: arbitraryHundredths(2_000),
  percentFail: arbitraryHundredths(99),
  turnoverTimes: fc.option(arbitraryHundredths(50)),
});
type RandomTerms = typeof arbitraryTerms extends fc.Arbitrary<infer T> ? T : never;

const boundsOf = ({ currency, own, amount, ...rest }: RandomTerms) =>
  conditionAmounts({ amount: minor(amount), condition: { ...rest, own: minor(own), expiresAt: null } }, currency);

function conditionFor(randomTerms: RandomTerms, overrides: Partial<Condition> = {}): Condition {
  const { currency, own, percentSuccess, percentFail } = randomTerms;
  return {
    ...boundsOf(randomTerms),
    id: 'c',
    memberId: 'm',
    currency,
    kind: 'BONUS',
    name: sameInAllLanguages('Welcome'),
    state: 'ACTIVE',
    own: minor(own),
    percentSuccess,
    percentFail,
    turnoverBefore: {},
    startedAt: NOW,
    expiresAt: null,
    play: minor(0n),
    turnover: minor(0n),
    outstandingBefore: minor(0n),
    takesBack: null,
    clearAttempt: 0,
    reference: 'B1',
    ...overrides,
  };
}

/** Measures a condition after this net win. */
const measureAt = (condition: Condition, play: bigint) => measureCondition({ ...condition, play: minor(play) }, true);

test('the target is rounded up to a currency step, the floor down, each by less than a step', () => {
  fc.assert(
    fc.property(arbitraryTerms, (randomTerms) => {
      const { base, target, floor, turnoverTarget } = boundsOf(randomTerms);
      const smallestStep = smallestUnit(randomTerms.currency);
      const toBasisPoints = (percent: number) => BigInt(Math.round(percent * 100));
      assert.equal(base, randomTerms.own + randomTerms.amount);
      for (const amount of [target, floor, turnoverTarget ?? 0n]) assert.equal(amount % smallestStep, 0n);
      const excessOverTarget = target * 10_000n - base * toBasisPoints(randomTerms.percentSuccess);
      assert.ok(excessOverTarget >= 0n && excessOverTarget < smallestStep * 10_000n, 'target');
      const missingBelowFloor = base * toBasisPoints(randomTerms.percentFail) - floor * 10_000n;
      assert.ok(missingBelowFloor >= 0n && missingBelowFloor < smallestStep * 10_000n, 'floor');
      if (randomTerms.turnoverTimes === null) return assert.equal(turnoverTarget, null);
      const missingTurnover = (turnoverTarget ?? 0n) * 100n - base * toBasisPoints(randomTerms.turnoverTimes);
      assert.ok(missingTurnover >= 0n && missingTurnover < smallestStep * 100n, 'turnover');
    }),
  );
});

test('percentages that floating point gets wrong are exact, and a third decimal is refused', () => {
  const conditionOfPercent = (percentSuccess: number) =>
    boundsOf({ currency: 'BAHT', own: 0n, amount: 10_000n, percentSuccess, percentFail: 0, turnoverTimes: 1.1 });
  assert.deepEqual(
    [conditionOfPercent(100.29).target, conditionOfPercent(1.15).target, conditionOfPercent(115).turnoverTarget],
    [10_029n, 115n, 11_000n],
  );
  assert.throws(() => conditionOfPercent(0.005), /decimals/);
});

type RandomStep = { action: 'deposit' | 'transfer' | 'win' | 'lose' | 'stake' | 'return'; amount: bigint };
const arbitrarySteps = fc.array(
  fc.record<RandomStep>({
    action: fc.constantFrom('deposit', 'transfer', 'win', 'lose', 'stake', 'return'),
    amount: fc.bigInt({ min: 1n, max: 50_000n }),
  }),
  { maxLength: 60 },
);
const arbitrarySmallTerms = fc.record({
  currency: fc.constant<Currency>('BAHT'),
  own: fc.bigInt({ min: 0n, max: 20_000n }),
  amount: fc.bigInt({ min: 100n, max: 20_000n }),
  percentSuccess: arbitraryHundredths(600, 100),
  percentFail: arbitraryHundredths(50),
  turnoverTimes: fc.constant(null),
});

/** Runs the steps, and yields the money of a simple model after each. */
function* runSteps(randomTerms: RandomTerms, steps: readonly RandomStep[]) {
  const money = { wallet: randomTerms.own + randomTerms.amount, game: 0n, staked: 0n, play: 0n, later: 0n };
  for (const { action, amount } of steps) {
    const atMost = (maximum: bigint) => (amount < maximum ? amount : maximum);
    if (action === 'deposit') {
      money.wallet += amount;
      money.later += amount;
    } else if (action === 'transfer') {
      const movedAmount = atMost(money.wallet);
      money.wallet -= movedAmount;
      money.game += movedAmount;
    } else {
      const amountChange = action === 'win' ? amount : action === 'return' ? atMost(money.staked) : -atMost(money.game);
      if (action === 'stake') money.staked -= amountChange;
      if (action === 'return') money.staked -= amountChange;
      money.game += amountChange;
      money.play += amountChange;
    }
    yield money;
  }
}

test('only play fulfils or loses a condition: deposits and transfers do not change the verdict', () => {
  const reachedCases = new Set<string>();
  fc.assert(
    fc.property(arbitrarySmallTerms, arbitrarySteps, (randomTerms, steps) => {
      const condition = conditionFor(randomTerms);
      for (const { wallet, game, staked, play } of runSteps(randomTerms, steps)) {
        const wealth = { total: minor(wallet + game), outstanding: minor(staked), isCertain: true };
        const measurement = measureAt(condition, play);
        const verdict = conditionVerdict(measurement, wealth);
        reachedCases.add(verdict ?? 'open');
        const isReached = condition.base + play >= condition.target;
        assert.equal(verdict === 'SUCCESS', isReached);
        const isLost = !isReached && staked === 0n && condition.base + play <= condition.floor;
        if (staked > 0n) assert.notEqual(verdict, 'FAILED');
        else assert.equal(verdict === 'FAILED', isLost || (!isReached && wallet + game <= condition.floor));
        // An uncertain amount is never lost.
        assert.notEqual(conditionVerdict(measurement, { ...wealth, isCertain: false }), 'FAILED');
      }
    }),
    { numRuns: 400 },
  );
  assert.deepEqual([...reachedCases].toSorted(), ['FAILED', 'SUCCESS', 'open']);
});

test('a cancellation never takes more than the bonus and its winnings, nor the deposit, nor later money', () => {
  fc.assert(
    fc.property(arbitrarySmallTerms, arbitrarySteps, (randomTerms, steps) => {
      const condition = conditionFor(randomTerms);
      for (const { wallet, game, play, later } of runSteps(randomTerms, steps)) {
        const total = wallet + game;
        const takesBack = amountToTakeBack(measureAt(condition, play), minor(total));
        const gain = play > 0n ? play : 0n;
        assert.ok(takesBack >= 0n && takesBack <= total && takesBack <= randomTerms.amount + gain);
        const ownMoney = randomTerms.own + later;
        assert.ok(total - takesBack >= (ownMoney < total ? ownMoney : total), 'their own stays');
        // All bonus money is taken back before the member's own money.
        if (total >= ownMoney) assert.equal(total - takesBack, ownMoney);
      }
    }),
    { numRuns: 400 },
  );
});

test('turnover counts from its initial value, from 0 for a game opened later, from the first report of a silent one', () => {
  const betOf = (gameCode: string, turnover: bigint | null, isStale = false) => ({
    gameCode,
    version: 0n,
    turnover: turnover === null ? null : minor(turnover),
    outstanding: minor(0n),
    isStale,
    isMoved: false,
  });
  const randomTerms = {
    currency: 'BAHT' as const,
    own: 0n,
    amount: 1_000n,
    percentSuccess: 200,
    percentFail: 0,
    turnoverTimes: 3,
  };
  const before = currentTurnover([betOf('reported', 500n), betOf('silent', 700n, true), betOf('never tells', null)]);
  const condition = conditionFor(randomTerms, { turnoverBefore: before });
  const laterBets = [betOf('reported', 900n), betOf('silent', 5_000n), betOf('never tells', null), betOf('new', 50n)];
  assert.equal(turnoverSince(condition, laterBets), 450n);
  const knownTurnover = newlyReportedTurnover(condition, laterBets);
  assert.deepEqual(knownTurnover, { reported: 500n, silent: 5_000n, 'never tells': null });
  const conditionAfterReport = { ...condition, turnoverBefore: knownTurnover ?? {} };
  assert.equal(newlyReportedTurnover(conditionAfterReport, laterBets), undefined);
  assert.equal(turnoverSince(conditionAfterReport, [betOf('reported', 400n), betOf('silent', 7_550n)]), 2_550n);
  // Turnover counted by another condition is excluded; turnover that a provider takes back stays counted.
  const countedTurnover = turnoverCounted([betOf('reported', 700n)], {});
  assert.equal(turnoverSince(condition, laterBets, countedTurnover), 250n);
  assert.deepEqual(turnoverCounted([betOf('reported', 600n), betOf('new', null)], countedTurnover), countedTurnover);
  const wealth = { total: minor(1_000n), outstanding: minor(0n), isCertain: true };
  assert.equal(
    conditionVerdict(
      measureAt(
        { ...conditionAfterReport, turnover: turnoverSince(conditionAfterReport, [betOf('silent', 8_000n)]) },
        0n,
      ),
      wealth,
    ),
    'SUCCESS',
  );
});

test('a condition expires at its moment, and one fulfilled or lost then counts as such', () => {
  const randomTerms = {
    currency: 'BAHT' as const,
    own: 0n,
    amount: 1_000n,
    percentSuccess: 200,
    percentFail: 10,
    turnoverTimes: null,
  };
  const expiredCondition = conditionFor(randomTerms, { expiresAt: NOW });
  const wealth = { total: minor(5_000n), outstanding: minor(0n), isCertain: true };
  const verdictAt = (play: bigint) => conditionVerdict(measureAt(expiredCondition, play), wealth);
  assert.deepEqual(
    [
      verdictAt(0n),
      verdictAt(1_000n),
      verdictAt(-900n),
      isExpired(expiredCondition, NOW),
      isExpired(expiredCondition, new Date(NOW.getTime() - 1)),
    ],
    [undefined, 'SUCCESS', 'FAILED', true, false],
  );
});
