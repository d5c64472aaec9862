import { type listPending, PENDING_MAX } from '@krapao/contract/endpoints/timeline';
import type { z } from 'zod';
import { snapshotReader } from '../../platform/database/batched-reads.ts';
import type { Queryable } from '../../platform/database/database.ts';
import { pendingAnnouncements } from '../deposit/bank-transfer/index.ts';
import { pendingQrcodes } from '../deposit/qrcode/index.ts';
import { pendingSlips } from '../deposit/slip/index.ts';
import { pendingGifts } from '../deposit/truelink/index.ts';
import { counterpartyOf } from '../statement/index.ts';
import { pendingTransfers } from '../transfer/index.ts';
import { pendingWithdrawals } from '../withdraw/index.ts';
import type { TimelineDeps } from './timeline.ts';
import { expectedEnd } from './usual-durations.ts';

type WirePending = z.input<(typeof listPending.replies)[200]>;

const readOpen = snapshotReader('pending', {
  qrcodes: pendingQrcodes,
  announcements: pendingAnnouncements,
  slips: pendingSlips,
  gifts: pendingGifts,
  withdrawals: pendingWithdrawals,
  transfers: pendingTransfers,
});

/** The member's open items in one snapshot of the primary, newest first. */
export async function readPending(
  { database, clock, durations }: { database: Queryable } & Pick<TimelineDeps, 'clock' | 'durations'>,
  memberId: string,
): Promise<WirePending> {
  const [snapshot, usual] = await Promise.all([readOpen(database, memberId), durations()]);
  const entries = Object.values(snapshot)
    .flat()
    .toSorted((a, b) => b.since.localeCompare(a.since));
  const items = entries.slice(0, PENDING_MAX).map(({ expectation, place, ...entry }) => ({
    ...entry,
    place: place && counterpartyOf(place),
    expectedBy: expectedEnd(expectation, usual)?.toISOString() ?? null,
  }));
  return { at: clock.now().toISOString(), more: entries.length - items.length, items };
}
