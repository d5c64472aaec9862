import { sweepObjects } from '../../../platform/storage/sweep-objects.ts';
import { deleteFile, selectOrphans } from './queries.ts';
import type { SlipDeps } from './slip-deps.ts';

/** Longer than any upload takes to get its row. */
const HOUR_MS = 60 * 60_000;

/** Removes what a crash or a full disk has left: half written files, and objects that no slip names. */
export async function sweepFiles(
  { database, storage, log }: Pick<SlipDeps, 'database' | 'storage' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  await storage.sweep(HOUR_MS);
  await sweepObjects({
    storage,
    select: (limit, passedOver) => selectOrphans(database, HOUR_MS, { limit, passedOver }),
    forget: (key) => deleteFile(database, key),
    log,
    signal,
  });
}
