import { Counter, Gauge, type Registry } from 'prom-client';
import { monotonicMs } from '../time.ts';
import { type Job, type JobLog, startPeriodicJob } from '../jobs/job.ts';
import { type Database, openDatabase, type Queryable, type Rows } from './database.ts';

/** Reads that may be seconds old, taken off the primary. What decides about money never reads here. */
export type StandbyReads = {
  /** Where to read something of a member: a standby that has all that this process knows was committed, else the primary. */
  of(memberId: string): Queryable;
  /** Where to read statistics of all members: a standby that is at most seconds behind, else the primary. */
  ofAll(): Queryable;
  /** Something of these members has been committed: a standby must have replayed it before they are read there. */
  touch(memberIds: Iterable<string>): void;
  start(): void;
  stop(): Promise<void>;
};

export type StandbyOptions = {
  /** DATABASE_READ_URL; without it everything is read from the primary. */
  url: string | undefined;
  primary: Queryable;
  /** Most connections to the standby. */
  size: number;
  metrics: Registry;
  log: JobLog;
};

/** A standby that is further behind serves nothing. */
const LAG_MAX_MS = 5_000;
const PROBE_MS = 500;
/** A read that the standby has not answered by then goes to the primary. */
const PATIENCE_MS = 1_000;

/** The end of the primary's log at a monotonic time. */
type Position = { timeline: string; end: bigint; atMs: number };

/** @returns reads of the primary alone when there is no DATABASE_READ_URL */
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
  /** When members were last written; only what the standby may lack. */
  readonly #touched = new Map<string, number>();
  /** Where the primary was, oldest first, as far as the standby has not come there. */
  #ahead: Position[] = [];
  /** The standby has what was committed before this monotonic time. */
  #asOfMs = Number.NEGATIVE_INFINITY;
  #job: Job | undefined;
  /** One for all members, so that reads of the same moment can share a statement. */
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
      const rows = await inTime(this.#standby.query<Row>(...statement));
      this.#served.inc({ from: 'standby' });
      return rows;
    } catch {
      // It is away, silent, or had to cancel the read: it serves again when a probe finds it well.
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

  /** Notes where the primary is, and finds out where the standby has come. */
  async #probe(): Promise<void> {
    const nowMs = monotonicMs();
    this.#ahead = this.#ahead.filter(({ atMs }) => nowMs - atMs < LAG_MAX_MS);
    const [primary, standby] = await Promise.all([
      positionOf(this.#options.primary),
      inTime(replayedBy(this.#standby)),
    ]);
    this.#ahead.push({ ...primary, atMs: nowMs });
    if (!standby) return;
    // A standby of another timeline may have what a failover has lost.
    const reached = this.#ahead.filter(({ timeline, end }) => timeline === standby.timeline && end <= standby.end);
    const last = reached.at(-1);
    if (!last) return;
    this.#ahead = this.#ahead.filter(({ atMs }) => atMs > last.atMs);
    this.#asOfMs = last.atMs;
    for (const [id, atMs] of this.#touched) if (atMs < last.atMs) this.#touched.delete(id);
  }
}

async function positionOf(primary: Queryable): Promise<{ timeline: string; end: bigint }> {
  const { rows } = await primary.query<{ file: string; end: string }>(
    'select pg_walfile_name(pg_current_wal_lsn()) as file, pg_current_wal_lsn()::text as end',
    [],
    { name: 'standby-primary' },
  );
  const [row] = rows;
  if (!row) throw new Error('the primary gave no position');
  return { timeline: String(Number.parseInt(row.file.slice(0, 8), 16)), end: bytesOf(row.end) };
}

/** Undefined: it is no standby, receives nothing, or its role may not see what it receives (pg_monitor). */
async function replayedBy(standby: Queryable): Promise<{ timeline: string; end: bigint } | undefined> {
  const { rows } = await standby.query<{ timeline: string | null; end: string | null }>(
    `select w.received_tli::text as timeline, pg_last_wal_replay_lsn()::text as end
       from pg_stat_wal_receiver w where pg_is_in_recovery()`,
    [],
    { name: 'standby-replayed' },
  );
  const { timeline, end } = rows[0] ?? {};
  return timeline && end ? { timeline, end: bytesOf(end) } : undefined;
}

/** A position of the log (`16/B374D848`) as a number of bytes. */
function bytesOf(position: string): bigint {
  const [high = '0', low = '0'] = position.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the standby does not answer in time')), PATIENCE_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
