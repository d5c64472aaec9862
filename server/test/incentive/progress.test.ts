import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import { type Currency, minor, smallestUnit } from '@krapao/contract/money';
import fc from 'fast-check';
import { conditionAmounts, type Condition, sameInAll } from '../../src/modules/incentive/incentive.ts';
import {
  measure,
  amountToTakeBack,
  turnoverNow,
  turnoverCounted,
  turnoverSince,
  newlyReportedTurnover,
  isExpired,
  conditionVerdict,
} from '../../src/modules/incentive/progress.ts';

const NOW = new Date('2026-03-01T00:00:00Z');
const hundredths = (max: number, min = 0) => fc.integer({ min: min * 100, max: max * 100 }).map((parts) => parts / 100);
const terms = fc.record({
  currency: fc.constantFrom<Currency>('BAHT', 'LAK'),
  own: fc.bigInt({ min: 0n, max: 10n ** 12n }),
  amount: fc.bigInt({ min: 1n, max: 10n ** 12n }),
  percentSuccess: hundredths(2_000),
  percentFail: hundredths(99),
  turnoverTimes: fc.option(hundredths(50)),
});
type Terms = typeof terms extends fc.Arbitrary<infer T> ? T : never;

const amountsFor = ({ currency, own, amount, ...rest }: Terms) =>
  conditionAmounts({ amount: minor(amount), condition: { ...rest, own: minor(own), expiresAt: null } }, currency);

function conditionFor(drawn: Terms, more: Partial<Condition> = {}): Condition {
  const { currency, own, percentSuccess, percentFail } = drawn;
  return {
    ...amountsFor(drawn),
    id: 'c',
    memberId: 'm',
    currency,
    kind: 'BONUS',
    name: sameInAll('Welcome'),
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
    ...more,
  };
}

/** After so much was won and lost that counts for it. */
const at = (condition: Condition, play: bigint) => measure({ ...condition, play: minor(play) }, true);

test('what must be reached is rounded up to a step of the currency, to what it may fall down, by less than a step', () => {
  fc.assert(
    fc.property(terms, (drawn) => {
      const { base, target, floor, turnoverTarget } = amountsFor(drawn);
      const step = smallestUnit(drawn.currency);
      const parts = (percent: number) => BigInt(Math.round(percent * 100));
      assert.equal(base, drawn.own + drawn.amount);
      for (const amount of [target, floor, turnoverTarget ?? 0n]) assert.equal(amount % step, 0n);
      const over = target * 10_000n - base * parts(drawn.percentSuccess);
      assert.ok(over >= 0n && over < step * 10_000n, 'target');
      const under = base * parts(drawn.percentFail) - floor * 10_000n;
      assert.ok(under >= 0n && under < step * 10_000n, 'floor');
      if (drawn.turnoverTimes === null) return assert.equal(turnoverTarget, null);
      const more = (turnoverTarget ?? 0n) * 100n - base * parts(drawn.turnoverTimes);
      assert.ok(more >= 0n && more < step * 100n, 'turnover');
    }),
  );
});

test('percentages that floating point would get wrong are exact, and a third decimal is refused', () => {
  const of = (percentSuccess: number) =>
    amountsFor({ currency: 'BAHT', own: 0n, amount: 10_000n, percentSuccess, percentFail: 0, turnoverTimes: 1.1 });
  assert.deepEqual([of(100.29).target, of(1.15).target, of(115).turnoverTarget], [10_029n, 115n, 11_000n]);
  assert.throws(() => of(0.005), /decimals/);
});

type Step = { what: 'deposit' | 'transfer' | 'win' | 'lose' | 'stake' | 'return'; amount: bigint };
const story = fc.array(
  fc.record<Step>({
    what: fc.constantFrom('deposit', 'transfer', 'win', 'lose', 'stake', 'return'),
    amount: fc.bigInt({ min: 1n, max: 50_000n }),
  }),
  { maxLength: 60 },
);
const small = fc.record({
  currency: fc.constant<Currency>('BAHT'),
  own: fc.bigInt({ min: 0n, max: 20_000n }),
  amount: fc.bigInt({ min: 100n, max: 20_000n }),
  percentSuccess: hundredths(600, 100),
  percentFail: hundredths(50),
  turnoverTimes: fc.constant(null),
});

/** Lives a story: where the money is after each step, by the plainest possible bookkeeping. */
function* live(drawn: Terms, steps: readonly Step[]) {
  const money = { wallet: drawn.own + drawn.amount, game: 0n, staked: 0n, play: 0n, later: 0n };
  for (const { what, amount } of steps) {
    const upTo = (most: bigint) => (amount < most ? amount : most);
    if (what === 'deposit') {
      money.wallet += amount;
      money.later += amount;
    } else if (what === 'transfer') {
      const moved = upTo(money.wallet);
      money.wallet -= moved;
      money.game += moved;
    } else {
      const change = what === 'win' ? amount : what === 'return' ? upTo(money.staked) : -upTo(money.game);
      if (what === 'stake') money.staked -= change;
      if (what === 'return') money.staked -= change;
      money.game += change;
      money.play += change;
    }
    yield money;
  }
}

test('only play meets or loses it: whatever comes in or is moved, the verdict is that of what was won and lost', () => {
  const met = new Set<string>();
  fc.assert(
    fc.property(small, story, (drawn, steps) => {
      const condition = conditionFor(drawn);
      for (const { wallet, game, staked, play } of live(drawn, steps)) {
        const around = { total: minor(wallet + game), outstanding: minor(staked), isCertain: true };
        const measured = at(condition, play);
        const verdict = conditionVerdict(measured, around);
        met.add(verdict ?? 'open');
        const reached = condition.base + play >= condition.target;
        assert.equal(verdict === 'SUCCESS', reached);
        const lost = !reached && staked === 0n && condition.base + play <= condition.floor;
        if (staked > 0n) assert.notEqual(verdict, 'FAILED');
        else assert.equal(verdict === 'FAILED', lost || (!reached && wallet + game <= condition.floor));
        // An uncertain amount is never lost.
        assert.notEqual(conditionVerdict(measured, { ...around, isCertain: false }), 'FAILED');
      }
    }),
    { numRuns: 400 },
  );
  assert.deepEqual([...met].toSorted(), ['FAILED', 'SUCCESS', 'open']);
});

test('giving it up never takes more than what was given and won, nor the deposit, nor what came in later', () => {
  fc.assert(
    fc.property(small, story, (drawn, steps) => {
      const condition = conditionFor(drawn);
      for (const { wallet, game, play, later } of live(drawn, steps)) {
        const total = wallet + game;
        const takesBack = amountToTakeBack(at(condition, play), minor(total));
        const won = play > 0n ? play : 0n;
        assert.ok(takesBack >= 0n && takesBack <= total && takesBack <= drawn.amount + won);
        const theirs = drawn.own + later;
        assert.ok(total - takesBack >= (theirs < total ? theirs : total), 'their own stays');
        // Nothing of the bonus stays either, as long as there is something of it.
        if (total >= theirs) assert.equal(total - takesBack, theirs);
      }
    }),
    { numRuns: 400 },
  );
});

test('turnover counts from what it was, from nothing for a game opened later, from its first word for a silent one', () => {
  const bet = (gameCode: string, turnover: bigint | null, isStale = false) => ({
    gameCode,
    version: 0n,
    turnover: turnover === null ? null : minor(turnover),
    outstanding: minor(0n),
    isStale,
    isMoved: false,
  });
  const drawn = {
    currency: 'BAHT' as const,
    own: 0n,
    amount: 1_000n,
    percentSuccess: 200,
    percentFail: 0,
    turnoverTimes: 3,
  };
  const before = turnoverNow([bet('reported', 500n), bet('silent', 700n, true), bet('never tells', null)]);
  const condition = conditionFor(drawn, { turnoverBefore: before });
  const later = [bet('reported', 900n), bet('silent', 5_000n), bet('never tells', null), bet('new', 50n)];
  assert.equal(turnoverSince(condition, later), 450n);
  const known = newlyReportedTurnover(condition, later);
  assert.deepEqual(known, { reported: 500n, silent: 5_000n, 'never tells': null });
  const reported = { ...condition, turnoverBefore: known ?? {} };
  assert.equal(newlyReportedTurnover(reported, later), undefined);
  assert.equal(turnoverSince(reported, [bet('reported', 400n), bet('silent', 7_550n)]), 2_550n);
  // Counted for another it is not there any more; what a provider takes back stays counted.
  const counted = turnoverCounted([bet('reported', 700n)], {});
  assert.equal(turnoverSince(condition, later, counted), 250n);
  assert.deepEqual(turnoverCounted([bet('reported', 600n), bet('new', null)], counted), counted);
  const around = { total: minor(1_000n), outstanding: minor(0n), isCertain: true };
  assert.equal(
    conditionVerdict(at({ ...reported, turnover: turnoverSince(reported, [bet('silent', 8_000n)]) }, 0n), around),
    'SUCCESS',
  );
});

test('its time is over at its moment, and what is met or lost then is met or lost', () => {
  const drawn = {
    currency: 'BAHT' as const,
    own: 0n,
    amount: 1_000n,
    percentSuccess: 200,
    percentFail: 10,
    turnoverTimes: null,
  };
  const over = conditionFor(drawn, { expiresAt: NOW });
  const around = { total: minor(5_000n), outstanding: minor(0n), isCertain: true };
  const after = (play: bigint) => conditionVerdict(at(over, play), around);
  assert.deepEqual(
    [after(0n), after(1_000n), after(-900n), isExpired(over, NOW), isExpired(over, new Date(NOW.getTime() - 1))],
    [undefined, 'SUCCESS', 'FAILED', true, false],
  );
});
