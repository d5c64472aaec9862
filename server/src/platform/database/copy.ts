import pg from 'pg';
import { UserError } from '../errors.ts';
import { explainDatabaseFailure } from '../start/startup-errors.ts';
import { openDatabase } from './database.ts';
import { assertUnlocked, lockOutServers, migrate } from './migrate.ts';
import type { Socket } from 'node:net';

/** `name` and `columns` are SQL. */
type Table = { name: string; columns: string[] };
type Constraint = { table: string; name: string; definition: string };
/** Rows of a table, and the sum of their hashes, which is the same in any order. */
type Content = { rows: string; hash: string };
export type Copied = { table: string; rows: number };

/** Rows as text are the same on both sides. */
const SAME_TEXT = `set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set timezone = 'UTC';
  set datestyle = 'ISO'; set intervalstyle = 'postgres'; set extra_float_digits = 1; set bytea_output = 'hex'`;
const OURS = `n.nspname !~ '^pg_' and n.nspname <> 'information_schema'`;

/**
 * Copies the database of this program to another server, of any version that it runs on: schema by the migrations, rows
 * by COPY, in one transaction there. Then every table has the same rows on both sides, by count and by hash, or nothing
 * is there. The source is only read.
 * @throws {UserError} a server runs on one of them, the target has been used or is the source, or their schemas differ
 */
export async function copyDatabase(sourceUrl: string, targetUrl: string): Promise<Copied[]> {
  const source = await connect(sourceUrl, 'DATABASE_URL');
  const target = await connect(targetUrl, nameOf(targetUrl)).catch(async (error: unknown) => {
    destroyClient(source);
    throw error;
  });
  try {
    await lockOutServers(source, 'the database that is copied');
    await prepareTarget(target, targetUrl).catch((error: unknown) => fail(error, nameOf(targetUrl)));
    await assertSameSchema(source, target);
    // After the locks: a snapshot from before could lack the last commits of a server that was just stopping.
    for (const client of [source, target]) await client.query('begin isolation level repeatable read');
    const copied = await copyAll(source, target);
    await target.query('commit');
    await target.query('analyze');
    await source.query('rollback');
    await Promise.all([source.end(), target.end()]);
    return copied;
  } catch (error) {
    for (const client of [source, target]) destroyClient(client);
    throw error;
  }
}

/** @param where names the database in a sentence */
async function connect(url: string, where: string): Promise<pg.Client> {
  let client: pg.Client | undefined;
  try {
    client = new pg.Client({ connectionString: url, keepAlive: true, application_name: 'krapao copy' });
    client.on('error', () => {});
    await client.connect();
    await client.query(SAME_TEXT);
    return client;
  } catch (error) {
    if (client) destroyClient(client);
    return fail(error, where);
  }
}

function fail(error: unknown, where: string): never {
  const sentence = error instanceof UserError ? undefined : explainDatabaseFailure(error, where);
  throw sentence ? new UserError(sentence, { cause: error }) : error;
}

/** Host and database of an address, without user, password and parameters. */
function nameOf(url: string): string {
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

/** A server that has started once has left its check of the encryption key. */
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

/** Migrations are rows too: those of another program would stand in the target without what they did. */
async function assertSameSchema(source: pg.Client, target: pg.Client): Promise<void> {
  const [there = [], here = []] = await Promise.all(
    [source, target].map(async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `select name || ' ' || sha256 as name from schema_migration order by number`,
      );
      return rows.map(({ name }) => name);
    }),
  );
  const other = there.find((one) => !here.includes(one)) ?? here.find((one) => !there.includes(one));
  if (other === undefined) return;
  const [migration = ''] = other.split(' ');
  throw new UserError(
    `The database that is copied has another schema than this program (the migration ${migration}): copy it with the newest program that has served it.`,
  );
}

async function copyAll(source: pg.Client, target: pg.Client): Promise<Copied[]> {
  const tables = await selectTables(source);
  const names = tables.map(({ name }) => name).join(', ');
  const keys = await selectForeignKeys(target);
  // Rows come in any order; what was valid there is checked when the keys are made again.
  for (const { table, name } of keys) await target.query(`alter table ${table} drop constraint ${name}`);
  for (const { name } of tables) await target.query(`alter table ${name} disable trigger user`);
  await target.query(`truncate ${names}`);
  for (const { name, columns } of tables) await copyTable(source, target, name, columns);
  for (const { name } of tables) await target.query(`alter table ${name} enable trigger user`);
  for (const { table, name, definition } of keys) {
    await target.query(`alter table ${table} add constraint ${name} ${definition}`);
  }
  await copySequences(source, target);
  const copied: Copied[] = [];
  for (const { name } of tables) copied.push({ table: name, rows: await compare(source, target, name) });
  return copied;
}

async function selectTables(on: pg.Client): Promise<Table[]> {
  const { rows } = await on.query<Table>(
    `select format('%I.%I', n.nspname, c.relname) as name, array_agg(quote_ident(a.attname) order by a.attnum) as columns
       from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
      where c.relkind = 'r' and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' and ${OURS}
      group by n.nspname, c.relname order by n.nspname, c.relname`,
  );
  return rows;
}

async function selectForeignKeys(on: pg.Client): Promise<Constraint[]> {
  const { rows } = await on.query<Constraint>(
    `select format('%I.%I', n.nspname, c.relname) as table, quote_ident(k.conname) as name, pg_get_constraintdef(k.oid) as definition
       from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace
      where k.contype = 'f' and k.conparentid = 0 and ${OURS}`,
  );
  return rows;
}

async function copySequences(source: pg.Client, target: pg.Client): Promise<void> {
  const { rows } = await source.query<{ name: string }>(
    `select format('%I.%I', n.nspname, c.relname) as name
       from pg_class c join pg_namespace n on n.oid = c.relnamespace where c.relkind = 'S' and ${OURS}`,
  );
  for (const { name } of rows) {
    const { rows: at } = await source.query<{ value: string; called: boolean }>(
      `select last_value as value, is_called as called from ${name}`,
    );
    await target.query('select setval($1::regclass, $2, $3)', [name, at[0]?.value, at[0]?.called]);
  }
}

async function compare(source: pg.Client, target: pg.Client, table: string): Promise<number> {
  const [there, here] = await Promise.all([source, target].map((client) => contentOf(client, table)));
  if (!there || !here || there.rows !== here.rows || there.hash !== here.hash) {
    throw new UserError(`${table} is not the same after the copy: nothing was kept in the target.`);
  }
  return Number(there.rows);
}

async function contentOf(on: pg.Client, table: string): Promise<Content> {
  const { rows } = await on.query<Content>(
    `select count(*)::text as rows, coalesce(sum(('x' || substr(md5(t::text), 1, 15))::bit(60)::bigint), 0)::text as hash
       from ${table} t`,
  );
  if (!rows[0]) throw new Error('a count has no row');
  return rows[0];
}

/** What the driver has below its types, and COPY needs. */
type Wire = {
  stream: Socket;
  query(text: string): void;
  sendCopyFromChunk(chunk: Buffer): void;
  sendCopyFail(reason: string): void;
  endCopyFrom(): void;
};

/** Bytes that wait for the target before the source is paused. */
const WAITING_BYTES_MAX = 4 * 1024 * 1024;

/**
 * Streams a table from one server to another by COPY, in text, which every version of PostgreSQL reads.
 * @param columns names as SQL
 * @throws the error of the server that refused; neither connection is usable then
 */
export async function copyTable(source: pg.Client, target: pg.Client, table: string, columns: string[]): Promise<void> {
  const list = columns.join(', ');
  const sink = new CopyIn(`copy ${table} (${list}) from stdin`);
  target.query(sink);
  const open = await sink.opened;
  const reader = new CopyOut(`copy ${table} (${list}) to stdout`, open);
  source.query(reader);
  try {
    await Promise.race([reader.done, sink.done.then(() => reader.done)]);
  } catch (error) {
    open.sendCopyFail('the source has failed');
    throw error;
  }
  open.endCopyFrom();
  await sink.done;
}

/** Parts of a query that nothing here uses. */
abstract class CopyQuery implements pg.Submittable {
  readonly #outcome = Promise.withResolvers<void>();
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
    // Awaited later than it may fail.
    this.#outcome.promise.catch(() => {});
  }

  get done(): Promise<void> {
    return this.#outcome.promise;
  }

  submit(connection: unknown): void {
    (connection as Wire).query(this.#text);
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
  readonly #opened = Promise.withResolvers<Wire>();

  get opened(): Promise<Wire> {
    return this.#opened.promise;
  }

  handleCopyInResponse(connection: unknown): void {
    this.#opened.resolve(connection as Wire);
  }

  override handleError(error: Error): void {
    this.#opened.reject(error);
    super.handleError(error);
  }
}

class CopyOut extends CopyQuery {
  readonly #target: Wire;

  constructor(text: string, target: Wire) {
    super(text);
    this.#target = target;
  }

  handleCopyData({ chunk }: { chunk: Buffer }, connection: unknown): void {
    const from = (connection as Wire).stream;
    const to = this.#target.stream;
    this.#target.sendCopyFromChunk(chunk);
    if (to.writableLength < WAITING_BYTES_MAX || from.isPaused()) return;
    from.pause();
    to.once('drain', () => from.resume());
  }
}

/** Destroys a connection immediately, in any state. */
export function destroyClient(client: pg.Client): void {
  (client as unknown as { connection: Wire }).connection.stream.destroy();
}
