import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import fc from 'fast-check';
import { type InquiryVerdict, verdictFromBalance } from '../../src/modules/transfer/resolve-leg.ts';
import { balanceReading } from '../../src/modules/transfer/transfer.ts';
import { mayStillApplyMs } from '../../src/platform/jobs/resolver.ts';
import { credits, type ProviderBalance } from '../../src/adapters/game/port.ts';

const TIMEOUT_MS = 1_000;

/** A member's play while a transfer is open. Small numbers, so that the transfer's amount occurs often. */
const step = fc.oneof(
  fc.record({ does: fc.constant('round' as const), stake: fc.integer({ min: 1, max: 4 }), win: fc.nat({ max: 6 }) }),
  fc.record({ does: fc.constant('open' as const), stake: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ does: fc.constant('settle' as const), win: fc.nat({ max: 6 }) }),
  fc.record({ does: fc.constant('void' as const) }),
  fc.record({ does: fc.constant('nothing' as const) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

class Player {
  cash: number;
  readonly open: number[] = [];
  turnover = 7;

  constructor(cash: number) {
    this.cash = cash;
  }

  does(what: Step): void {
    if (what.does === 'round' && what.stake <= this.cash) {
      this.cash += what.win - what.stake;
      this.turnover += what.stake;
    } else if (what.does === 'open' && what.stake <= this.cash) {
      this.cash -= what.stake;
      this.open.push(what.stake);
    } else if (what.does === 'settle') {
      const stake = this.open.pop();
      if (stake === undefined) return;
      this.cash += what.win;
      this.turnover += stake;
    } else if (what.does === 'void') this.cash += this.open.pop() ?? 0;
  }

  report(tellsTurnover: boolean): ProviderBalance {
    const sum = this.open.reduce((all, stake) => all + stake, 0);
    return {
      cash: credits(BigInt(this.cash)),
      outstanding: credits(BigInt(sum)),
      turnover: tellsTurnover ? credits(BigInt(this.turnover)) : null,
    };
  }
}

const story = fc.record({
  direction: fc.constantFrom('in' as const, 'out' as const),
  amount: fc.integer({ min: 1, max: 4 }),
  cash: fc.nat({ max: 5 }),
  before: fc.array(step, { maxLength: 3 }),
  steps: fc.array(step, { minLength: 1, maxLength: 6 }),
  /** Index of the act before which the provider executes the call; past the last one: never. */
  carriedOutAt: fc.nat({ max: 9 }),
  tellsTurnover: fc.boolean(),
});

test('whatever a member plays, a transfer is never taken for what it did not come to [R-XFER-04]', () => {
  const came = { applied: 0, refused: 0, manual: 0 };
  fc.assert(
    fc.property(story, ({ direction, amount, cash, before, steps, carriedOutAt, tellsTurnover }) => {
      const player = new Player(cash);
      for (const what of before) player.does(what);
      const first = balanceReading(player.report(tellsTurnover));
      const turnoverBefore = player.turnover;
      let isApplied = false;
      let absences = 0;
      let judged: InquiryVerdict | undefined;
      // Two inquiries after the call can no longer be executed: it must be closed by then.
      const all: Step[] = [...steps, { does: 'nothing' }, { does: 'nothing' }];
      for (const [at, what] of all.entries()) {
        if (at === carriedOutAt && at < steps.length && (direction === 'in' || amount <= player.cash)) {
          player.cash += direction === 'in' ? amount : -amount;
          isApplied = true;
        }
        player.does(what);
        const leg = {
          direction,
          absences,
          credits: credits(BigInt(amount)),
          sentAgoMs: at < steps.length ? 0 : mayStillApplyMs(TIMEOUT_MS) + 1,
          balanceBefore: first.whole,
          turnoverBefore: first.turnover,
        };
        judged = verdictFromBalance(leg, { outcome: 'done', value: player.report(tellsTurnover) }, TIMEOUT_MS);
        if (judged.next === 'applied') assert.ok(isApplied, 'money that never moved');
        if (judged.next === 'refused') assert.ok(!isApplied, 'money that moved');
        if (judged.next !== 'wait') break;
        if (judged.absent) absences += 1;
      }
      assert.ok(judged && judged.next !== 'wait');
      if (judged.next === 'manual') assert.ok(!tellsTurnover || player.turnover !== turnoverBefore, 'needlessly');
      came[judged.next] += 1;
    }),
    { numRuns: 20_000 },
  );
  for (const [end, times] of Object.entries(came)) assert.ok(times > 500, `${end}: ${times}`);
});
