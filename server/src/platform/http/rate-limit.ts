import { sqlState, type Queryable } from '../database/database.ts';
import { hideFromPlanner } from '../database/statements.ts';
import { Refusal, Unavailable } from '../errors.ts';
import { coalesce } from '../jobs/concurrency.ts';
import type { Clock } from '../time.ts';

export type Limit = {
  /** The limited action and subject, for example `login:phone:0812345678`. */
  key: string;
  /** Maximum hits in one window. */
  max: number;
  windowSeconds: number;
  /** Code of the refusal above the limit. */
  code?: 'REQUEST_LIMIT' | 'REQUEST_LIMIT_1MIN' | 'OTP_BLOCK';
};

export type RateLimits = {
  /**
   * Counts one hit for each limit, in order, up to the first exceeded one. Concurrent callers share a commit.
   * @throws {Refusal} a limit is exceeded
   */
  hit(...limits: readonly Limit[]): Promise<void>;
  /** Counts no hit. @throws {Refusal} the limit is used up */
  assertNotUsedUp(limit: Limit): Promise<void>;
  /** Number of hits in the current window. */
  readHits(limit: Limit): Promise<number>;
  /** Resets keys, for example after a successful login. */
  clear(...keys: string[]): Promise<void>;
  /** Removes expired windows; returns the number of removed keys. */
  sweep(): Promise<number>;
};

const SWEEP_AFTER_SECONDS = 86_400;

/** Refusal of a hit; undefined: it is allowed. */
type LimitVerdict = { code: NonNullable<Limit['code']>; retryAfterSeconds: number } | undefined;
/** Limits of one call. `id` distinguishes concurrent calls with the same limits. */
type LimitCall = { id: number; limits: readonly Limit[] };

const SELECT_HITS_SQL = `select hits,
    ceil(extract(epoch from r.window_start - $2::timestamptz) + $3::float8)::int as "secondsLeft" from rate_limit r
  where key = $1 and not abs(extract(epoch from $2::timestamptz - r.window_start)) >= $3::float8`;

/** Locks keys in the same order as hits do, so that both can't deadlock. */
const CLEAR_SQL = `with locked as materialized (
    select key from rate_limit where key = any(${hideFromPlanner('$1::text[]')}) order by key for update)
  delete from rate_limit r using locked l where r.key = l.key`;

/** Rate limits shared by all nodes, counted in the database. */
export function createRateLimits(database: Queryable, clock: Clock): RateLimits {
  const countAll = coalesce(
    (calls: readonly LimitCall[]) => countTogether(database, clock, calls),
    ({ id }) => String(id),
  );
  let lastId = 0;
  const select = async ({ key, windowSeconds }: Limit): Promise<{ hits: number; secondsLeft: number } | undefined> => {
    const values = [key, clock.now(), windowSeconds];
    return (await database.query<{ hits: number; secondsLeft: number }>(SELECT_HITS_SQL, values)).rows[0];
  };
  return {
    async hit(...limits) {
      lastId += 1;
      const counted = await countAll({ id: lastId, limits });
      if (counted && 'error' in counted) throw counted.error;
      const verdict = counted?.verdict;
      if (verdict) throw new Refusal(verdict.code, { retryAfterSeconds: verdict.retryAfterSeconds });
    },
    async assertNotUsedUp(limit) {
      const row = await select(limit);
      if (!row || row.hits < limit.max) return;
      throw new Refusal(limit.code ?? 'REQUEST_LIMIT', { retryAfterSeconds: Math.max(1, row.secondsLeft) });
    },
    readHits: async (limit) => (await select(limit))?.hits ?? 0,
    async clear(...keys) {
      await database.query(CLEAR_SQL, [keys], { name: 'rate-limit-clear' });
    },
    async sweep() {
      const { rowCount } = await database.query(
        `delete from rate_limit where key in (
           select key from rate_limit where window_start < $1::timestamptz - make_interval(secs => $2) for update skip locked)`,
        [clock.now(), SWEEP_AFTER_SECONDS],
      );
      return rowCount;
    },
  };
}

type CountResult = { verdict: LimitVerdict } | { error: unknown };

/** A key was cleared while several processes inserted hits: nothing was counted. */
const DEADLOCK_STATE = '40P01';

/** Counts calls together. A call with a key that the database can't store fails alone. */
async function countTogether(
  database: Queryable,
  clock: Clock,
  calls: readonly LimitCall[],
): Promise<ReadonlyMap<string, CountResult>> {
  try {
    const verdicts = await recordHits(database, clock, calls);
    return new Map(calls.map(({ id }, index) => [String(id), { verdict: verdicts.get(index) }]));
  } catch (error) {
    const isFinal = calls.length === 1 && sqlState(error) !== DEADLOCK_STATE;
    if (isFinal || error instanceof Unavailable) throw error;
    return new Map(await Promise.all(calls.map((call) => countAlone(database, clock, call))));
  }
}

async function countAlone(database: Queryable, clock: Clock, call: LimitCall): Promise<[string, CountResult]> {
  try {
    return [String(call.id), { verdict: (await recordHits(database, clock, [call])).get(0) }];
  } catch (error) {
    return [String(call.id), { error }];
  }
}

/** @returns verdicts by the index of the call; none for an allowed call */
async function recordHits(
  database: Queryable,
  clock: Clock,
  calls: readonly LimitCall[],
): Promise<ReadonlyMap<number, LimitVerdict>> {
  const hits = calls.flatMap(({ limits }, call) => limits.map((limit) => ({ call, limit })));
  const keys = [...new Set(hits.map(({ limit }) => limit.key))];
  const positionByKey = new Map(keys.map((key, position) => [key, position + 1]));
  const { rows } = await database.query<{ call: number; place: number; seconds_left: number }>(
    'select * from rate_limit_hits($1, $2, $3, $4, $5, $6)',
    [
      clock.now(),
      keys,
      hits.map(({ call }) => call),
      hits.map(({ limit }) => positionByKey.get(limit.key)),
      hits.map(({ limit }) => limit.windowSeconds),
      hits.map(({ limit }) => limit.max),
    ],
    { name: 'rate-limit-hits' },
  );
  return new Map(
    rows.map(({ call, place, seconds_left }): [number, LimitVerdict] => [
      call,
      {
        code: hits[place - 1]?.limit.code ?? 'REQUEST_LIMIT',
        retryAfterSeconds: Math.max(1, seconds_left),
      },
    ]),
  );
}
