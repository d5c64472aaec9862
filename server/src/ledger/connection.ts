import pg from 'pg';
import { isUncertainCommit, sessionSettings } from '../platform/database/database.ts';
import { type DatabaseWatch, destroy } from '../platform/database/watch.ts';
import { sleep } from '../platform/time.ts';
import { type BatchReply, postBatchStatement, postCommandsStatement } from './codec.ts';
import type { LaneEntry } from './writer.ts';

/** Upper bound for all processes. More lanes mean that processes are started by mistake. */
const LANES_MAX = 64;
// Arbitrary constant: first key of the advisory locks that reserve lane numbers.
const LANE_LOCK_CLASS = 7_245_110;
const CONNECT_TIMEOUT_MS = 5_000;
const LOCK_TIMEOUT_MS = 3_000;
const STATEMENT_TIMEOUT_MS = 10_000;
const CLOSE_TIMEOUT_MS = 500;
const REPLY_TIMEOUT_MS = 15_000;

/** A commit that stopped waiting for the standby. It is written on this server, but a failover may lose it. */
export class UncertainCommit extends Error {
  override readonly name = 'UncertainCommit';
}

/**
 * The database connection of one lane. Its lane number is unique among all processes: an advisory lock holds the first
 * free number while the connection is open. The number selects the lane's stripes of house accounts and its hash chain.
 */
export class LaneConnection {
  readonly lane: number;
  readonly #client: pg.Client;
  readonly #watch: DatabaseWatch;
  #lostError: Error | undefined;
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
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: REPLY_TIMEOUT_MS,
      lock_timeout: LOCK_TIMEOUT_MS,
      keepAlive: true,
      application_name: 'krapao-ledger',
    });
    // The listener is attached before connecting: an error without a listener would end the process.
    let earlyError: Error | undefined;
    client.on('error', (error) => (earlyError = error));
    try {
      watch.track(client);
      const laneNumber = await watch.during(undefined, async () => {
        await client.connect();
        await configureSession(client);
        return claimLane(client);
      });
      const lane = new LaneConnection(client, watch, laneNumber);
      lane.#attachListeners(earlyError);
      return lane;
    } catch (error) {
      destroy(client);
      throw error;
    }
  }

  get isLost(): boolean {
    return this.#lostError !== undefined;
  }

  /** Posts the entries in one round trip and one commit. @throws errors of the database or the socket */
  async post(entries: readonly LaneEntry[]): Promise<BatchReply> {
    if (this.#lostError) throw this.#lostError;
    this.#warning = undefined;
    const call = entries.some(({ command }) => command)
      ? postCommandsStatement(this.lane, entries)
      : postBatchStatement(this.lane, entries);
    // A silent connection is destroyed before the error is thrown: the retry opens another connection.
    const { rows } = await this.#watch.during(this.#client, () => this.#client.query<BatchReply>(call));
    if (this.#warning) throw new UncertainCommit(this.#warning);
    const [reply] = rows;
    if (!reply) throw new Error(`${call.name} returned nothing`);
    return reply;
  }

  async close(): Promise<void> {
    this.#lostError ??= new Error('the lane was closed');
    // A dead network may never complete the closing handshake.
    await Promise.race([this.#client.end().catch(() => {}), sleep(CLOSE_TIMEOUT_MS)]);
    destroy(this.#client);
  }

  #attachListeners(earlyError: Error | undefined): void {
    this.#lostError = earlyError;
    this.#client.on('error', (error) => (this.#lostError = error));
    this.#client.on('end', () => (this.#lostError ??= new Error('the connection of the lane ended')));
    this.#client.on('notice', (notice) => {
      if (isUncertainCommit(notice)) this.#warning = notice.message;
    });
  }
}

// Read committed: each statement sees rows committed while it waited for a lock. Every commit must be flushed to disk.
async function configureSession(client: pg.Client): Promise<void> {
  await client.query(sessionSettings);
  await client.query("set default_transaction_isolation = 'read committed'");
  await client.query(
    "select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') in ('off', 'local')",
  );
}

async function claimLane(client: pg.Client): Promise<number> {
  for (let lane = 0; lane < LANES_MAX; lane += 1) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1, $2) as taken', [
      LANE_LOCK_CLASS,
      lane,
    ]);
    if (rows[0]?.taken) return lane;
  }
  throw new Error(`all ${LANES_MAX} lanes of the ledger are taken`);
}
