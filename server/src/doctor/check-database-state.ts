import type { Connection, Database } from '../platform/database/database.ts';
import { type Finding, createFindingFactory } from './finding.ts';

type Collation = { name: string; stored: string | null; actual: string | null };

/** PostgreSQL stops all writes at 2,147 million. */
const AGE_WARNING = 1_000_000_000;
const AGE_FAULT = 1_600_000_000;
const MILLION = 1_000_000;
/** Two clients that take turns: a pooler in transaction mode lends both the same connection soon. */
const TURNS = 5;

/** Checks that the libraries sort texts as they did when the indexes were made. */
export async function checkCollations(database: Database): Promise<Finding[]> {
  const { good, warning, fault } = createFindingFactory('collation');
  const { rows } = await database.query<Collation>(
    // Without a version the order of C never changes, and that of a library may.
    `select datname::text as name, datcollversion as stored, pg_database_collation_actual_version(oid) as actual
       from pg_database where datname = current_database() and (datcollversion is not null
        or datlocprovider in ('c', 'i') and not (datlocprovider = 'c' and datcollate in ('C', 'POSIX')))
      union all
     select collname::text, collversion, pg_collation_actual_version(oid) from pg_collation
      where oid in (select unnest(indcollation) from pg_index) and (collversion is not null
        or collprovider in ('c', 'i') and not (collprovider = 'c' and collcollate in ('C', 'POSIX')))`,
  );
  const remedy = 'docs/runbooks/database.md#collation';
  if (rows.length === 0) return [good('No index depends on a library of this machine.')];
  const unknown = rows.filter(({ stored }) => stored === null);
  const changed = rows.filter(({ stored, actual }) => stored !== null && stored !== actual);
  if (changed.length === 0 && unknown.length === 0) return [good('Texts are sorted as when the indexes were made.')];
  return [
    ...changed.map(({ name, stored, actual }) =>
      fault(
        `Indexes of ${name} were made with the collation version ${stored ?? ''}, and this machine has ${actual ?? 'none'}: they may miss rows.`,
        remedy,
      ),
    ),
    ...unknown.map(({ name }) =>
      warning(`The collation of ${name} has no version: a change of its library is not noticed.`, remedy),
    ),
  ];
}

/** Checks how far transaction ids are from their end, where PostgreSQL stops all writes. */
export async function checkWraparound(database: Database): Promise<Finding[]> {
  const { good, warning, fault } = createFindingFactory('transaction ids');
  const { rows } = await database.query<{ age: number }>(
    `select greatest(max(age(datfrozenxid)), max(mxid_age(datminmxid)))::float8 as age from pg_database`,
  );
  const age = rows[0]?.age ?? 0;
  const sentence = `The oldest transaction id is ${Math.round(age / MILLION)} million old; at 2147 million all writes stop.`;
  const remedy = 'docs/runbooks/database.md#transaction-ids';
  if (age > AGE_FAULT) return [fault(sentence, remedy)];
  return [age > AGE_WARNING ? warning(sentence, remedy) : good(sentence)];
}

/** Checks that a session keeps its connection, and with it locks and settings: a pooler may lend it per transaction. */
export async function checkPooler(database: Database): Promise<Finding[]> {
  const { good, fault } = createFindingFactory('pooler');
  const sessions: Connection[] = [];
  const pids = [new Set<number>(), new Set<number>()];
  try {
    for (const _ of pids) sessions.push(await database.connection());
    for (let turn = 0; turn < TURNS; turn += 1) {
      for (const [index, session] of sessions.entries()) {
        const { rows } = await session.query<{ pid: number }>('select pg_backend_pid() as pid');
        pids[index]?.add(rows[0]?.pid ?? 0);
      }
    }
  } finally {
    for (const session of sessions) session.release();
  }
  const [first, second] = pids;
  const keepsConnection = first?.size === 1 && second?.size === 1 && ![...first].some((pid) => second.has(pid));
  if (keepsConnection) return [good('Each session keeps its connection.')];
  return [
    fault(
      'A pooler lends connections per transaction: locks and prepared statements of a session are lost.',
      'Set pool_mode = session in PgBouncer, or point DATABASE_URL at PostgreSQL itself (docs/runbooks/database.md).',
    ),
  ];
}
