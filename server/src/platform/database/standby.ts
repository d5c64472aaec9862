import { Counter, Gauge, type Registry } from 'prom-client';
import { type Job, type JobLog, startPeriodicJob } from '../jobs/job.ts';
import { monotonicMs } from '../time.ts';
import { type Database, openDatabase, type Queryable, type Rows } from './database.ts';

/** Reads that may be seconds old, served by a standby. Decisions about money never use them. */
export type StandbyReads = {
  /**
   * Where to read data of a member: a standby that has replayed all commits that this process knows of, else the
   * primary.
   */
  of(memberId: string): Queryable;
  /** Where to read statistics of all members: a standby that is at most seconds behind, else the primary. */
  ofAll(): Queryable;
  /** Records a commit of these members: a standby must have replayed it before it serves them. */
  touch(memberIds: Iterable<string>): void;
  start(): void;
  stop(): Promise<void>;
};

export type StandbyOptions = {
  /** DATABASE_READ_URL. Undefined: the primary serves every read. */
  url: string | undefined;
  primary: Queryable;
  /** Maximum connections to the standby. */
  size: number;
  metrics: Registry;
  log: JobLog;
};

/** A standby with a greater lag serves no reads. */
const LAG_MAX_MS = 5_000;
const PROBE_MS = 500;
/** Timeout of a read on the standby; then the primary serves it. */
const READ_TIMEOUT_MS = 1_000;

/** End of the primary's WAL at a monotonic time. */
type WalPosition = { timeline: string; end: bigint; atMs: number };

/** @returns a reader of the primary alone when there is no DATABASE_READ_URL */
export function openStandby(options: StandbyOptions): StandbyReads {
  const { url, primary, size } = options;
  if (url === undefined)
    return { of: () => primary, ofAll: () => primary, touch: () => {}, start: () => {}, stop: async () => {} };
  return new Standby(options, openDatabase({ url, size }));
}

class Standby implements StandbyReads {
  readonly #options: StandbyOptions;
  readonly #standby: Database;
  readonly #served: Counter<'from'>;
  /** Time of the last write of each member, while the standby may lack it. */
  readonly #touched = new Map<string, number>();
  /** Positions of the primary that the standby has not reached, oldest first. */
  #ahead: WalPosition[] = [];
  /** The standby has all commits before this monotonic time. */
  #asOfMs = Number.NEGATIVE_INFINITY;
  #job: Job | undefined;
  /** One object for all members, so that concurrent reads share a statement. */
  readonly #first: Queryable = { query: (...statement) => this.#read(...statement) };

  constructor(options: StandbyOptions, standby: Database) {
    this.#options = options;
    this.#standby = standby;
    const { metrics } = options;
    this.#served = new Counter({
      name: 'krapao_standby_reads_total',
      help: 'Reads that a standby may serve, by the server that did',
      labelNames: ['from'],
      registers: [metrics],
    });
    const lagSeconds = (): number => Math.min((monotonicMs() - this.#asOfMs) / 1_000, Number.MAX_SAFE_INTEGER);
    new Gauge({
      name: 'krapao_standby_lag_seconds',
      help: 'How far the standby of DATABASE_READ_URL is behind; from 5 on it serves nothing',
      aggregator: 'max',
      registers: [metrics],
      collect() {
        this.set(lagSeconds());
      },
    });
  }

  of(memberId: string): Queryable {
    const touchedMs = this.#touched.get(memberId) ?? Number.NEGATIVE_INFINITY;
    return this.#firstIf(touchedMs < this.#asOfMs);
  }

  ofAll(): Queryable {
    return this.#firstIf(true);
  }

  #firstIf(hasAll: boolean): Queryable {
    if (hasAll && monotonicMs() - this.#asOfMs < LAG_MAX_MS) return this.#first;
    this.#served.inc({ from: 'primary' });
    return this.#options.primary;
  }

  async #read<Row extends object>(...statement: Parameters<Queryable['query']>): Promise<Rows<Row>> {
    try {
      const result = await withTimeout(this.#standby.query<Row>(...statement));
      this.#served.inc({ from: 'standby' });
      return result;
    } catch {
      // The standby is unreachable, silent, or cancelled the read. The next successful probe makes it usable again.
      this.#asOfMs = Number.NEGATIVE_INFINITY;
      this.#served.inc({ from: 'primary' });
      return this.#options.primary.query<Row>(...statement);
    }
  }

  touch(memberIds: Iterable<string>): void {
    const nowMs = monotonicMs();
    for (const id of memberIds) this.#touched.set(id, nowMs);
  }

  start(): void {
    const { log } = this.#options;
    this.#job ??= startPeriodicJob({ name: 'probe the standby', everyMs: PROBE_MS, run: () => this.#probe(), log });
  }

  async stop(): Promise<void> {
    await this.#job?.stop();
    await this.#standby.close();
  }

  /** Records the position of the primary, and compares the position of the standby. */
  async #probe(): Promise<void> {
    const nowMs = monotonicMs();
    this.#ahead = this.#ahead.filter(({ atMs }) => nowMs - atMs < LAG_MAX_MS);
    const [primary, standby] = await Promise.all([
      primaryPosition(this.#options.primary),
      withTimeout(standbyPosition(this.#standby)),
    ]);
    this.#ahead.push({ ...primary, atMs: nowMs });
    if (!standby) return;
    // A standby on another timeline may contain commits that a failover has lost.
    const reachedPositions = this.#ahead.filter(
      ({ timeline, end }) => timeline === standby.timeline && end <= standby.end,
    );
    const lastReached = reachedPositions.at(-1);
    if (!lastReached) return;
    this.#ahead = this.#ahead.filter(({ atMs }) => atMs > lastReached.atMs);
    this.#asOfMs = lastReached.atMs;
    for (const [id, atMs] of this.#touched) if (atMs < lastReached.atMs) this.#touched.delete(id);
  }
}

async function primaryPosition(primary: Queryable): Promise<{ timeline: string; end: bigint }> {
  const { rows } = await primary.query<{ file: string; end: string }>(
    'select pg_walfile_name(pg_current_wal_lsn()) as file, pg_current_wal_lsn()::text as end',
    [],
    { name: 'standby-primary' },
  );
  const [row] = rows;
  if (!row) throw new Error('the primary gave no position');
  return { timeline: String(Number.parseInt(row.file.slice(0, 8), 16)), end: positionBytes(row.end) };
}

/** Position of the standby. Undefined: the server is no standby, receives no WAL, or its role lacks pg_monitor. */
async function standbyPosition(standby: Queryable): Promise<{ timeline: string; end: bigint } | undefined> {
  const { rows } = await standby.query<{ timeline: string | null; end: string | null }>(
    `select w.received_tli::text as timeline, pg_last_wal_replay_lsn()::text as end
       from pg_stat_wal_receiver w where pg_is_in_recovery()`,
    [],
    { name: 'standby-replayed' },
  );
  const { timeline, end } = rows[0] ?? {};
  return timeline && end ? { timeline, end: positionBytes(end) } : undefined;
}

/** Converts a WAL position (`16/B374D848`) to bytes. */
function positionBytes(position: string): bigint {
  const [high = '0', low = '0'] = position.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

async function withTimeout<T>(reading: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the standby does not reply in time')), READ_TIMEOUT_MS);
  });
  try {
    return await Promise.race([reading, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
