import type pg from 'pg';
import { monotonicMs } from '@krapao/server/src/platform/time.ts';
import { INCENTIVES } from './incentives.ts';
import { ACCOUNTS, BATCH, FUNCTIONS, LANE, OPERATIONS_EACH } from './ledger.ts';
import { MONEY } from './money.ts';
import { HISTORY_DAYS, type Part } from './part.ts';
import { PEOPLE } from './people.ts';
import { REST } from './rest.ts';

type Say = (line: string) => void;
type History = { members: number; firstBatch: bigint; start: Date; stepSeconds: number };

const SLICE = 50_000;
const SLICE_BATCHES = 1_500;
const DAY_MS = 86_400_000;

/** Of the session that fills: no keys are looked up, as every row names one that is there. */
const SESSION = `set session_replication_role = replica; set synchronous_commit = off; set work_mem = '256MB'; set jit = off`;
const WHILE_FILLING = { max_wal_size: '6GB', checkpoint_timeout: '1h', autovacuum: 'off' } as const;

/** How many members a database was filled with; undefined when it wasn't, or not to the end. */
export async function filledWith(on: pg.Client): Promise<number | undefined> {
  const { rows: tables } = await on.query<{ table: string | null }>(
    `select to_regclass('bench.filled')::text as table`,
  );
  if (!tables[0]?.table) return undefined;
  const { rows } = await on.query<{ members: number }>('select members from bench.filled');
  return rows[0]?.members;
}

/**
 * Fills the database of a system with members and their history, over two connections. The server has to be restarted
 * afterwards: it follows the ledger from the first batch that it has not seen.
 */
export async function fill(connect: () => Promise<pg.Client>, members: number, say: Say): Promise<void> {
  const [one, other] = [await connect(), await connect()];
  const from = monotonicMs();
  try {
    for (const [name, value] of Object.entries(WHILE_FILLING)) await one.query(`alter system set ${name} = '${value}'`);
    await one.query('select pg_reload_conf()');
    await one.query('drop schema if exists bench cascade');
    await one.query(FUNCTIONS);
    await Promise.all([one.query(SESSION), other.query(SESSION)]);
    const history = await historyOf(one, members);
    await Promise.all([fillLedger(one, history, say), fillTables(other, history, say)]);
    say('analysing …');
    await Promise.all([
      one.query('vacuum analyze ledger.entry, ledger.operation'),
      other.query('vacuum (analyze, skip_database_stats)'),
    ]);
    for (const name of Object.keys(WHILE_FILLING)) await one.query(`alter system reset ${name}`);
    await one.query('select pg_reload_conf()');
    await one.query('checkpoint');
    await one.query('create table bench.filled as select $1::int as members', [members]);
    say(`filled with ${members} members in ${Math.round((monotonicMs() - from) / 1_000)} s`);
  } finally {
    await Promise.all([one.end(), other.end()]);
  }
}

async function historyOf(on: pg.Client, members: number): Promise<History> {
  const batches = Math.ceil((OPERATIONS_EACH * members) / BATCH);
  const { rows } = await on.query<{ first: string }>(`select nextval('ledger.batch_id') as first`);
  const firstBatch = BigInt(rows[0]?.first ?? 0);
  await on.query(`select setval('ledger.batch_id', $1)`, [String(firstBatch + BigInt(batches))]);
  // Ends an hour ago, before anything that the running system does.
  const start = new Date(Date.now() - HISTORY_DAYS * DAY_MS);
  const stepSeconds = Math.floor((((HISTORY_DAYS * DAY_MS - DAY_MS / 24) / batches) * 1_000) / 1_000) / 1_000;
  return { members, firstBatch, start, stepSeconds };
}

async function fillLedger(
  on: pg.Client,
  { members, firstBatch, start, stepSeconds }: History,
  say: Say,
): Promise<void> {
  const batches = Math.ceil((OPERATIONS_EACH * members) / BATCH);
  const step = `${stepSeconds} seconds`;
  const { rows } = await on.query<{ account: string }>(
    `select nextval(pg_get_serial_sequence('ledger.account', 'id')) as account`,
  );
  const account = rows[0]?.account ?? '0';
  await on.query(`select setval(pg_get_serial_sequence('ledger.account', 'id'), $1)`, [
    String(BigInt(account) + BigInt(2 * members + 2)),
  ]);
  let hash: Buffer = Buffer.alloc(0);
  for (let at = 0; at < batches; at += SLICE_BATCHES) {
    const to = Math.min(at + SLICE_BATCHES, batches) - 1;
    const filled = await on.query<{ hash: Buffer }>(
      'select bench.fill_ledger($1, $2, $3, $4, $5, $6, $7, $8) as hash',
      [members, String(firstBatch), account, start, step, at, to, hash],
    );
    hash = filled.rows[0]?.hash ?? hash;
    say(`ledger: ${to + 1} of ${batches} batches`);
  }
  await on.query(ACCOUNTS, [members, account, start, step]);
  // Last: a server that runs meanwhile would read the history as news.
  await on.query('insert into ledger.lane (id, last_batch, hash) values ($1, $2, $3)', [
    LANE,
    String(firstBatch + BigInt(batches) - 1n),
    hash,
  ]);
}

async function fillTables(on: pg.Client, history: History, say: Say): Promise<void> {
  for (const part of [...PEOPLE, ...MONEY, ...INCENTIVES, ...REST]) {
    const from = monotonicMs();
    const rows = part.rows(history.members);
    for (let at = 1; at <= rows; at += SLICE)
      await on.query(sqlOf(part, history), [at, Math.min(at + SLICE - 1, rows)]);
    say(`${part.name}: ${rows} in ${Math.round((monotonicMs() - from) / 1_000)} s`);
  }
}

const sqlOf = ({ sql }: Part, { members, start }: History): string =>
  sql.replaceAll(':members', String(members)).replaceAll(':start', `'${start.toISOString()}'::timestamptz`);
