import { createHash } from 'node:crypto';
import pg from 'pg';

/** Members of the driver's query and connection that its types omit. */
type DriverConnection = {
  bind(message: { portal: string; statement: string; values: readonly unknown[] }): void;
  execute(message: { portal: string; rows: number }): void;
};
type DriverQuery = {
  callback: (error: Error | null, result: pg.QueryResult) => void;
  prepare(connection: DriverConnection): void;
  handleCommandComplete(message: object, connection: DriverConnection): void;
};
type ExtendedStatement = pg.QueryConfig & { queryMode: 'extended' };

const Query = pg.Query as unknown as new (statement: ExtendedStatement) => DriverQuery & pg.Submittable;

/**
 * Opens a transaction and runs its first statement in one round trip. Both precede one Sync: if the opening fails,
 * PostgreSQL skips the statement.
 */
class OpeningQuery extends Query {
  readonly #begin: string;
  #hasBegun = false;

  constructor(begin: string, statement: ExtendedStatement) {
    super(statement);
    this.#begin = begin;
  }

  override prepare(connection: DriverConnection): void {
    connection.bind({ portal: '', statement: this.#begin, values: [] });
    connection.execute({ portal: '', rows: 0 });
    super.prepare(connection);
  }

  override handleCommandComplete(message: object, connection: DriverConnection): void {
    // The first completion belongs to the opening, which has no result.
    if (this.#hasBegun) super.handleCommandComplete(message, connection);
    this.#hasBegun = true;
  }
}

/**
 * @param begin name of the prepared statement that opens a transaction
 * @param statement first statement of the transaction; must be preparable
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

/** Number of executions from which a text is prepared: each connection keeps each prepared statement. */
export const NAMED_AFTER = 5;
/** Maximum number of cached texts; the oldest are evicted. */
const TEXTS_MAX = 2_000;
/** Statements that read or change rows. A text of several statements can't be prepared. */
const PREPARABLE = /^\s*(select|with|insert|update|delete)\b[^;]*$/i;
const STATEMENT_NAME_LENGTH = 20;

type TextUsage = { executions: number; isPreparable: boolean; name: string | undefined };

/**
 * Names recurring statements, so that each connection parses and plans them once. The name is a hash of the text. A
 * text that contains values does not recur and stays unnamed.
 */
export class StatementNames {
  readonly #texts = new Map<string, TextUsage>();

  /** Whether a text is one statement that reads or changes rows. */
  isPreparable(text: string): boolean {
    return (this.#texts.get(text) ?? this.#remember(text)).isPreparable;
  }

  /** Counts an execution. @returns name of the statement; undefined while it is rare */
  nameOf(text: string): string | undefined {
    const usage = this.#texts.get(text) ?? this.#remember(text);
    if (usage.executions < NAMED_AFTER) {
      usage.executions += 1;
      if (usage.executions === NAMED_AFTER && usage.isPreparable) usage.name = hashedName(text);
    }
    return usage.name;
  }

  #remember(text: string): TextUsage {
    const usage = { executions: 0, isPreparable: PREPARABLE.test(text), name: undefined };
    this.#texts.set(text, usage);
    const [oldestText] = this.#texts.keys();
    if (this.#texts.size > TEXTS_MAX && oldestText !== undefined) this.#texts.delete(oldestText);
    return usage;
  }
}

const hashedName = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, STATEMENT_NAME_LENGTH);

/**
 * SQL of a parameter whose value the planner can't see. PostgreSQL otherwise plans a prepared statement again at each
 * execution, while the plan for the current values looks cheaper than the generic plan, for example with a list of one
 * item or a page of ten lines. Planning then costs several times as much as the execution. For frequent statements with
 * a list, a limit or the start of a range that look rows up by key.
 * @param parameter with its type, such as `$1::uuid[]`
 */
export const hideFromPlanner = (parameter: `$${number}::${string}`): string => {
  const [, type = ''] = parameter.split('::');
  return `(select ${parameter})::${type}`;
};
