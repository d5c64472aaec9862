import { monotonicMs } from '@krapao/server/src/platform/time.ts';
import type pg from 'pg';
import { INCENTIVES } from './incentives.ts';
import { ACCOUNTS, BATCH, FUNCTIONS, LANE, OPERATIONS_PER_MEMBER } from './ledger.ts';
import { MONEY } from './money.ts';
import { PEOPLE } from './people.ts';
import { REST } from './rest.ts';
import { HISTORY_DAYS, type TableFill } from './table-fill.ts';

type Log = (line: string) => void;
type History = { members: number; firstBatch: bigint; start: Date; stepSeconds: number };

const SLICE_ROWS = 50_000;
const SLICE_BATCHES = 1_500;
const DAY_MS = 86_400_000;

/** Session settings: foreign keys are not checked, as all rows are consistent. */
const SESSION_SETTINGS = `set session_replication_role = replica; set synchronous_commit = off; set work_mem = '256MB'; set jit = off`;
const FILL_SETTINGS = { max_wal_size: '6GB', checkpoint_timeout: '1h', autovacuum: 'off' } as const;

/** Number of members of a complete fill, if any. */
export async function filledMembers(client: pg.Client): Promise<number | undefined> {
  const { rows: tables } = await client.query<{ table: string | null }>(
    `select to_regclass('bench.filled')::text as table`,
  );
  if (!tables[0]?.table) return undefined;
  const { rows } = await client.query<{ members: number }>('select members from bench.filled');
  return rows[0]?.members;
}

/**
 * Fills a database with members and their history over two connections. Restart the server afterwards: it reads the ledger from the
 * first unknown batch.
 */
export async function fill(connect: () => Promise<pg.Client>, members: number, log: Log): Promise<void> {
  const [firstClient, secondClient] = [await connect(), await connect()];
  const startedAtMs = monotonicMs();
  try {
    for (const [name, value] of Object.entries(FILL_SETTINGS))
      await firstClient.query(`alter system set ${name} = '${value}'`);
    await firstClient.query('select pg_reload_conf()');
    await firstClient.query('drop schema if exists bench cascade');
    await firstClient.query(FUNCTIONS);
    await Promise.all([firstClient.query(SESSION_SETTINGS), secondClient.query(SESSION_SETTINGS)]);
    const history = await historyOf(firstClient, members);
    await Promise.all([fillLedger(firstClient, history, log), fillTables(secondClient, history, log)]);
    log('analysing …');
    await Promise.all([
      firstClient.query('vacuum analyze ledger.entry, ledger.operation'),
      secondClient.query('vacuum (analyze, skip_database_stats)'),
    ]);
    for (const name of Object.keys(FILL_SETTINGS)) await firstClient.query(`alter system reset ${name}`);
    await firstClient.query('select pg_reload_conf()');
    await firstClient.query('checkpoint');
    await firstClient.query('create table bench.filled as select $1::int as members', [members]);
    log(`filled with ${members} members in ${Math.round((monotonicMs() - startedAtMs) / 1_000)} s`);
  } finally {
    await Promise.all([firstClient.end(), secondClient.end()]);
  }
}

async function historyOf(client: pg.Client, members: number): Promise<History> {
  const batches = Math.ceil((OPERATIONS_PER_MEMBER * members) / BATCH);
  const { rows } = await client.query<{ first: string }>(`select nextval('ledger.batch_id') as first`);
  const firstBatch = BigInt(rows[0]?.first ?? 0);
  await client.query(`select setval('ledger.batch_id', $1)`, [String(firstBatch + BigInt(batches))]);
  // Ends an hour ago, before anything that the running system writes.
  const start = new Date(Date.now() - HISTORY_DAYS * DAY_MS);
  const stepSeconds = Math.floor((((HISTORY_DAYS * DAY_MS - DAY_MS / 24) / batches) * 1_000) / 1_000) / 1_000;
  return { members, firstBatch, start, stepSeconds };
}

async function fillLedger(
  client: pg.Client,
  { members, firstBatch, start, stepSeconds }: History,
  log: Log,
): Promise<void> {
  const batches = Math.ceil((OPERATIONS_PER_MEMBER * members) / BATCH);
  const interval = `${stepSeconds} seconds`;
  const { rows } = await client.query<{ account: string }>(
    `select nextval(pg_get_serial_sequence('ledger.account', 'id')) as account`,
  );
  const account = rows[0]?.account ?? '0';
  await client.query(`select setval(pg_get_serial_sequence('ledger.account', 'id'), $1)`, [
    String(BigInt(account) + BigInt(2 * members + 2)),
  ]);
  let hash: Buffer = Buffer.alloc(0);
  for (let sliceStart = 0; sliceStart < batches; sliceStart += SLICE_BATCHES) {
    const sliceEnd = Math.min(sliceStart + SLICE_BATCHES, batches) - 1;
    const filledSlice = await client.query<{ hash: Buffer }>(
      'select bench.fill_ledger($1, $2, $3, $4, $5, $6, $7, $8) as hash',
      [members, String(firstBatch), account, start, interval, sliceStart, sliceEnd, hash],
    );
    hash = filledSlice.rows[0]?.hash ?? hash;
    log(`ledger: ${sliceEnd + 1} of ${batches} batches`);
  }
  await client.query(ACCOUNTS, [members, account, start, interval]);
  // Last: a running server would otherwise read the history as new batches.
  await client.query('insert into ledger.lane (id, last_batch, hash) values ($1, $2, $3)', [
    LANE,
    String(firstBatch + BigInt(batches) - 1n),
    hash,
  ]);
}

async function fillTables(client: pg.Client, history: History, log: Log): Promise<void> {
  for (const tableFill of [...PEOPLE, ...MONEY, ...INCENTIVES, ...REST]) {
    const startedAtMs = monotonicMs();
    const rows = tableFill.rows(history.members);
    for (let firstRow = 1; firstRow <= rows; firstRow += SLICE_ROWS)
      await client.query(sqlOf(tableFill, history), [firstRow, Math.min(firstRow + SLICE_ROWS - 1, rows)]);
    log(`${tableFill.name}: ${rows} in ${Math.round((monotonicMs() - startedAtMs) / 1_000)} s`);
  }
}

const sqlOf = ({ sql }: TableFill, { members, start }: History): string =>
  sql.replaceAll(':members', String(members)).replaceAll(':start', `'${start.toISOString()}'::timestamptz`);
