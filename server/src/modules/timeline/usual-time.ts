import { SAMPLES_MIN } from '@krapao/contract/deposit-advice';
import { STATED_MINUTES } from '@krapao/contract/usual-time';
import type { Database } from '../../platform/database/database.ts';
import type { Clock } from '../../platform/time.ts';
import type { Timeline } from '../../platform/timeline.ts';
import { GIFT_METHOD, medianSecondsOf, qrMethod, selectStats, SLIP_METHOD } from '../deposit/advice/index.ts';
import { usualPayouts } from '../withdraw/index.ts';
import type { TimelineDeps } from './timeline.ts';

/** Reads how long movements of a timeline's method take, from the measurements that the choice of a method shows. */
export function usualTimes({ database, clock }: { database: Database; clock: Clock }): TimelineDeps['usualTime'] {
  const usualPayout = usualPayouts({ database, clock });
  return async (timeline) => {
    const { kind, currency, to } = timeline;
    if (kind === 'transfer' || kind === 'bonus') return null;
    if (kind === 'withdraw') {
      const { medianSeconds } = await usualPayout(to, currency);
      return { medianSeconds, statedMinutes: STATED_MINUTES.withdraw };
    }
    const method = methodOf(timeline);
    const stat = (await selectStats(database)).find((one) => one.method === method && one.currency === currency);
    const isReliable = stat !== undefined && stat.samples >= SAMPLES_MIN;
    return { medianSeconds: isReliable ? medianSecondsOf(stat) : null, statedMinutes: STATED_MINUTES.deposit };
  };
}

/** The method of a deposit in the statistics; undefined while the receiving account is unknown. */
function methodOf({ kind, from, houseAccount }: Timeline): string | undefined {
  if (kind === 'qr') return qrMethod(from);
  if (kind === 'slip') return SLIP_METHOD;
  return kind === 'gift' ? GIFT_METHOD : (houseAccount ?? undefined);
}
