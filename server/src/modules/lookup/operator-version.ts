import type { Queryable } from '../../platform/database/database.ts';
import { perQueryable } from '../../platform/database/shared-reads.ts';
import { refreshingCache } from '../../platform/jobs/refreshing-cache.ts';
import { selectVersion } from './queries.ts';

/** What the operator changes holds that much later, on every node. */
const FRESH_MS = 1_000;

/**
 * The version of everything that operators configure. A process reads it at most once a second, however many ask; what was
 * read under it holds until it changes. Read again each time, it needs no connection that listens: a change that was made
 * while the database was away, or lost by a failover, is another version.
 */
export const operatorVersionOf: (db: Queryable) => () => Promise<string> = perQueryable((db) =>
  refreshingCache(() => selectVersion(db), FRESH_MS),
);
