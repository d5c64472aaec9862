import { strict as assert } from 'node:assert';
import { test } from 'node:test';
import fc from 'fast-check';
import { credits, type ProviderBalance } from '../../src/adapters/game/port.ts';
import { type InquiryVerdict, verdictFromBalance } from '../../src/modules/transfer/resolve-leg.ts';
import { balanceReading } from '../../src/modules/transfer/transfer.ts';

const TIMEOUT_MS = 1_000;

/** A member's play while a transfer is open. Small numbers, so that the transfer's amount occurs often. */
const arbitraryStep = fc.oneof(
  fc.record({ does: fc.constant('round' as const), stake: fc.integer({ min: 1, max: 4 }), win: fc.nat({ max: 6 }) }),
  fc.record({ does: fc.constant('open' as const), stake: fc.integer({ min: 1, max: 4 }) }),
  fc.record({ does: fc.constant('settle' as const), win: fc.nat({ max: 6 }) }),
  fc.record({ does: fc.constant('void' as const) }),
  fc.record({ does: fc.constant('nothing' as const) }),
);
type PlayStep = typeof arbitraryStep extends fc.Arbitrary<infer T> ? T : never;

class SimulatedPlayer {
  cash: number;
  readonly open: number[] = [];
  turnover = 7;

  constructor(cashSatang: number) {
    this.cash = cashSatang;
  }

  playStep(playStep: PlayStep): void {
    if (playStep.does === 'round' && playStep.stake <= this.cash) {
      this.cash += playStep.win - playStep.stake;
      this.turnover += playStep.stake;
    } else if (playStep.does === 'open' && playStep.stake <= this.cash) {
      this.cash -= playStep.stake;
      this.open.push(playStep.stake);
    } else if (playStep.does === 'settle') {
      const stake = this.open.pop();
      if (stake === undefined) return;
      this.cash += playStep.win;
      this.turnover += stake;
    } else if (playStep.does === 'void') this.cash += this.open.pop() ?? 0;
  }

  reportBalance(reportsTurnover: boolean): ProviderBalance {
    const openStakes = this.open.reduce((total, stake) => total + stake, 0);
    return {
      cash: credits(BigInt(this.cash)),
      outstanding: credits(BigInt(openStakes)),
      turnover: reportsTurnover ? credits(BigInt(this.turnover)) : null,
    };
  }
}

const arbitraryStory = fc.record({
  direction: fc.constantFrom('in' as const, 'out' as const),
  amount: fc.integer({ min: 1, max: 4 }),
  cash: fc.nat({ max: 5 }),
  before: fc.array(arbitraryStep, { maxLength: 3 }),
  steps: fc.array(arbitraryStep, { minLength: 1, maxLength: 6 }),
  /** Index of the act before which the provider executes the call; past the last one: never. */
  carriedOutAt: fc.nat({ max: 9 }),
  tellsTurnover: fc.boolean(),
});

test('play during a transfer never makes its settlement contradict the provider [R-XFER-04]', () => {
  const verdictCounts = { applied: 0, refused: 0, manual: 0 };
  fc.assert(
    fc.property(arbitraryStory, ({ direction, amount, cash, before, steps, carriedOutAt, tellsTurnover }) => {
      const player = new SimulatedPlayer(cash);
      for (const playStep of before) player.playStep(playStep);
      const first = balanceReading(player.reportBalance(tellsTurnover));
      const turnoverBefore = player.turnover;
      let isApplied = false;
      let absenceCount = 0;
      let inquiryVerdict: InquiryVerdict | undefined;
      // Two inquiries after the last possible execution: the transfer must be closed by then.
      const allSteps: PlayStep[] = [...steps, { does: 'nothing' }, { does: 'nothing' }];
      for (const [stepIndex, what] of allSteps.entries()) {
        if (stepIndex === carriedOutAt && stepIndex < steps.length && (direction === 'in' || amount <= player.cash)) {
          player.cash += direction === 'in' ? amount : -amount;
          isApplied = true;
        }
        player.playStep(what);
        const leg = {
          direction,
          absences: absenceCount,
          credits: credits(BigInt(amount)),
          sentAgoMs: stepIndex < steps.length ? 0 : 4_001,
          balanceBefore: first.cashAndStakes,
          turnoverBefore: first.turnover,
        };
        inquiryVerdict = verdictFromBalance(
          leg,
          { outcome: 'done', value: player.reportBalance(tellsTurnover) },
          TIMEOUT_MS,
        );
        if (inquiryVerdict.next === 'applied') assert.ok(isApplied, 'money that never moved');
        if (inquiryVerdict.next === 'refused') assert.ok(!isApplied, 'money that moved');
        if (inquiryVerdict.next !== 'wait') break;
        if (inquiryVerdict.isAbsent) absenceCount += 1;
      }
      assert.ok(inquiryVerdict && inquiryVerdict.next !== 'wait');
      if (inquiryVerdict.next === 'manual')
        assert.ok(!tellsTurnover || player.turnover !== turnoverBefore, 'needlessly');
      verdictCounts[inquiryVerdict.next] += 1;
    }),
    { numRuns: 20_000 },
  );
  for (const [verdictName, verdictCount] of Object.entries(verdictCounts))
    assert.ok(verdictCount > 500, `${verdictName}: ${verdictCount}`);
});
