import pg from 'pg';

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
export function queryOpening<Row extends object>(
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
