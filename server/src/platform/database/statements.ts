import pg from 'pg';
import { createHash } from 'node:crypto';

/** What the driver's query and connection have beside what their types declare. */
type DriverConnection = {
  bind(message: { portal: string; statement: string; values: readonly unknown[] }): void;
  execute(message: { portal: string; rows: number }): void;
};
type DriverQuery = {
  callback: (error: Error | null, result: pg.QueryResult) => void;
  prepare(connection: DriverConnection): void;
  handleCommandComplete(message: object, connection: DriverConnection): void;
};
type Statement = pg.QueryConfig & { queryMode: 'extended' };

const Query = pg.Query as unknown as new (statement: Statement) => DriverQuery & pg.Submittable;

/**
 * Opens a transaction and runs its first statement in one round trip. Both stand before one Sync: where the opening fails,
 * PostgreSQL skips the statement.
 */
class OpeningQuery extends Query {
  readonly #begin: string;
  #hasBegun = false;

  constructor(begin: string, statement: Statement) {
    super(statement);
    this.#begin = begin;
  }

  override prepare(connection: DriverConnection): void {
    connection.bind({ portal: '', statement: this.#begin, values: [] });
    connection.execute({ portal: '', rows: 0 });
    super.prepare(connection);
  }

  override handleCommandComplete(message: object, connection: DriverConnection): void {
    // The first one is that of the opening, which has no result.
    if (this.#hasBegun) super.handleCommandComplete(message, connection);
    this.#hasBegun = true;
  }
}

/**
 * @param begin name of the statement that opens a transaction, which the connection has prepared
 * @param statement the first of the transaction; one that can be prepared
 */
export function beginAndQuery<Row extends object>(
  client: pg.ClientBase,
  begin: string,
  statement: pg.QueryConfig,
): Promise<pg.QueryResult<Row>> {
  return new Promise((resolve, reject) => {
    const query = new OpeningQuery(begin, { ...statement, queryMode: 'extended' });
    query.callback = (error, result) => (error ? reject(error) : resolve(result as pg.QueryResult<Row>));
    client.query(query);
  });
}

/** Executions after which a text is worth preparing: PostgreSQL keeps each prepared statement in each connection. */
export const NAMED_AFTER = 5;
/** Maximum number of cached texts; the oldest are evicted. */
const TEXTS_MAX = 2_000;
/** What reads or changes rows. One statement only: several in one text can't be prepared. */
const PREPARABLE = /^\s*(select|with|insert|update|delete)\b[^;]*$/i;
const NAME_LENGTH = 20;

type KnownText = { executions: number; isPreparable: boolean; name: string | undefined };

/**
 * Names the statements that recur, so that each connection parses and plans them once. The name is a hash of the text: it
 * needs no list, and no two texts share one. A text with values of its own in it does not recur and stays unnamed.
 */
export class StatementNames {
  readonly #texts = new Map<string, KnownText>();

  /** Whether a text is one statement that reads or changes rows. */
  isPreparable(text: string): boolean {
    return (this.#texts.get(text) ?? this.#remember(text)).isPreparable;
  }

  /** Counts an execution. @returns the statement's name, undefined while it is rare */
  nameOf(text: string): string | undefined {
    const known = this.#texts.get(text) ?? this.#remember(text);
    if (known.executions < NAMED_AFTER) {
      known.executions += 1;
      if (known.executions === NAMED_AFTER && known.isPreparable) known.name = nameFor(text);
    }
    return known.name;
  }

  #remember(text: string): KnownText {
    const known = { executions: 0, isPreparable: PREPARABLE.test(text), name: undefined };
    this.#texts.set(text, known);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > TEXTS_MAX && oldest !== undefined) this.#texts.delete(oldest);
    return known;
  }
}

const nameFor = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, NAME_LENGTH);

/**
 * A parameter whose value the planner of PostgreSQL does not see, as SQL. A prepared statement is planned again at each
 * execution while the plan for the present values looks cheaper than the one for any values, as it does for a list of one
 * item or a page of ten lines: such a plan costs several times what the statement then does. Use it where a statement
 * that runs at every command takes a list, a limit or the start of a range, and looks its rows up by key.
 * @param parameter with its type, such as `$1::uuid[]`
 */
export const hideFromPlanner = (parameter: `$${number}::${string}`): string => {
  const [, type = ''] = parameter.split('::');
  return `(select ${parameter})::${type}`;
};
