import type { Socket } from 'node:net';
import pg from 'pg';
import { UserError } from '../errors.ts';
import { explainDatabaseFailure } from '../start/startup-errors.ts';
import { openDatabase } from './database.ts';
import { assertUnlocked, lockOutServers, migrate } from './migrate.ts';

/** `name` and `columns` are quoted SQL identifiers. */
type Table = { name: string; columns: string[] };
type Constraint = { table: string; name: string; definition: string };
/** Row count of a table, and the sum of the row hashes, which does not depend on the order. */
type TableContent = { rows: string; hash: string };
export type CopiedTable = { table: string; rows: number };

/** Session settings under which both servers print a row as the same text. */
const SESSION_SETTINGS_SQL = `set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set timezone = 'UTC';
  set datestyle = 'ISO'; set intervalstyle = 'postgres'; set extra_float_digits = 1; set bytea_output = 'hex'`;
const USER_SCHEMA_CONDITION = `n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`;

/**
 * Copies the database to another server, of any supported version: schema by the migrations, rows by COPY, in one
 * transaction of the target. Then compares count and hash of the rows of every table; on a difference the target stays
 * empty. Only reads the source.
 * @throws {UserError} a server runs on either database, the target is not empty or is the source, or the schemas differ
 */
export async function copyDatabase(sourceUrl: string, targetUrl: string): Promise<CopiedTable[]> {
  const source = await connect(sourceUrl, 'DATABASE_URL');
  const target = await connect(targetUrl, describeTarget(targetUrl)).catch(async (error: unknown) => {
    destroyClient(source);
    throw error;
  });
  try {
    await lockOutServers(source, 'the database that is copied');
    await prepareTarget(target, targetUrl).catch((error: unknown) => throwExplained(error, describeTarget(targetUrl)));
    await assertSameSchema(source, target);
    // After the locks: an earlier snapshot could lack the last commits of a server that was stopping.
    for (const client of [source, target]) await client.query('begin isolation level repeatable read');
    const copiedTables = await copyAll(source, target);
    await target.query('commit');
    await target.query('analyze');
    await source.query('rollback');
    await Promise.all([source.end(), target.end()]);
    return copiedTables;
  } catch (error) {
    for (const client of [source, target]) destroyClient(client);
    throw error;
  }
}

/** @param settingName names the database in error messages */
async function connect(url: string, settingName: string): Promise<pg.Client> {
  let client: pg.Client | undefined;
  try {
    client = new pg.Client({ connectionString: url, keepAlive: true, application_name: 'krapao copy' });
    client.on('error', () => {});
    await client.connect();
    await client.query(SESSION_SETTINGS_SQL);
    return client;
  } catch (error) {
    if (client) destroyClient(client);
    return throwExplained(error, settingName);
  }
}

function throwExplained(error: unknown, settingName: string): never {
  const explanation = error instanceof UserError ? undefined : explainDatabaseFailure(error, settingName);
  throw explanation ? new UserError(explanation, { cause: error }) : error;
}

/** Host and database of an address, without user, password and parameters. */
function describeTarget(url: string): string {
  return `the target ${url.replace(/\?.*$/, '').replace(/^\w+:\/\/(?:[^/]*@)?/, '')}`;
}

/** Migrates an unused target to the schema of this program, and locks out servers. */
async function prepareTarget(target: pg.Client, url: string): Promise<void> {
  await assertUnlocked(target);
  await assertUnused(target);
  const database = openDatabase({ url, size: 1 });
  try {
    await migrate(database);
  } finally {
    await database.close();
  }
  await lockOutServers(target, 'the target');
  await assertUnused(target);
}

/** Every server that has started left its check value of the encryption key. */
async function assertUnused(target: pg.Client): Promise<void> {
  const { rows: tables } = await target.query<{ name: string }>(
    `select name from unnest(array['encryption_check', 'member']) name where to_regclass(name) is not null`,
  );
  for (const { name } of tables) {
    const { rows } = await target.query(`select from ${name} limit 1`);
    if (rows.length === 0) continue;
    throw new UserError('The target has been used already: name an empty database. Nothing was changed.');
  }
}

/** Applied migrations are rows too. The target must not list migrations of another program whose changes it lacks. */
async function assertSameSchema(source: pg.Client, target: pg.Client): Promise<void> {
  const [sourceMigrations = [], targetMigrations = []] = await Promise.all(
    [source, target].map(async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `select name || ' ' || sha256 as name from schema_migration order by number`,
      );
      return rows.map(({ name }) => name);
    }),
  );
  const difference =
    sourceMigrations.find((migrationName) => !targetMigrations.includes(migrationName)) ??
    targetMigrations.find((migrationName) => !sourceMigrations.includes(migrationName));
  if (difference === undefined) return;
  const [migration = ''] = difference.split(' ');
  throw new UserError(
    `The database that is copied has another schema than this program (the migration ${migration}): copy it with the newest program that has served it.`,
  );
}

async function copyAll(source: pg.Client, target: pg.Client): Promise<CopiedTable[]> {
  const tables = await selectTables(source);
  const names = tables.map(({ name }) => name).join(', ');
  const foreignKeys = await selectForeignKeys(target);
  // Rows come in any order, so foreign keys are dropped first. Adding them again checks the rows.
  for (const { table, name } of foreignKeys) await target.query(`alter table ${table} drop constraint ${name}`);
  for (const { name } of tables) await target.query(`alter table ${name} disable trigger user`);
  await target.query(`truncate ${names}`);
  for (const { name, columns } of tables) await copyTable(source, target, name, columns);
  for (const { name } of tables) await target.query(`alter table ${name} enable trigger user`);
  for (const { table, name, definition } of foreignKeys) {
    await target.query(`alter table ${table} add constraint ${name} ${definition}`);
  }
  await copySequences(source, target);
  const copiedTables: CopiedTable[] = [];
  for (const { name } of tables)
    copiedTables.push({ table: name, rows: await assertSameContent(source, target, name) });
  return copiedTables;
}

async function selectTables(on: pg.Client): Promise<Table[]> {
  const { rows } = await on.query<Table>(
    `select format('%I.%I', n.nspname, c.relname) as name, array_agg(quote_ident(a.attname) order by a.attnum) as columns
       from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
      where c.relkind = 'r' and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and ${USER_SCHEMA_CONDITION}
      group by n.nspname, c.relname order by n.nspname, c.relname`,
  );
  return rows;
}

async function selectForeignKeys(on: pg.Client): Promise<Constraint[]> {
  const { rows } = await on.query<Constraint>(
    `select format('%I.%I', n.nspname, c.relname) as table, quote_ident(k.conname) as name, pg_get_constraintdef(k.oid) as definition
       from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
      where k.contype = 'f' and k.conparentid = 0 and ${USER_SCHEMA_CONDITION}`,
  );
  return rows;
}

async function copySequences(source: pg.Client, target: pg.Client): Promise<void> {
  const { rows } = await source.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name
       from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'S' and ${USER_SCHEMA_CONDITION}`,
  );
  for (const { name } of rows) {
    const { rows: positions } = await source.query<{ value: string; called: boolean }>(
      `select last_value as value, is_called as called from ${name}`,
    );
    await target.query('select setval($1::regclass, $2, $3)', [name, positions[0]?.value, positions[0]?.called]);
  }
}

async function assertSameContent(source: pg.Client, target: pg.Client, table: string): Promise<number> {
  const [sourceContent, targetContent] = await Promise.all(
    [source, target].map((client) => selectContent(client, table)),
  );
  if (
    !sourceContent ||
    !targetContent ||
    sourceContent.rows !== targetContent.rows ||
    sourceContent.hash !== targetContent.hash
  ) {
    throw new UserError(`${table} is not the same after the copy: nothing was kept in the target.`);
  }
  return Number(sourceContent.rows);
}

async function selectContent(on: pg.Client, table: string): Promise<TableContent> {
  const { rows } = await on.query<TableContent>(
    `select count(*)::text as rows, coalesce(sum(('x' || substr(md5(t::text), 1, 15))::bit(60)::bigint), 0)::text as hash
       from ${table} t`,
  );
  if (!rows[0]) throw new Error('a count has no row');
  return rows[0];
}

/** Members of the driver's connection that its types omit and COPY needs. */
type DriverConnection = {
  stream: Socket;
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  sendCopyFail(reason: string): void;
  endCopyFrom(): void;
};

/** Bytes buffered for the target above which the source is paused. */
const BUFFERED_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Streams a table from one server to another by COPY, in text format, which every version of PostgreSQL reads.
 * @param columns quoted SQL identifiers
 * @throws the error of the server that failed; neither connection is usable afterwards
 */
export async function copyTable(source: pg.Client, target: pg.Client, table: string, columns: string[]): Promise<void> {
  const columnList = columns.join(', ');
  const copyIn = new CopyIn(`copy ${table} (${columnList}) from stdin`);
  target.query(copyIn);
  const targetConnection = await copyIn.opened;
  const copyOut = new CopyOut(`copy ${table} (${columnList}) to stdout`, targetConnection);
  source.query(copyOut);
  try {
    await Promise.race([copyOut.done, copyIn.done.then(() => copyOut.done)]);
  } catch (error) {
    targetConnection.sendCopyFail('the source has failed');
    throw error;
  }
  targetConnection.endCopyFrom();
  await copyIn.done;
}

/** Callbacks that the driver requires and COPY does not use. */
abstract class CopyQuery implements pg.Submittable {
  readonly #outcome = Promise.withResolvers<void>();
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    // The outcome may reject before a caller awaits it.
    this.#outcome.promise.catch(() => {});
  }

  get done(): Promise<void> {
    return this.#outcome.promise;
  }

  submit(connection: unknown): void {
    (connection as DriverConnection).query(this.#text);
  }

  handleRowDescription(): void {}
  handleDataRow(): void {}
  handleCommandComplete(): void {}
  handleEmptyQuery(): void {}
  handlePortalSuspended(): void {}

  handleError(error: Error): void {
    this.#outcome.reject(error);
  }

  handleReadyForQuery(): void {
    this.#outcome.resolve();
  }
}

class CopyIn extends CopyQuery {
  readonly #opened = Promise.withResolvers<DriverConnection>();

  get opened(): Promise<DriverConnection> {
    return this.#opened.promise;
  }

  handleCopyInResponse(connection: unknown): void {
    this.#opened.resolve(connection as DriverConnection);
  }

  override handleError(error: Error): void {
    this.#opened.reject(error);
    super.handleError(error);
  }
}

class CopyOut extends CopyQuery {
  readonly #target: DriverConnection;

  constructor(text: string, target: DriverConnection) {
    super(text);
    this.#target = target;
  }

  handleCopyData({ chunk }: { chunk: Buffer }, connection: unknown): void {
    const sourceStream = (connection as DriverConnection).stream;
    const targetStream = this.#target.stream;
    this.#target.sendCopyFromChunk(chunk);
    if (targetStream.writableLength < BUFFERED_BYTES_MAX || sourceStream.isPaused()) return;
    sourceStream.pause();
    targetStream.once('drain', () => sourceStream.resume());
  }
}

/** Destroys a connection immediately, in any state. */
export function destroyClient(client: pg.Client): void {
  (client as unknown as { connection: DriverConnection }).connection.stream.destroy();
}
