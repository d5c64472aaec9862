import type { Currency } from '@krapao/contract/money';
import type { Database } from '../../../platform/database/database.ts';
import type { StandbyReads } from '../../../platform/database/standby.ts';
import { uuidV7 } from '../../../platform/ids.ts';
import { DAY_MS, later, type Clock } from '../../../platform/time.ts';
import type { CreditSpeed } from '../../../platform/timeline.ts';
import { selectTransferSpeeds } from '../bank-transfer/index.ts';
import { selectQrcodeFailures, selectQrcodeSpeeds } from '../qrcode/index.ts';
import { selectSlipSpeeds } from '../slip/index.ts';
import { selectGiftSpeeds } from '../truelink/index.ts';
import { GIFT_METHOD, LAST_CODES, type MethodStat, qrMethod, SLIP_METHOD } from './advice.ts';
import { isMeasured, saveStats } from './queries.ts';

/** Interval of the measurement, of all processes together. */
export const MEASURE_EVERY_MS = 60_000;
/** Less than the interval: a process that starts its run early does not skip it. */
const FRESH_MS = 50_000;
const SPEED_WINDOW_MS = 7 * DAY_MS;
const HEALTH_WINDOW_MS = 10 * 60_000;
/** With fewer payments of the last day, those of the week count. */
const DAY_SAMPLES_MIN = 5;

export type MeasureDeps = { database: Database; clock: Clock; standby: Pick<StandbyReads, 'ofAll'> };

/** Measures speed and health of each method, unless another process just did. */
export async function measureMethods({ database, clock, standby }: MeasureDeps): Promise<void> {
  if (await isMeasured(database, FRESH_MS)) return;
  const now = clock.now();
  const from = standby.ofAll();
  const sinceWeek = uuidV7(later(now, -SPEED_WINDOW_MS));
  const [codes, transfers, slips, gifts, failures] = await Promise.all([
    selectQrcodeSpeeds(from, sinceWeek),
    selectTransferSpeeds(from, sinceWeek),
    selectSlipSpeeds(from, sinceWeek),
    selectGiftSpeeds(from, sinceWeek),
    selectQrcodeFailures(from, uuidV7(later(now, -HEALTH_WINDOW_MS)), LAST_CODES),
  ]);
  const stats = new Map<string, MethodStat>();
  const statOf = (method: string, currency: Currency): MethodStat => {
    const key = `${method} ${currency}`;
    const stat = stats.get(key) ?? { method, currency, medianMs: null, samples: 0, created: 0, failed: 0 };
    stats.set(key, stat);
    return stat;
  };
  for (const { gateway, currency, ...speed } of codes)
    Object.assign(statOf(qrMethod(gateway), currency), medianOf(speed));
  for (const { houseAccount, currency, ...speed } of transfers)
    Object.assign(statOf(houseAccount, currency), medianOf(speed));
  for (const { currency, ...speed } of slips) Object.assign(statOf(SLIP_METHOD, currency), medianOf(speed));
  for (const { currency, ...speed } of gifts) Object.assign(statOf(GIFT_METHOD, currency), medianOf(speed));
  for (const { gateway, currency, created, failed } of failures)
    Object.assign(statOf(qrMethod(gateway), currency), { created, failed });
  await saveStats(database, [...stats.values()]);
}

const medianOf = ({ dayMs, daySamples, weekMs, weekSamples }: Omit<CreditSpeed, 'currency'>) =>
  daySamples >= DAY_SAMPLES_MIN ? { medianMs: dayMs, samples: daySamples } : { medianMs: weekMs, samples: weekSamples };
