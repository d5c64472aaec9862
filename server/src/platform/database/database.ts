import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';
import { randomBelow } from '../ids.ts';
import { DatabaseUnavailable, READ_ONLY_TRANSACTION } from './errors.ts';
import { beginAndQuery, StatementNames } from './statements.ts';
import { DatabaseGeneration, DatabaseWatch, destroy, isDestroyed } from './watch.ts';

export type Rows<Row> = { rows: Row[]; rowCount: number };
export type QueryOptions = {
  /** Prepares the statement under this name from its first execution. Other statements are named when they recur. */
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
  /** Detects a silent database; also for connections opened outside the pool. */
  readonly watch: DatabaseWatch;
  /**
   * Runs work in a transaction. A connection lost before the commit was sent has rolled back, so the work is retried
   * once.
   */
  tx<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  connection(): Promise<Connection>;
  /** Opens the minimum number of idle connections. */
  warmUp(): Promise<void>;
  close(): Promise<void>;
};

export type DatabaseOptions = {
  url: string;
  /** Maximum number of connections. */
  size?: number;
  /** Number of connections that stay open while idle, so that a burst need not wait for new ones. */
  kept?: number;
  /** Maximum wait for the reply of a statement. Undefined: the database bounds statements. */
  replyTimeoutMs?: number;
  /** Maximum duration of a statement, 30 s unless set. */
  statementTimeoutMs?: number;
  /** Called for connections that broke while idle. */
  onError?: (error: Error) => void;
};

/** Maximum wait for a free or new connection of the pool. */
const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 30_000;
const CLOSE_TIMEOUT_MS = 5_000;
const KEEP_ALIVE_AFTER_MS = 10_000;
const TX_ATTEMPTS = 4;
/** Serialisation failure and deadlock: nothing was written, so a retry is safe. */
const RETRYABLE_STATES = new Set(['40001', '40P01']);
const WARNING_STATE = '01000';
/** Function of PostgreSQL that warns when a commit stops waiting for its standby. */
const STANDBY_WAIT_ROUTINE = 'SyncRepWaitForLSN';
const BEGIN = { name: 'begin', text: 'begin' };
const READ_STATEMENT = /^\s*(select|with)\b/i;
/** Keywords that write, lock or notify: a statement with one of them is not a pure read. */
const WRITE_INSIDE_READ =
  /\b(insert|update|delete|merge|for\s+(no\s+key\s+|key\s+)?(update|share)|\w*(nextval|setval|notify|advisory|set_config|pg_terminate|pg_cancel|rate_limit_hits)\w*)\b/i;
const { builtins } = pg.types;
const INT8_ARRAY = 1016;

const INSTANCES = 2 ** 31 - 1;
/** Names this process in the leases that it holds. */
export const processInstance: number = 1 + randomBelow(INSTANCES);

/**
 * Settings of every session, sent as a statement, because a pooler refuses them as connection options. Keepalives: a
 * client that vanished without closing would otherwise hold its locks for hours. JIT is off: compiling takes longer
 * than any statement here and recurs at each execution.
 */
export const sessionSettings = {
  text: `set tcp_keepalives_idle = 15; set tcp_keepalives_interval = 5; set tcp_keepalives_count = 3; set jit = off;
    set krapao.instance = ${processInstance}`,
  query_timeout: CONNECT_TIMEOUT_MS,
};

/** Opens a pool. The first query opens the first connection. */
export function openDatabase(options: DatabaseOptions): Database {
  const onError = options.onError ?? (() => {});
  const watch = new DatabaseWatch(options.url);
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.size ?? 10,
    min: options.kept ?? 0,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: options.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS,
    ...(options.replyTimeoutMs !== undefined && { query_timeout: options.replyTimeoutMs }),
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
    application_name: 'krapao',
    types: { getTypeParser },
    // The pool awaits the promise before it hands out the connection, although the type does not say so.
    onConnect: (client) => client.query(sessionSettings) as unknown as void,
  });
  // Without both handlers a database restart would end this process: idle clients emit errors on the pool, busy ones on
  // themselves.
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  pool.on('connect', (client) => watch.track(client));
  const generation = new DatabaseGeneration();
  pool.on('connect', (client) => generation.made(client));
  const uncertainClients = new WeakSet<pg.ClientBase>();
  pool.on('connect', (client) => {
    client.on('notice', (notice) => {
      if (isUncertainCommit(notice)) uncertainClients.add(client);
    });
  });
  const statementNames = new StatementNames();
  const access: PoolAccess = {
    watch,
    generation,
    names: statementNames,
    uncertain: uncertainClients,
    hasBegun: new WeakSet(),
    take: () => acquire(pool, watch, generation),
  };
  return {
    watch,
    async query<Row extends object>(text: string, values?: readonly unknown[], options?: QueryOptions) {
      assertNoTransaction('a query on a second connection');
      const execute = () => runAlone<Row>(access, text, values, options);
      const isRead = READ_STATEMENT.test(text) && !WRITE_INSIDE_READ.test(text);
      const rows = await retryOnce(
        execute,
        (error) => isWriteRefused(error) || isPlanStale(error) || (isRead && isLost(error)),
      );
      if (!isRead) generation.written();
      return rows;
    },
    async tx(work) {
      assertNoTransaction('a second transaction');
      return transact(access, work);
    },
    connection: () => dedicate(access),
    async warmUp() {
      const attempts = await Promise.allSettled(Array.from({ length: options.kept ?? 0 }, access.take));
      // Releases all connections, even when others failed to open: closing waits for each.
      for (const attempt of attempts) if (attempt.status === 'fulfilled') attempt.value.release();
      const failed = attempts.find((attempt) => attempt.status === 'rejected');
      if (failed) throw failed.reason;
    },
    async close() {
      // A dead network never replies to the closing handshake.
      const timer = setTimeout(() => watch.close(), watch.isSilent ? 0 : CLOSE_TIMEOUT_MS);
      await pool.end();
      clearTimeout(timer);
      watch.close();
    },
  };
}

/** Access to the pool, with the state that all its callers share. */
type PoolAccess = {
  watch: DatabaseWatch;
  generation: DatabaseGeneration;
  names: StatementNames;
  /** Connections on which a commit has stopped waiting for the standby. */
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
    // A dead network may never reply to the closing handshake.
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
 * A migration changed the columns that a prepared statement returns. Nothing was executed, and a new connection
 * prepares the statement again.
 */
const isPlanStale = (error: unknown): error is Error =>
  error instanceof pg.DatabaseError && error.code === '0A000' && error.routine === 'RevalidateCachedQuery';

/** A read-only session refused the write. Nothing was written, and a new connection may be writable. */
const isWriteRefused = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable && error.code === READ_ONLY_TRANSACTION;

async function runAlone<Row extends object>(
  access: PoolAccess,
  ...statement: Parameters<Queryable['query']>
): Promise<Rows<Row>> {
  const client = await access.take();
  try {
    const result = await run<Row>(client, access, ...statement);
    client.release();
    return result;
  } catch (error) {
    client.release(isLost(error) || isPlanStale(error) ? error : undefined);
    throw error;
  }
}

const openTransaction = new AsyncLocalStorage<true>();

/**
 * Throws when called inside a transaction. A call to a counterparty must never hold locks while it waits. A holder of
 * one connection must not wait for a second: a few such holders would deadlock the pool.
 */
export function assertNoTransaction(action: string): void {
  if (openTransaction.getStore()) throw new Error(`${action} inside a database transaction`);
}

/** Runs work that starts inside a transaction but is not part of the transaction. */
export function outsideTransaction<T>(work: () => T): T {
  return openTransaction.exit(work);
}

async function transact<T>(access: PoolAccess, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1, losses = 0; ; attempt += 1) {
    const client = await access.take();
    let broken: Error | undefined;
    let isCommitting = false;
    let transactionStart: Promise<unknown> | undefined;
    try {
      const query: Queryable['query'] = <Row extends object>(...statement: Parameters<Queryable['query']>) => {
        // Later statements wait until the transaction is open, so that none runs outside of it.
        if (transactionStart) return transactionStart.then(() => run<Row>(client, access, ...statement));
        const firstStatement = runFirst<Row>(client, access, ...statement);
        transactionStart = firstStatement;
        return firstStatement;
      };
      const result = await openTransaction.run(true, () => work({ transaction: true, query }));
      isCommitting = true;
      if (transactionStart) await run(client, access, 'commit');
      return result;
    } catch (error) {
      broken = isLost(error) || isPlanStale(error) ? error : await rollBack(client, access);
      const isRetryable = isLost(error) || isPlanStale(error) || isWriteRefused(error);
      if (isRetryable && !isCommitting && losses === 0) losses += 1;
      else if (!RETRYABLE_STATES.has(sqlState(error)) || attempt >= TX_ATTEMPTS) throw error;
    } finally {
      client.release(broken);
    }
  }
}

/**
 * Opens a transaction and runs its first statement. Both share a round trip once the connection has prepared `begin`.
 */
async function runFirst<Row extends object>(
  client: pg.PoolClient,
  access: PoolAccess,
  ...statement: Parameters<Queryable['query']>
): Promise<Rows<Row>> {
  if (access.hasBegun.has(client) && access.names.isPreparable(statement[0])) {
    return execute(client, access, () => beginAndQuery<Row>(client, BEGIN.name, namedStatement(access, ...statement)));
  }
  await run(client, access, BEGIN.text, [], { name: BEGIN.name });
  access.hasBegun.add(client);
  return run<Row>(client, access, ...statement);
}

// A connection that can't even roll back is discarded, so that no later caller inherits its open transaction.
async function rollBack(client: pg.PoolClient, access: PoolAccess): Promise<Error | undefined> {
  try {
    await run(client, access, 'rollback');
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

async function dedicate(access: PoolAccess): Promise<Connection> {
  const client = await access.take();
  let isReleased = false;
  const unlessReleased = (listener: (error: Error) => void) => (error?: Error) => {
    if (!isReleased) listener(error ?? new Error('the connection to the database ended'));
  };
  return {
    query: (text, values, options) => run(client, access, text, values, options),
    onNotification: (listener) => {
      client.on('notification', (message) => listener(message.channel, message.payload ?? ''));
    },
    onLost: (listener) => {
      client.once('error', unlessReleased(listener));
      client.once('end', unlessReleased(listener));
    },
    // A loss and a release often coincide, so the second call does nothing.
    release: (error) => {
      if (isReleased) return;
      isReleased = true;
      client.release(error);
    },
  };
}

async function run<Row extends object>(
  client: pg.PoolClient,
  access: PoolAccess,
  ...statement: Parameters<Queryable['query']>
): Promise<Rows<Row>> {
  return execute(client, access, () => client.query<Row>(namedStatement(access, ...statement)));
}

function namedStatement(
  { names }: PoolAccess,
  ...[text, values = [], options]: Parameters<Queryable['query']>
): pg.QueryConfig {
  const name = options?.name ?? names.nameOf(text);
  return { text, values: [...values], ...(name ? { name } : {}) };
}

async function execute<Row extends object>(
  client: pg.PoolClient,
  { watch, generation, uncertain }: PoolAccess,
  query: () => Promise<pg.QueryResult<Row>>,
): Promise<Rows<Row>> {
  try {
    const result = await watch.during(client, query);
    if (uncertain.delete(client)) {
      throw new DatabaseUnavailable('a commit stopped waiting for the standby', { code: WARNING_STATE, isLost: false });
    }
    return { rows: result.rows, rowCount: result.rowCount ?? 0 };
  } catch (error) {
    if (isLost(error)) generation.lost(client);
    else if (isWriteRefused(error)) generation.refusedWrite(client);
    throw error;
  }
}

/** Whether a notice says that a commit stopped waiting for its standby. Its rows may be lost by a failover. */
export function isUncertainCommit(notice: { routine?: string | undefined }): boolean {
  return notice.routine === STANDBY_WAIT_ROUTINE;
}

/** SQLSTATE of a database error, '' for anything else. */
export function sqlState(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}

/** Name of the constraint that refused a write, undefined for any other error. */
export function violatedConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code?.startsWith('23') ? error.constraint : undefined;
}

// The driver's type ids omit array types.
const parseInt8Array = pg.types.getTypeParser(INT8_ARRAY as number, 'text') as (text: string) => (string | null)[];

// Applies to this pool only, not to the driver. By default int8 arrives as text; money must never be read as Number.
function getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (format !== 'binary' && oid === builtins.INT8) return BigInt;
  if (format !== 'binary' && oid === INT8_ARRAY) {
    return (text: string) => parseInt8Array(text).map((item) => (item === null ? null : BigInt(item)));
  }
  return pg.types.getTypeParser(oid, format ?? 'text');
}
