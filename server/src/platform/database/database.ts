import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { DatabaseGeneration, DatabaseWatch, destroy, isDestroyed } from './watch.ts';
import { DatabaseUnavailable, READ_ONLY_TRANSACTION } from './errors.ts';
import { beginAndQuery, StatementNames } from './statements.ts';

export type Rows<Row> = { rows: Row[]; rowCount: number };
export type QueryOptions = {
  /** Prepares the statement under this name from its first execution; others are named when they recur. */
  name?: string;
};

/**
 * Runs SQL: the database itself, or a transaction. `bigint` columns come as BigInt, `numeric` as text. Throws {@link
 * DatabaseUnavailable} when the database is down, silent, or refuses connections or writes.
 */
export type Queryable = {
  query<Row extends object>(text: string, values?: readonly unknown[], options?: QueryOptions): Promise<Rows<Row>>;
};

/** An open transaction: commits when its function returns, rolls back when it throws. */
export type Tx = Queryable & { readonly transaction: true };

/** One dedicated connection: a ledger lane, a listener. Release it, with the error when it broke. */
export type Connection = Queryable & {
  onNotification(listener: (channel: string, payload: string) => void): void;
  onLost(listener: (error: Error) => void): void;
  release(error?: Error): void;
};

export type Database = Queryable & {
  /** Detects a silent database; for connections that are opened elsewhere. */
  readonly watch: DatabaseWatch;
  /** A connection lost before the commit is sent has rolled back: the work is retried once. */
  tx<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  connection(): Promise<Connection>;
  /** Opens the minimum number of idle connections. */
  warmUp(): Promise<void>;
  close(): Promise<void>;
};

export type DatabaseOptions = {
  url: string;
  /** Most connections at one time. */
  size?: number;
  /** This many stay open while idle: a sudden burst would otherwise wait for each to be opened. */
  kept?: number;
  /** Called for connections that broke while idle. */
  onError?: (error: Error) => void;
};

/** How long to wait for a connection of the pool to be free or opened. */
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_LIMIT_MS = 30_000;
const CLOSE_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_AFTER_MS = 10_000;
const TX_ATTEMPTS = 4;
/** Serialisation failure and deadlock: nothing was written, so that the work can be retried. */
const RETRYABLE = new Set(['40001', '40P01']);
/**
 * SQLSTATE of warnings. Statements raise none themselves: the server does when a commit stops waiting for its standby.
 */
const WARNING = '01000';
const BEGIN = { name: 'begin', text: 'begin' };
const READ = /^\s*(select|with)\b/i;
/** Keywords of statements that write, lock or notify, and so are more than a read. */
const MORE_THAN_READ =
  /\b(insert|update|delete|merge|for\s+(no\s+key\s+|key\s+)?(update|share)|\w*(nextval|setval|notify|advisory|set_config|pg_terminate|pg_cancel|rate_limit_hits)\w*)\b/i;
const { builtins } = pg.types;
const INT8_ARRAY = 1016;

/**
 * Settings of every session, at its start; in a statement, because a pooler refuses them as options of the connection.
 * Keepalives: a client that vanished without closing would otherwise keep its locks for hours. JIT: PostgreSQL compiles a plan whose
 * estimated cost is high, which takes longer than any statement here and is repeated at each execution; on by default.
 */
export const sessionSettings = {
  text: 'set tcp_keepalives_idle = 15; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3; set jit = off',
  query_timeout: CONNECT_TIMEOUT_MS,
};

/** Opens a pool. Nothing is connected until the first query. */
export function openDatabase(options: DatabaseOptions): Database {
  const onError = options.onError ?? (() => {});
  const watch = new DatabaseWatch(options.url);
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.size ?? 10,
    min: options.kept ?? 0,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_LIMIT_MS,
    idle_in_transaction_session_timeout: STATEMENT_LIMIT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    application_name: 'krapao',
    types: { getTypeParser },
    // Awaited before the connection is handed out, although its type does not say so.
    onConnect: (client) => client.query(sessionSettings) as unknown as void,
  });
  // Without both handlers a database restart would end this process: idle clients emit errors on the pool, busy ones on
  // themselves.
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  pool.on('connect', (client) => watch.keep(client));
  const generation = new DatabaseGeneration();
  pool.on('connect', (client) => generation.made(client));
  const uncertain = new WeakSet<pg.ClientBase>();
  pool.on('connect', (client) => {
    client.on('notice', ({ code }) => {
      if (code === WARNING) uncertain.add(client);
    });
  });
  const names = new StatementNames();
  const line: Line = {
    watch,
    generation,
    names,
    uncertain,
    hasBegun: new WeakSet(),
    take: () => acquire(pool, watch, generation),
  };
  return {
    watch,
    async query<Row extends object>(text: string, values?: readonly unknown[], extra?: QueryOptions) {
      assertNoTransaction('a query on a second connection');
      const once = () => runAlone<Row>(line, text, values, extra);
      const isRead = READ.test(text) && !MORE_THAN_READ.test(text);
      const rows = await retryOnce(
        once,
        (error) => isWriteRefused(error) || isPlanStale(error) || (isRead && isLost(error)),
      );
      if (!isRead) generation.written();
      return rows;
    },
    async tx(work) {
      assertNoTransaction('a second transaction');
      return transact(line, work);
    },
    connection: () => dedicate(line),
    async warmUp() {
      const opened = await Promise.allSettled(Array.from({ length: options.kept ?? 0 }, line.take));
      // All connections are released, even when closing others failed: closing waits for each.
      for (const one of opened) if (one.status === 'fulfilled') one.value.release();
      const failed = opened.find((one) => one.status === 'rejected');
      if (failed) throw failed.reason;
    },
    async close() {
      // A dead network never answers the closing handshake.
      const timer = setTimeout(() => watch.close(), CLOSE_TIMEOUT_MS);
      await pool.end();
      clearTimeout(timer);
      watch.close();
    },
  };
}

/** Hands out connections of the pool and observes lost ones. */
type Line = {
  watch: DatabaseWatch;
  generation: DatabaseGeneration;
  names: StatementNames;
  /** Connections whose commit has stopped waiting for the standby. */
  uncertain: WeakSet<pg.ClientBase>;
  /** Connections that have prepared `begin`. */
  hasBegun: WeakSet<pg.PoolClient>;
  take: () => Promise<pg.PoolClient>;
};

async function acquire(pool: pg.Pool, watch: DatabaseWatch, generation: DatabaseGeneration): Promise<pg.PoolClient> {
  for (;;) {
    const client = await acquireAny(pool, watch);
    if (!generation.isDoubtful(client) && !isDestroyed(client)) return client;
    client.release(true);
    // A dead network may never answer the closing handshake.
    destroy(client);
  }
}

async function acquireAny(pool: pg.Pool, watch: DatabaseWatch): Promise<pg.PoolClient> {
  const connecting = pool.connect();
  try {
    return await watch.during(undefined, () => connecting);
  } catch (error) {
    // A connection that arrives after the timeout is released.
    connecting.then(
      (client) => client.release(),
      () => {},
    );
    throw error;
  }
}

async function retryOnce<T>(work: () => Promise<T>, isRetryable: (error: unknown) => boolean): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isRetryable(error)) throw error;
    return work();
  }
}

const isLost = (error: unknown): error is DatabaseUnavailable => error instanceof DatabaseUnavailable && error.isLost;

/**
 * A migration changed the columns that a prepared statement returns: nothing was executed, and a new connection prepares
 * it again.
 */
const isPlanStale = (error: unknown): error is Error =>
  error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery';

/** Nothing was written, and a new connection may be allowed to write. */
const isWriteRefused = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable && error.code === READ_ONLY_TRANSACTION;

async function runAlone<Row extends object>(
  line: Line,
  ...statement: Parameters<Queryable['query']>
): Promise<Rows<Row>> {
  const client = await line.take();
  try {
    const result = await run<Row>(client, line, ...statement);
    client.release();
    return result;
  } catch (error) {
    client.release(isLost(error) || isPlanStale(error) ? error : undefined);
    throw error;
  }
}

const openTransaction = new AsyncLocalStorage<true>();

/**
 * Throws when called while a transaction is open: a call to the outside must never hold locks while it waits, and a
 * holder of one connection must not wait for a second, or a few such holders exhaust the pool and deadlock.
 */
export function assertNoTransaction(what: string): void {
  if (openTransaction.getStore()) throw new Error(`${what} inside a database transaction`);
}

/** Runs work that is started within a transaction but is not part of it. */
export function outsideTransaction<T>(work: () => T): T {
  return openTransaction.exit(work);
}

async function transact<T>(line: Line, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1, losses = 0; ; attempt += 1) {
    const client = await line.take();
    let broken: Error | undefined;
    let isCommitting = false;
    let opened: Promise<unknown> | undefined;
    try {
      const query: Queryable['query'] = <Row extends object>(...statement: Parameters<Queryable['query']>) => {
        // Later statements wait until the transaction is open: none must run outside of it.
        if (opened) return opened.then(() => run<Row>(client, line, ...statement));
        const first = runFirst<Row>(client, line, ...statement);
        opened = first;
        return first;
      };
      const result = await openTransaction.run(true, () => work({ transaction: true, query }));
      isCommitting = true;
      if (opened) await run(client, line, 'commit');
      return result;
    } catch (error) {
      broken = isLost(error) || isPlanStale(error) ? error : await rollBack(client, line);
      const isWorthAnother = isLost(error) || isPlanStale(error) || isWriteRefused(error);
      if (isWorthAnother && !isCommitting && losses === 0) losses += 1;
      else if (!RETRYABLE.has(sqlState(error)) || attempt >= TX_ATTEMPTS) throw error;
    } finally {
      client.release(broken);
    }
  }
}

/** Opens a transaction and runs its first statement: in one round trip once the connection has prepared `begin`. */
async function runFirst<Row extends object>(
  client: pg.PoolClient,
  line: Line,
  ...statement: Parameters<Queryable['query']>
): Promise<Rows<Row>> {
  if (line.hasBegun.has(client) && line.names.isPreparable(statement[0])) {
    return execute(client, line, () => beginAndQuery<Row>(client, BEGIN.name, named(line, ...statement)));
  }
  await run(client, line, BEGIN.text, [], { name: BEGIN.name });
  line.hasBegun.add(client);
  return run<Row>(client, line, ...statement);
}

// A connection that can't even roll back is discarded, so that no later caller inherits its open transaction.
async function rollBack(client: pg.PoolClient, line: Line): Promise<Error | undefined> {
  try {
    await run(client, line, 'rollback');
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

async function dedicate(line: Line): Promise<Connection> {
  const client = await line.take();
  let released = false;
  const unlessReleased = (listener: (error: Error) => void) => (error?: Error) => {
    if (!released) listener(error ?? new Error('the connection to the database ended'));
  };
  return {
    query: (text, values, extra) => run(client, line, text, values, extra),
    onNotification: (listener) => {
      client.on('notification', (message) => listener(message.channel, message.payload ?? ''));
    },
    onLost: (listener) => {
      client.once('error', unlessReleased(listener));
      client.once('end', unlessReleased(listener));
    },
    // Loss and release often coincide: the second call is a no-op.
    release: (error) => {
      if (released) return;
      released = true;
      client.release(error);
    },
  };
}

async function run<Row extends object>(
  client: pg.PoolClient,
  line: Line,
  ...statement: Parameters<Queryable['query']>
): Promise<Rows<Row>> {
  return execute(client, line, () => client.query<Row>(named(line, ...statement)));
}

function named({ names }: Line, ...[text, values = [], options]: Parameters<Queryable['query']>): pg.QueryConfig {
  const name = options?.name ?? names.nameOf(text);
  return { text, values: [...values], ...(name ? { name } : {}) };
}

async function execute<Row extends object>(
  client: pg.PoolClient,
  { watch, generation, uncertain }: Line,
  query: () => Promise<pg.QueryResult<Row>>,
): Promise<Rows<Row>> {
  try {
    const result = await watch.during(client, query);
    if (uncertain.delete(client)) {
      throw new DatabaseUnavailable('a commit stopped waiting for the standby', { code: WARNING, isLost: false });
    }
    return { rows: result.rows, rowCount: result.rowCount ?? 0 };
  } catch (error) {
    if (isLost(error)) generation.lost(client);
    else if (isWriteRefused(error)) generation.refusedWrite(client);
    throw error;
  }
}

/** SQLSTATE of a database error, '' for anything else. */
export function sqlState(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}

/** Name of the constraint that refused a write, undefined for any other error. */
export function violatedConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code?.startsWith('23') ? error.constraint : undefined;
}

// The driver's list of type ids leaves out array types.
const parseInt8Array = pg.types.getTypeParser(INT8_ARRAY as number, 'text') as (text: string) => (string | null)[];

// Set for this pool alone, not for the driver: int8 would otherwise arrive as text, and money must never be read as
// Number.
function getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (format !== 'binary' && oid === builtins.INT8) return BigInt;
  if (format !== 'binary' && oid === INT8_ARRAY) {
    return (text: string) => parseInt8Array(text).map((item) => (item === null ? null : BigInt(item)));
  }
  return pg.types.getTypeParser(oid, format ?? 'text');
}
