import pg from 'pg';
import { sleep } from '../platform/time.ts';
import { sessionSettings } from '../platform/database/database.ts';
import { type DatabaseWatch, destroy } from '../platform/database/watch.ts';
import { type BatchReply, batchCall, commandCall } from './codec.ts';
import type { LaneEntry } from './writer.ts';

/** More lanes than this over all processes point to a defect in starting processes. */
const LANES_MAX = 64;
// Any fixed number: the first of the two keys of the advisory locks that mark lanes as taken.
const LOCK_CLASS = 7_245_110;
const CONNECT_TIMEOUT_MS = 5_000;
const LOCK_TIMEOUT_MS = 3_000;
const STATEMENT_LIMIT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 500;
const REPLY_TIMEOUT_MS = 15_000;

/** A commit that stopped waiting for the standby: written here, but a failover may still lose it. */
export class UncertainCommit extends Error {
  override readonly name = 'UncertainCommit';
}

/**
 * The one connection of a lane. Each lane of the whole system has a unique number, which identifies its stripes of the
 * house accounts and its hash chain: the first free one, held by an advisory lock while the connection is open.
 */
export class LaneConnection {
  readonly lane: number;
  readonly #client: pg.Client;
  readonly #watch: DatabaseWatch;
  #lost: Error | undefined;
  #warning: string | undefined;

  private constructor(client: pg.Client, watch: DatabaseWatch, lane: number) {
    this.#client = client;
    this.#watch = watch;
    this.lane = lane;
  }

  /** @throws errors of the database or the socket, or when the watch finds the database silent */
  static async open(url: string, watch: DatabaseWatch): Promise<LaneConnection> {
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_LIMIT_MS,
      query_timeout: REPLY_TIMEOUT_MS,
      lock_timeout: LOCK_TIMEOUT_MS,
      keepAlive: true,
      application_name: 'krapao-ledger',
    });
    // Attached before connecting: an error without a listener would end the process.
    let early: Error | undefined;
    client.on('error', (error) => (early = error));
    try {
      watch.keep(client);
      const number = await watch.during(undefined, async () => {
        await client.connect();
        await settle(client);
        return claimLane(client);
      });
      const lane = new LaneConnection(client, watch, number);
      lane.#listen(early);
      return lane;
    } catch (error) {
      destroy(client);
      throw error;
    }
  }

  get lost(): boolean {
    return this.#lost !== undefined;
  }

  /** Posts parcels: one round trip, one commit. @throws errors of the database or the socket */
  async post(parcels: readonly LaneEntry[]): Promise<BatchReply> {
    if (this.#lost) throw this.#lost;
    this.#warning = undefined;
    const call = parcels.some(({ command }) => command)
      ? commandCall(this.lane, parcels)
      : batchCall(this.lane, parcels);
    // A silent connection is destroyed before this throws: the retry uses another one.
    const { rows } = await this.#watch.during(this.#client, () => this.#client.query<BatchReply>(call));
    if (this.#warning) throw new UncertainCommit(this.#warning);
    const [reply] = rows;
    if (!reply) throw new Error(`${call.name} answered nothing`);
    return reply;
  }

  async close(): Promise<void> {
    this.#lost ??= new Error('the lane was closed');
    // A dead network may never answer the closing handshake.
    await Promise.race([this.#client.end().catch(() => {}), sleep(CLOSE_TIMEOUT_MS)]);
    destroy(this.#client);
  }

  #listen(early: Error | undefined): void {
    this.#lost = early;
    this.#client.on('error', (error) => (this.#lost = error));
    this.#client.on('end', () => (this.#lost ??= new Error('the connection of the lane ended')));
    // The functions themselves raise no warning: a warning means that the server stopped waiting for its standby.
    this.#client.on('notice', (notice) => {
      if (notice.severity === 'WARNING' || notice.code?.startsWith('01')) this.#warning = notice.message;
    });
  }
}

// Each statement of the function has to see what was committed while it waited for a lock, and every commit has to be
// flushed.
async function settle(client: pg.Client): Promise<void> {
  await client.query(sessionSettings);
  await client.query("set default_transaction_isolation = 'read committed'");
  await client.query(
    "select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') in ('off', 'local')",
  );
}

async function claimLane(client: pg.Client): Promise<number> {
  for (let lane = 0; lane < LANES_MAX; lane += 1) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1, $2) as taken', [
      LOCK_CLASS,
      lane,
    ]);
    if (rows[0]?.taken) return lane;
  }
  throw new Error(`all ${LANES_MAX} lanes of the ledger are taken`);
}
