import { AsyncLocalStorage } from 'node:async_hooks';
import pg from 'pg';

export type Rows<Row> = { rows: Row[]; rowCount: number };
export type QueryOptions = {
  /** Prepares the statement once per connection under this name; for the few that run all the time. */
  name?: string;
};

/** What can run SQL: the database itself, or a transaction. `bigint` columns come as BigInt, `numeric` as text. */
export type Queryable = {
  query<Row extends object>(text: string, values?: readonly unknown[], options?: QueryOptions): Promise<Rows<Row>>;
};

/** An open transaction: commits when its function returns, rolls back when it throws. */
export type Tx = Queryable & { readonly transaction: true };

/** One connection kept for its holder alone: a ledger lane, a listener. Release it, with the error when it broke. */
export type Connection = Queryable & {
  onNotification(listener: (channel: string, payload: string) => void): void;
  onLost(listener: (error: Error) => void): void;
  release(error?: Error): void;
};

export type Database = Queryable & {
  tx<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  connection(): Promise<Connection>;
  /** Opens the connections that are to be kept. */
  warmUp(): Promise<void>;
  close(): Promise<void>;
};

export type DatabaseOptions = {
  url: string;
  /** Most connections at one time. */
  size?: number;
  /** So many stay open when nobody needs them: a crowd that comes suddenly would wait for each to be made. */
  kept?: number;
  /** Told of connections that broke while nobody used them. */
  onError?: (error: Error) => void;
};

const CONNECT_PATIENCE_MS = 10_000;
const STATEMENT_LIMIT_MS = 30_000;
const TX_ATTEMPTS = 4;
/** Serialisation failure and deadlock: nothing was written, the same work may simply run again. */
const RETRYABLE = new Set(['40001', '40P01']);
const { builtins } = pg.types;
const INT8_ARRAY = 1016;

/** Opens a pool. Nothing is connected until the first query. */
export function openDatabase(options: DatabaseOptions): Database {
  const onError = options.onError ?? (() => {});
  const pool = new pg.Pool({
    connectionString: options.url,
    max: options.size ?? 10,
    min: options.kept ?? 0,
    connectionTimeoutMillis: CONNECT_PATIENCE_MS,
    statement_timeout: STATEMENT_LIMIT_MS,
    idle_in_transaction_session_timeout: STATEMENT_LIMIT_MS,
    application_name: 'krapao',
    types: { getTypeParser },
  });
  // Without both, a database that restarts ends this process: idle clients report to the pool, busy ones to themselves.
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  return {
    async query(text, values, extra) {
      assertNoTransaction('a query on a second connection');
      return run(pool, text, values, extra);
    },
    async tx(work) {
      assertNoTransaction('a second transaction');
      return transact(pool, work);
    },
    connection: () => dedicate(pool),
    async warmUp() {
      const opened = await Promise.allSettled(Array.from({ length: options.kept ?? 0 }, () => pool.connect()));
      // All go back, whatever became of the others: closing waits for each.
      for (const one of opened) if (one.status === 'fulfilled') one.value.release();
      const failed = opened.find((one) => one.status === 'rejected');
      if (failed) throw failed.reason;
    },
    close: () => pool.end(),
  };
}

const openTransaction = new AsyncLocalStorage<true>();

/**
 * Throws when called while a transaction is open: a call to the outside must never hold locks while it waits, and whoever
 * holds a connection must not wait for another, or a few of them at once stop everybody.
 */
export function assertNoTransaction(what: string): void {
  if (openTransaction.getStore()) throw new Error(`${what} inside a database transaction`);
}

/** Runs work that a transaction sets off but that is no part of it. */
export function outsideTransaction<T>(work: () => T): T {
  return openTransaction.exit(work);
}

async function transact<T>(pool: pg.Pool, work: (tx: Tx) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      await client.query('begin');
      const tx: Tx = { transaction: true, query: (text, values, extra) => run(client, text, values, extra) };
      const result = await openTransaction.run(true, () => work(tx));
      await client.query('commit');
      return result;
    } catch (error) {
      broken = await rollBack(client);
      if (!RETRYABLE.has(codeOf(error)) || attempt >= TX_ATTEMPTS) throw error;
    } finally {
      client.release(broken);
    }
  }
}

// A connection that can't even roll back is thrown away, so that nobody inherits its open transaction.
async function rollBack(client: pg.PoolClient): Promise<Error | undefined> {
  try {
    await client.query('rollback');
    return undefined;
  } catch (error) {
    return error as Error;
  }
}

async function dedicate(pool: pg.Pool): Promise<Connection> {
  const client = await pool.connect();
  let released = false;
  const unlessReleased = (listener: (error: Error) => void) => (error?: Error) => {
    if (!released) listener(error ?? new Error('the connection to the database ended'));
  };
  return {
    query: (text, values, extra) => run(client, text, values, extra),
    onNotification: (listener) => {
      client.on('notification', (message) => listener(message.channel, message.payload ?? ''));
    },
    onLost: (listener) => {
      client.once('error', unlessReleased(listener));
      client.once('end', unlessReleased(listener));
    },
    // Losing it and letting it go often come together: the second time changes nothing.
    release: (error) => {
      if (released) return;
      released = true;
      client.release(error);
    },
  };
}

async function run<Row extends object>(
  on: pg.Pool | pg.PoolClient,
  text: string,
  values: readonly unknown[] = [],
  options: QueryOptions = {},
): Promise<Rows<Row>> {
  const result = await on.query<Row>({ text, values: [...values], ...(options.name ? { name: options.name } : {}) });
  return { rows: result.rows, rowCount: result.rowCount ?? 0 };
}

/** SQLSTATE of a database error, '' for anything else. */
export function codeOf(error: unknown): string {
  return error instanceof pg.DatabaseError ? (error.code ?? '') : '';
}

/** Name of the constraint that refused a write, undefined for any other error. */
export function violatedConstraint(error: unknown): string | undefined {
  return error instanceof pg.DatabaseError && error.code?.startsWith('23') ? error.constraint : undefined;
}

// The driver's list of type numbers leaves out the arrays.
const parseInt8Array = pg.types.getTypeParser(INT8_ARRAY as number, 'text') as (text: string) => (string | null)[];

// Of this pool alone, not of the driver: int8 would come as text otherwise, and nobody may read money as Number.
function getTypeParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (format !== 'binary' && oid === builtins.INT8) return BigInt;
  if (format !== 'binary' && oid === INT8_ARRAY) {
    return (text: string) => parseInt8Array(text).map((item) => (item === null ? null : BigInt(item)));
  }
  return pg.types.getTypeParser(oid, format ?? 'text');
}
