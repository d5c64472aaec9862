import pg, { type ClientBase } from 'pg';
import { monotonicMs } from '../time.ts';
import { asUnavailable, DatabaseUnavailable } from './errors.ts';

/** Duration above which a statement triggers a probe of the database. */
const SLOW_QUERY_MS = 1_000;
const PROBE_TIMEOUT_MS = 2_000;
const CHECK_EVERY_MS = 250;

// Members of the driver's client that its types omit.
type DriverClient = pg.ClientBase & {
  processID?: number | null;
  connection?: { stream: { destroy(): void; destroyed: boolean } };
};
type PendingQuery = {
  since: number;
  client: DriverClient | undefined;
  suspect: boolean;
  abandon: (error: Error) => void;
};
/** Result of a probe on a separate connection. */
type ProbeResult = { isSilent: false; isActive: (pid: number) => boolean } | { isSilent: true };

/**
 * Detects a silent database: with dropped packets a socket stays open for many minutes. A slow statement alone proves
 * nothing, so a probe on another connection checks whether the database replies and works on the statement. If not, the
 * watch destroys the connection, and the statement fails as lost. While probes get no reply, every statement fails
 * immediately.
 */
export class DatabaseWatch {
  readonly #url: string;
  readonly #pendingQueries = new Set<PendingQuery>();
  /** Time at which each connection last received data. */
  readonly #clients = new Map<DriverClient, number>();
  #answeredAt = monotonicMs();
  #silent: DatabaseUnavailable | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(url: string) {
    this.#url = url;
  }

  /** Whether the database has stopped replying. */
  get isSilent(): boolean {
    return this.#silent !== undefined;
  }

  /** Watches a connection until its end. Idle connections are destroyed too when the database falls silent. */
  track(client: pg.ClientBase): void {
    this.#clients.set(client, monotonicMs());
    client.once('end', () => this.#clients.delete(client));
  }

  /**
   * Runs one statement on a connection, or (without one) waits for a connection.
   * @throws {DatabaseUnavailable} no reply came; the connection is destroyed
   */
  async during<T>(client: pg.ClientBase | undefined, work: () => Promise<T>): Promise<T> {
    if (this.#silent) throw this.#silent;
    const abandonment = Promise.withResolvers<never>();
    const pendingQuery: PendingQuery = { since: monotonicMs(), client, suspect: false, abandon: abandonment.reject };
    this.#pendingQueries.add(pendingQuery);
    this.#scheduleCheck();
    try {
      const result = await Promise.race([work(), abandonment.promise]);
      this.#recordReply(client);
      return result;
    } catch (error) {
      if (error instanceof pg.DatabaseError) this.#recordReply(client);
      throw asUnavailable(error);
    } finally {
      this.#pendingQueries.delete(pendingQuery);
    }
  }

  /** Ends the watch and destroys all open connections. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const client of this.#clients.keys()) destroy(client);
  }

  #recordReply(client: DriverClient | undefined): void {
    this.#answeredAt = monotonicMs();
    if (client && this.#clients.has(client)) this.#clients.set(client, this.#answeredAt);
  }

  #scheduleCheck(): void {
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => void this.#check(), CHECK_EVERY_MS).unref();
  }

  async #check(): Promise<void> {
    const slowQueries = [...this.#pendingQueries].filter(({ since }) => monotonicMs() - since >= SLOW_QUERY_MS);
    if (slowQueries.length > 0 || this.#silent) {
      const askedAt = monotonicMs();
      const probe = await probeDatabase(this.#url);
      if (this.#closed) return;
      if (!probe.isSilent) {
        this.#silent = undefined;
        this.#failStuckQueries(slowQueries, probe.isActive);
      } else if (this.#answeredAt < askedAt) this.#markSilent();
    }
    this.#timer = undefined;
    if (this.#pendingQueries.size > 0 || this.#silent) this.#scheduleCheck();
  }

  /** Needs two probes in a row: at the first one the reply may have been in transit. */
  #failStuckQueries(slowQueries: readonly PendingQuery[], isActive: (pid: number) => boolean): void {
    for (const slowQuery of slowQueries) {
      const pid = slowQuery.client?.processID;
      if (!slowQuery.client || typeof pid !== 'number' || !this.#pendingQueries.has(slowQuery)) continue;
      if (isActive(pid)) slowQuery.suspect = false;
      else if (!slowQuery.suspect) slowQuery.suspect = true;
      else this.#fail(slowQuery, slowQuery.client);
    }
  }

  /**
   * Idle connections without traffic since the start of the query are most likely lost too, so the next caller gets a
   * new one.
   */
  #fail(slowQuery: PendingQuery, client: DriverClient): void {
    slowQuery.abandon(
      new DatabaseUnavailable('the connection to the database is silent', { isLost: true, isSilent: true }),
    );
    destroy(client);
    const busyClients = new Set([...this.#pendingQueries].map((pendingQuery) => pendingQuery.client));
    for (const [idleClient, answeredAt] of this.#clients)
      if (!busyClients.has(idleClient) && answeredAt < slowQuery.since) destroy(idleClient);
  }

  #markSilent(): void {
    this.#silent = new DatabaseUnavailable('the database does not answer', { isLost: true, isSilent: true });
    for (const pendingQuery of this.#pendingQueries) pendingQuery.abandon(this.#silent);
    for (const client of this.#clients.keys()) destroy(client);
  }
}

/** Destroys a connection without the closing handshake, which a dead network would never reply to. */
export function destroy(client: pg.ClientBase): void {
  (client as DriverClient).connection?.stream.destroy();
}

/** Whether the watch destroyed the connection, even if the pool has not noticed. */
export const isDestroyed = (client: pg.ClientBase): boolean =>
  (client as DriverClient).connection?.stream.destroyed === true;

async function probeDatabase(url: string): Promise<ProbeResult> {
  const client = new pg.Client({ connectionString: url, application_name: 'krapao-watch' });
  client.on('error', () => {});
  const timeout = Promise.withResolvers<ProbeResult>();
  // One more turn of the event loop: after a long pause of this process the reply may already be in the socket.
  const timer = setTimeout(() => setImmediate(() => timeout.resolve({ isSilent: true })), PROBE_TIMEOUT_MS);
  try {
    return await Promise.race([selectActive(client), timeout.promise]);
  } catch (error) {
    // Too many connections: the server is alive, but its activity is unknown.
    const isCrowded = (error as { code?: string }).code === '53300';
    return isCrowded ? { isSilent: false, isActive: () => true } : { isSilent: true };
  } finally {
    clearTimeout(timer);
    destroy(client);
  }
}

async function selectActive(client: pg.Client): Promise<ProbeResult> {
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(`select pid from pg_stat_activity where state = 'active'`);
  const activePids = new Set(rows.map(({ pid }) => pid));
  // Behind a pooler backend ids differ from those of the server, so a single connection can't be checked.
  const seesOwnConnection = activePids.has((client as DriverClient).processID ?? -1);
  return { isSilent: false, isActive: (pid) => !seesOwnConnection || activePids.has(pid) };
}

/** A connection younger than this is trusted when it reports a read-only database. */
const WRITABLE_TRUST_MS = 1_000;

/**
 * Identifies connections opened before the last loss. One cause often ends all connections of that time, some of them
 * undetected. After a loss a caller needs a newer connection.
 */
export class DatabaseGeneration {
  #current = 0;
  #writtenAt = -Infinity;
  readonly #made = new WeakMap<ClientBase, { generation: number; at: number }>();

  made(client: ClientBase): void {
    this.#made.set(client, { generation: this.#current, at: monotonicMs() });
  }

  /**
   * Starts a new generation, unless the connection belongs to an older one: losing old connections one by one must not
   * make new ones doubtful.
   */
  lost(client: ClientBase): void {
    if (!this.isDoubtful(client)) this.#current += 1;
  }

  /** Records a successful write on any connection. */
  written(): void {
    this.#writtenAt = monotonicMs();
  }

  /**
   * Records that the connection was refused a write. A session keeps its initial read-only default and its node of a
   * cluster, so it never becomes writable again, while the database may. While no connection can write, they are
   * replaced at most once a second. A connection older than the last write is replaced immediately.
   */
  refusedWrite(client: ClientBase): void {
    const madeAt = this.#made.get(client)?.at ?? 0;
    if (madeAt <= this.#writtenAt || monotonicMs() - madeAt >= WRITABLE_TRUST_MS) this.lost(client);
  }

  /** Whether the connection may be lost: it was opened before another one was lost. */
  isDoubtful(client: ClientBase): boolean {
    return (this.#made.get(client)?.generation ?? 0) < this.#current;
  }
}
