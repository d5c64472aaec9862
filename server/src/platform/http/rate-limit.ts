import type { Clock } from '../time.ts';
import { sqlState, type Queryable } from '../database/database.ts';
import { hideFromPlanner } from '../database/statements.ts';
import { coalesce } from '../jobs/concurrency.ts';
import { Refusal, Unavailable } from '../errors.ts';

export type Limit = {
  /** What is counted and for whom, for example `login:phone:0812345678`. */
  key: string;
  /** Hits allowed in one window. */
  max: number;
  windowSeconds: number;
  /** The code that a call past the limit is refused with. */
  code?: 'REQUEST_LIMIT' | 'REQUEST_LIMIT_1MIN' | 'OTP_BLOCK';
};

export type RateLimits = {
  /**
   * Counts one hit for each limit, in their order. Throws the refusal of the first that is exceeded; those after it are not
   * counted then. Callers who wait at the same time share a commit.
   */
  hit(...limits: readonly Limit[]): Promise<void>;
  /** How many hits the running window has, without counting one. */
  used(limit: Limit): Promise<number>;
  /** Forgets keys, for example after a login that succeeded. */
  clear(...keys: string[]): Promise<void>;
  /** Removes expired windows; returns how many keys. */
  sweep(): Promise<number>;
};

const SWEEP_AFTER_SECONDS = 86_400;

/** What a hit is refused with; undefined when it is allowed. */
type Verdict = { code: NonNullable<Limit['code']>; retryAfterSeconds: number } | undefined;
/** `id`: two calls of one caller are counted both. */
type Call = { id: number; limits: readonly Limit[] };

const USED = `select hits from rate_limit r
  where key = $1 and not abs(extract(epoch from $2::timestamptz - r.window_start)) >= $3::float8`;

/** Locks in the order of the keys, as hits do: neither waits for the other in a circle. */
const CLEAR = `with locked as materialized (
    select key from rate_limit where key = any(${hideFromPlanner('$1::text[]')}) order by key for update)
  delete from rate_limit r using locked l where r.key = l.key`;

/** Limits that all nodes share, counted in the database. */
export function createRateLimits(database: Queryable, clock: Clock): RateLimits {
  const countAll = coalesce(
    (calls: readonly Call[]) => countTogether(database, clock, calls),
    ({ id }) => String(id),
  );
  let lastId = 0;
  return {
    async hit(...limits) {
      lastId += 1;
      const counted = await countAll({ id: lastId, limits });
      if (counted && 'error' in counted) throw counted.error;
      const refused = counted?.verdict;
      if (refused) throw new Refusal(refused.code, { retryAfterSeconds: refused.retryAfterSeconds });
    },
    async used({ key, windowSeconds }) {
      const { rows } = await database.query<{ hits: number }>(USED, [key, clock.now(), windowSeconds]);
      return rows[0]?.hits ?? 0;
    },
    async clear(...keys) {
      await database.query(CLEAR, [keys], { name: 'rate-limit-clear' });
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

type Counted = { verdict: Verdict } | { error: unknown };

/** A key was cleared while hits of several processes entered it: nothing was counted. */
const DEADLOCK = '40P01';

/** A call that the database refuses, for a key that it can't store, fails alone. */
async function countTogether(
  database: Queryable,
  clock: Clock,
  calls: readonly Call[],
): Promise<ReadonlyMap<string, Counted>> {
  try {
    const verdicts = await countHits(database, clock, calls);
    return new Map(calls.map(({ id }, index) => [String(id), { verdict: verdicts.get(index) }]));
  } catch (error) {
    const isFinal = calls.length === 1 && sqlState(error) !== DEADLOCK;
    if (isFinal || error instanceof Unavailable) throw error;
    return new Map(await Promise.all(calls.map((call) => countAlone(database, clock, call))));
  }
}

async function countAlone(database: Queryable, clock: Clock, call: Call): Promise<[string, Counted]> {
  try {
    return [String(call.id), { verdict: (await countHits(database, clock, [call])).get(0) }];
  } catch (error) {
    return [String(call.id), { error }];
  }
}

/** @returns what is refused, by the index of its call */
async function countHits(
  database: Queryable,
  clock: Clock,
  calls: readonly Call[],
): Promise<ReadonlyMap<number, Verdict>> {
  const hits = calls.flatMap(({ limits }, call) => limits.map((limit) => ({ call, limit })));
  const keys = [...new Set(hits.map(({ limit }) => limit.key))];
  const placeOf = new Map(keys.map((key, place) => [key, place + 1]));
  const { rows } = await database.query<{ call: number; place: number; seconds_left: number }>(
    'select * from rate_limit_hits($1, $2, $3, $4, $5, $6)',
    [
      clock.now(),
      keys,
      hits.map(({ call }) => call),
      hits.map(({ limit }) => placeOf.get(limit.key)),
      hits.map(({ limit }) => limit.windowSeconds),
      hits.map(({ limit }) => limit.max),
    ],
    { name: 'rate-limit-hits' },
  );
  return new Map(
    rows.map(({ call, place, seconds_left }): [number, Verdict] => [
      call,
      {
        code: hits[place - 1]?.limit.code ?? 'REQUEST_LIMIT',
        retryAfterSeconds: Math.max(1, seconds_left),
      },
    ]),
  );
}
