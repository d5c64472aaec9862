import type { Clock } from '../../clock.ts';
import type { Queryable } from '../../database/database.ts';
import { Refusal } from '../../refusal.ts';
import { opaque } from '../../database/opaque.ts';

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
  /** Counts one hit; throws the refusal of the limit when it is one too many. */
  hit(limit: Limit): Promise<void>;
  /** How many hits the running window has, without counting one. */
  used(limit: Limit): Promise<number>;
  /** Forgets keys, for example after a login that succeeded. */
  clear(...keys: string[]): Promise<void>;
  /** Removes expired windows; returns how many keys. */
  sweep(): Promise<number>;
};

const SWEEP_AFTER_SECONDS = 86_400;

// One statement, so that two nodes that count at the same moment both count. A window starts with the first hit after
// the last one ended. Counting stops at one past the limit, so that a flood does not keep writing the row. A window
// that starts in the future comes from a wrong clock and counts as over too: no caller is locked out for weeks.
const IS_OVER = `abs(extract(epoch from $2::timestamptz - r.window_start)) >= $3::float8`;
const HIT = `
insert into rate_limit as r (key, window_start, hits) values ($1, $2, 1)
on conflict (key) do update set
  window_start = case when ${IS_OVER} then $2 else r.window_start end,
  hits = case when ${IS_OVER} then 1 else least(r.hits + 1, $4) end
returning hits, extract(epoch from window_start + make_interval(secs => $3::float8) - $2::timestamptz)::int as seconds_left`;

const USED = `select hits from rate_limit r where key = $1 and not ${IS_OVER}`;

/** Limits that all nodes share, counted in the database. */
export function createRateLimits(database: Queryable, clock: Clock): RateLimits {
  return {
    async hit({ key, max, windowSeconds, code = 'REQUEST_LIMIT' }) {
      const { rows } = await database.query<{ hits: number; seconds_left: number }>(
        HIT,
        [key, clock.now(), windowSeconds, max + 1],
        { name: 'rate-limit-hit' },
      );
      const [row] = rows;
      if (row && row.hits > max) throw new Refusal(code, { retryAfterSeconds: Math.max(1, row.seconds_left) });
    },
    async used({ key, windowSeconds }) {
      const { rows } = await database.query<{ hits: number }>(USED, [key, clock.now(), windowSeconds]);
      return rows[0]?.hits ?? 0;
    },
    async clear(...keys) {
      await database.query(`delete from rate_limit where key = any(${opaque('$1::text[]')})`, [keys]);
    },
    async sweep() {
      const { rowCount } = await database.query(
        'delete from rate_limit where window_start < $1::timestamptz - make_interval(secs => $2)',
        [clock.now(), SWEEP_AFTER_SECONDS],
      );
      return rowCount;
    },
  };
}
