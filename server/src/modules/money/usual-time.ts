import { STATED_MINUTES } from '@krapao/contract/usual-time';
import { SAMPLES_MIN } from '@krapao/contract/deposit-advice';
import type { Clock } from '../../platform/time.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Timeline } from '../../platform/timeline.ts';
import { GIFT_WAY, medianSecondsOf, qrWay, selectStats, SLIP_WAY } from '../deposit/advice/index.ts';
import { usualPayouts } from '../withdraw/index.ts';
import type { MoneyDeps } from './money.ts';

/** Reads how long movements of a timeline's method take, from the measurements that the choice of a method shows. */
export function usualTimes({ database, clock }: { database: Database; clock: Clock }): MoneyDeps['usualTime'] {
  const usualPayout = usualPayouts({ database, clock });
  return async (timeline) => {
    const { kind, currency, to } = timeline;
    if (kind === 'transfer' || kind === 'bonus') return null;
    if (kind === 'withdraw') {
      const { medianSeconds } = await usualPayout(to, currency);
      return { medianSeconds, statedMinutes: STATED_MINUTES.withdraw };
    }
    const way = wayOf(timeline);
    const stat = (await selectStats(database)).find((one) => one.way === way && one.currency === currency);
    const isReliable = stat !== undefined && stat.samples >= SAMPLES_MIN;
    return { medianSeconds: isReliable ? medianSecondsOf(stat) : null, statedMinutes: STATED_MINUTES.deposit };
  };
}

/** The way of a deposit in the statistics; undefined while the receiving account is unknown. */
function wayOf({ kind, from, house }: Timeline): string | undefined {
  if (kind === 'qr') return qrWay(from);
  if (kind === 'slip') return SLIP_WAY;
  return kind === 'gift' ? GIFT_WAY : house;
}
