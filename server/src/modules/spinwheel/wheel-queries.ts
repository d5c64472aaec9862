import { z } from 'zod';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { type SnapshotPart, snapshotPart } from '../../platform/database/member-snapshot.ts';
import { perQueryable } from '../../platform/database/shared-reads.ts';
import { hashWeights, type Wheel, wheelShape } from './spinwheel.ts';

/** SQL of the versions of the wheel. */

const row = wheelShape.extend({ version: z.int(), weightsHash: z.string(), publishedAt: z.date() });
export type PublishedWheel = Wheel & { publishedAt: Date };

const COLUMNS = `version, name, slices, weights_hash as "weightsHash", published_at as "publishedAt"`;

/** The version that is spun: the newest active one. */
export async function selectActiveWheel(on: Queryable): Promise<PublishedWheel | undefined> {
  const { rows } = await on.query<object>(
    `select ${COLUMNS} from spinwheel_version where is_active order by version desc limit 1`,
    [],
    { name: 'wheel-active' },
  );
  return rows[0] && row.parse(rows[0]);
}

/** Active version; null when no wheel is active. */
export const activeVersionField: SnapshotPart<number | null> = snapshotPart(
  'select max(w.version) from spinwheel_version w where w.is_active',
  (version: number | null) => version,
);

/** Versions are immutable: each process reads each once. */
const wheelCache = perQueryable(() => new Map<number, Wheel>());

/** A published version. */
export async function wheelOfVersion(on: Queryable, version: number): Promise<Wheel> {
  const known = wheelCache(on);
  const wheel = known.get(version) ?? (await selectWheels(on, [version])).get(version);
  if (!wheel) throw new Error(`wheel version ${version} does not exist`);
  known.set(version, wheel);
  return wheel;
}

/** Versions by their numbers. */
export async function selectWheels(on: Queryable, versions: readonly number[]): Promise<ReadonlyMap<number, Wheel>> {
  const { rows } = await on.query<object>(`select ${COLUMNS} from spinwheel_version where version = any($1)`, [
    [...new Set(versions)],
  ]);
  return new Map(rows.map((one) => row.parse(one)).map((wheel) => [wheel.version, wheel]));
}

/** When the first wheel was published: deposits bring coins from then on. */
export async function selectFirstPublished(on: Queryable): Promise<Date | undefined> {
  const { rows } = await on.query<{ at: Date | null }>('select min(published_at) as at from spinwheel_version');
  return rows[0]?.at ?? undefined;
}

/**
 * Publishes a wheel as the next version. What is stored is the text of its file, which is parsed again when it is read.
 * @returns the version
 */
export async function insertWheel(tx: Tx, content: unknown): Promise<number> {
  const { name, slices } = content as { name: unknown; slices: unknown };
  // Two operators at once get two numbers.
  await tx.query('lock table spinwheel_version in share row exclusive mode');
  const { rows } = await tx.query<{ version: number }>(
    `insert into spinwheel_version (version, name, slices, weights_hash)
     select coalesce(max(version), 0) + 1, $1, $2, $3 from spinwheel_version returning version`,
    [JSON.stringify(name), JSON.stringify(slices), hashWeights(wheelShape.parse(content).slices)],
  );
  return rows[0]?.version ?? 0;
}

/** Withdraws a version. @returns false when there is none, or it is withdrawn already */
export async function markInactive(tx: Tx, version: number): Promise<boolean> {
  const { rowCount } = await tx.query(
    'update spinwheel_version set is_active = false where version = $1 and is_active',
    [version],
  );
  return rowCount === 1;
}

/** A version as stored. */
export async function selectWheelText(on: Queryable, version: number): Promise<unknown> {
  const { rows } = await on.query<object>('select name, slices from spinwheel_version where version = $1', [version]);
  return rows[0];
}
