import { PAYOUT_SAMPLES_MIN } from '@krapao/contract/endpoints/withdraw';
import type { Currency } from '@krapao/contract/money';
import type { Database } from '../../platform/database/database.ts';
import { uuidV7 } from '../../platform/ids.ts';
import { refreshingCache } from '../../platform/jobs/cache.ts';
import { type Clock, DAY_MS, later } from '../../platform/time.ts';
import { selectPayoutSpeeds } from './timeline-queries.ts';

const SPEED_WINDOW_MS = 7 * DAY_MS;
const FRESH_MS = 60_000;

/** Median time of the payouts to a bank, and their number. */
export type UsualPayout = { medianSeconds: number | null; samples: number };

/** Reads how long payouts to a bank took in the last week. All members share one reading, renewed every minute. */
export function usualPayouts({ database, clock }: { database: Database; clock: Clock }) {
  const speeds = refreshingCache(
    () => selectPayoutSpeeds(database, uuidV7(later(clock.now(), -SPEED_WINDOW_MS))),
    FRESH_MS,
  );
  return async (bankCode: string | undefined, currency: Currency): Promise<UsualPayout> => {
    const speed = (await speeds()).find((one) => one.bankCode === bankCode && one.currency === currency);
    if (!speed || speed.samples < PAYOUT_SAMPLES_MIN) return { medianSeconds: null, samples: speed?.samples ?? 0 };
    return { medianSeconds: Math.max(1, Math.ceil(speed.medianMs / 1_000)), samples: speed.samples };
  };
}
