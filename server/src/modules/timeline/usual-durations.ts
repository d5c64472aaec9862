import { STATED_MINUTES } from '@krapao/contract/usual-time';
import type { Queryable } from '../../platform/database/database.ts';
import { uuidV7 } from '../../platform/ids.ts';
import { refreshingCache } from '../../platform/jobs/cache.ts';
import type { Clock } from '../../platform/time.ts';
import type { Duration, Expectation } from '../../platform/timeline.ts';
import { selectSlipDurations } from '../deposit/slip/index.ts';
import { selectGiftDurations } from '../deposit/truelink/index.ts';
import { selectTransferDurations } from '../transfer/index.ts';
import { selectWithdrawDurations } from '../withdraw/index.ts';

const MINUTE_MS = 60_000;
const SAMPLE_MS = 7 * 24 * 60 * MINUTE_MS;
const SAMPLES_MIN = 20;
const FRESH_MS = 5 * MINUTE_MS;
/** Stated times, used while samples are few. A method is `withdraw:SCB`, `transfer:pg`, `slip` … */
const STATED_MS = STATED_MINUTES.deposit * MINUTE_MS;
const STATED_WITHDRAWAL_MS = STATED_MINUTES.withdraw * MINUTE_MS;

export type UsualDurations = ReadonlyMap<string, Duration>;

/** Usual durations by method, from the last seven days. Shared by all members and refreshed every five minutes. */
export function usualDurations(deps: { database: Queryable; clock: Clock }): () => Promise<UsualDurations> {
  return refreshingCache(() => readDurations(deps), FRESH_MS);
}

async function readDurations({ database, clock }: { database: Queryable; clock: Clock }): Promise<UsualDurations> {
  const since = uuidV7(new Date(clock.now().getTime() - SAMPLE_MS));
  const durations = await Promise.all([
    selectSlipDurations(database, since),
    selectGiftDurations(database, since),
    selectTransferDurations(database, since),
    selectWithdrawDurations(database, since),
  ]);
  return new Map(durations.flat().map((duration) => [duration.method, duration]));
}

const statedMs = (method: string): number => (method.startsWith('withdraw:') ? STATED_WITHDRAWAL_MS : STATED_MS);

/** When an item should have ended; null for one that has ended. */
export function expectedEnd(expectation: Expectation | null, usual: UsualDurations): Date | null {
  if (expectation === null) return null;
  if ('until' in expectation) return expectation.until;
  const { method, since } = expectation;
  const known = usual.get(method);
  const usualMs = known && known.samples >= SAMPLES_MIN ? known.p90Ms : statedMs(method);
  return new Date(since.getTime() + Math.max(Math.round(usualMs), 0));
}

/** Whether an open item has passed its expected end. The member's own time to pay is never late. */
export const isLate = (expectation: Expectation | null, expectedBy: Date | null, now: Date): boolean =>
  expectation !== null && 'method' in expectation && expectedBy !== null && expectedBy < now;
