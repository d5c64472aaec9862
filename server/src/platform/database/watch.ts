import pg, { type ClientBase } from 'pg';
import { monotonicMs } from '../time.ts';
import { asUnavailable, DatabaseUnavailable } from './errors.ts';

/** A statement that takes longer makes the watch probe the database. */
const SLOW_MS = 1_000;
/** Timeout of the probe. */
const PROBE_LIMIT_MS = 2_000;
const LOOK_EVERY_MS = 250;

// The driver's types leave these out.
type Connected = pg.ClientBase & {
  processID?: number | null;
  connection?: { stream: { destroy(): void; destroyed: boolean } };
};
type Wait = { since: number; client: Connected | undefined; suspect: boolean; abandon: (error: Error) => void };
/** Result of a probe on a separate connection. */
type Answer = { isSilent: false; isActive: (pid: number) => boolean } | { isSilent: true };

/**
 * Detects a silent database: with dropped packets a socket stays open for many minutes. A slow statement alone is no
 * sign of it, so a probe on another connection checks whether the database replies and works on that statement. If not,
 * the connection is destroyed and its statement fails as lost. While probes get no reply, every statement fails
 * immediately.
 */
export class DatabaseWatch {
  readonly #url: string;
  readonly #waits = new Set<Wait>();
  /** When each connection last received anything. */
  readonly #clients = new Map<Connected, number>();
  #answeredAt = monotonicMs();
  #silent: DatabaseUnavailable | undefined;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(url: string) {
    this.#url = url;
  }

  /** The database has stopped answering. */
  get isSilent(): boolean {
    return this.#silent !== undefined;
  }

  /** Watches a connection until it ends: one that is idle while the database falls silent is destroyed too. */
  keep(client: pg.ClientBase): void {
    this.#clients.set(client, monotonicMs());
    client.once('end', () => this.#clients.delete(client));
  }

  /**
   * Runs one statement on a connection, or (without one) waits for a connection.
   * @throws {DatabaseUnavailable} when no answer comes; the connection is destroyed then
   */
  async during<T>(client: pg.ClientBase | undefined, work: () => Promise<T>): Promise<T> {
    if (this.#silent) throw this.#silent;
    const abandoned = Promise.withResolvers<never>();
    const wait: Wait = { since: monotonicMs(), client, suspect: false, abandon: abandoned.reject };
    this.#waits.add(wait);
    this.#lookSoon();
    try {
      const result = await Promise.race([work(), abandoned.promise]);
      this.#recordAnswer(client);
      return result;
    } catch (error) {
      if (error instanceof pg.DatabaseError) this.#recordAnswer(client);
      throw asUnavailable(error);
    } finally {
      this.#waits.delete(wait);
    }
  }

  /** Ends the watch and destroys what is still open. */
  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const client of this.#clients.keys()) destroy(client);
  }

  #recordAnswer(client: Connected | undefined): void {
    this.#answeredAt = monotonicMs();
    if (client && this.#clients.has(client)) this.#clients.set(client, this.#answeredAt);
  }

  #lookSoon(): void {
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => void this.#look(), LOOK_EVERY_MS).unref();
  }

  async #look(): Promise<void> {
    const slow = [...this.#waits].filter(({ since }) => monotonicMs() - since >= SLOW_MS);
    if (slow.length > 0 || this.#silent) {
      const askedAt = monotonicMs();
      const answer = await askDatabase(this.#url);
      if (this.#closed) return;
      if (!answer.isSilent) {
        this.#silent = undefined;
        this.#judge(slow, answer.isActive);
      } else if (this.#answeredAt < askedAt) this.#fallSilent();
    }
    this.#timer = undefined;
    if (this.#waits.size > 0 || this.#silent) this.#lookSoon();
  }

  /** Two probes in a row: the answer may have been in transit at the first. */
  #judge(slow: readonly Wait[], isActive: (pid: number) => boolean): void {
    for (const wait of slow) {
      const pid = wait.client?.processID;
      if (!wait.client || typeof pid !== 'number' || !this.#waits.has(wait)) continue;
      if (isActive(pid)) wait.suspect = false;
      else if (!wait.suspect) wait.suspect = true;
      else this.#fail(wait, wait.client);
    }
  }

  /** Connections without traffic since then are most likely lost too: the next caller gets a new one. */
  #fail(wait: Wait, client: Connected): void {
    wait.abandon(new DatabaseUnavailable('the connection to the database is silent', { isLost: true }));
    destroy(client);
    const busy = new Set([...this.#waits].map((one) => one.client));
    for (const [idle, answeredAt] of this.#clients) if (!busy.has(idle) && answeredAt < wait.since) destroy(idle);
  }

  #fallSilent(): void {
    this.#silent = new DatabaseUnavailable('the database does not answer', { isLost: true });
    for (const wait of this.#waits) wait.abandon(this.#silent);
    for (const client of this.#clients.keys()) destroy(client);
  }
}

/** Destroys a connection without the closing handshake, which a dead network would never answer. */
export function destroy(client: pg.ClientBase): void {
  (client as Connected).connection?.stream.destroy();
}

/** Destroyed here, whether or not its pool has noticed. */
export const isDestroyed = (client: pg.ClientBase): boolean =>
  (client as Connected).connection?.stream.destroyed === true;

async function askDatabase(url: string): Promise<Answer> {
  const client = new pg.Client({ connectionString: url, application_name: 'krapao-watch' });
  client.on('error', () => {});
  const timeout = Promise.withResolvers<Answer>();
  // One more turn of the event loop: after a long pause of this process the answer may already be in the socket.
  const timer = setTimeout(() => setImmediate(() => timeout.resolve({ isSilent: true })), PROBE_LIMIT_MS);
  try {
    return await Promise.race([ask(client), timeout.promise]);
  } catch (error) {
    // Too many connections: the server is alive, and what it is working on is unknown.
    const isCrowded = (error as { code?: string }).code === '53300';
    return isCrowded ? { isSilent: false, isActive: () => true } : { isSilent: true };
  } finally {
    clearTimeout(timer);
    destroy(client);
  }
}

async function ask(client: pg.Client): Promise<Answer> {
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(`select pid from pg_stat_activity where state = 'active'`);
  const active = new Set(rows.map(({ pid }) => pid));
  // Behind a pooler the backend ids are not those of the server: a single connection can't be checked.
  const isDirect = active.has((client as Connected).processID ?? -1);
  return { isSilent: false, isActive: (pid) => !isDirect || active.has(pid) };
}

/** A connection younger than this is trusted when it reports that the database takes no writes. */
const BELIEVED_MS = 1_000;

/**
 * Identifies connections opened before the last loss of one. What ended one has often ended all others of that time,
 * some of them undetected: after a loss, a caller needs a newer connection.
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

  /** Some connection has just written. */
  written(): void {
    this.#writtenAt = monotonicMs();
  }

  /**
   * The connection was refused a write. A session keeps its initial read-only default and its node of a cluster: the
   * database may take writes again while this session never would. While no connection can write, they are replaced at
   * most once a second; one older than the last write is replaced immediately.
   */
  refusedWrite(client: ClientBase): void {
    const madeAt = this.#made.get(client)?.at ?? 0;
    if (madeAt <= this.#writtenAt || monotonicMs() - madeAt >= BELIEVED_MS) this.lost(client);
  }

  /** A connection opened before another was lost may be lost as well. */
  isDoubtful(client: ClientBase): boolean {
    return (this.#made.get(client)?.generation ?? 0) < this.#current;
  }
}
