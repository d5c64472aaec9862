import { sweepObjects } from '../../../platform/storage/sweep-objects.ts';
import { FILE_HOURS } from './chat-file.ts';
import type { ChatDeps } from '../chat-deps.ts';
import { deleteFile, selectUnused } from './file-queries.ts';

/** Removes files that no message has named in time: unsent ones, and what a crash has left. */
export function sweepFiles(
  { database, storage, log }: Pick<ChatDeps, 'database' | 'storage' | 'log'>,
  signal: AbortSignal,
): Promise<void> {
  return sweepObjects({
    storage,
    select: (limit, passedOver) => selectUnused(database, FILE_HOURS.kept, { limit, passedOver }),
    forget: (key) => deleteFile(database, key),
    log,
    signal,
  });
}
