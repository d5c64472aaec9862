import { deleteFile, selectOrphans } from './queries.ts';
import type { SlipDeps } from './slip-deps.ts';

/** Longer than any upload takes to get its row. */
const HOUR_MS = 60 * 60_000;
const AT_ONCE = 200;

/** Removes what a crash or a full disk has left: half written files, and objects that no slip names. */
export async function sweepFiles({ database, storage }: Pick<SlipDeps, 'database' | 'storage'>): Promise<number> {
  let swept = await storage.sweep(HOUR_MS);
  for (const key of await selectOrphans(database, HOUR_MS, AT_ONCE)) {
    await storage.delete(key);
    await deleteFile(database, key);
    swept += 1;
  }
  return swept;
}
