import type { JobLog } from '../jobs/job.ts';
import type { ObjectKey, ObjectStorage } from './port.ts';

export type Sweep = {
  storage: Pick<ObjectStorage, 'delete'>;
  /** Keys of objects that are no longer needed, the oldest first, after the first `passedOver` of them. */
  select: (limit: number, passedOver: number) => Promise<ObjectKey[]>;
  /** Deletes the row of a deleted object. */
  forget: (key: ObjectKey) => Promise<void>;
  log: JobLog;
  signal: AbortSignal;
};

const AT_ONCE = 200;
const ROUNDS_MAX = 50;

/**
 * Removes objects that are no longer needed. An object that the storage fails to delete is left for the next run and
 * does not hold up the others.
 */
export async function sweepObjects({ storage, select, forget, log, signal }: Sweep): Promise<void> {
  for (let round = 0, passedOver = 0; round < ROUNDS_MAX; round += 1) {
    const keys = await select(AT_ONCE, passedOver);
    const left = new Map<ObjectKey, unknown>();
    for (const key of keys) {
      if (signal.aborted) return;
      try {
        // The object first: after a crash in between, its row leads to it again.
        await storage.delete(key);
        await forget(key);
      } catch (error) {
        left.set(key, error);
      }
    }
    const [first] = left.values();
    if (left.size > 0) log.error({ err: first, keys: [...left.keys()] }, 'objects could not be removed');
    if (keys.length < AT_ONCE) return;
    passedOver += left.size;
  }
}
