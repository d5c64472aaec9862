import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { BANK_API_TABLES } from './bank-api/tables.ts';
import { CHAT_BACKEND_TABLES } from './chat-backend/tables.ts';
import { LOTTO_TABLES } from './games/lotto/tables.ts';
import { dataSecret } from './outside/data-secret.ts';
import { bringUpToDate } from './store-upgrade.ts';
import { WALLET_APP_TABLES } from './wallet-app/tables.ts';
import { WEB_PUSH_TABLES } from './web-push/push-service.ts';

const SCHEMA_SQL = `
create table if not exists message (
  id integer primary key, phone text not null, sender text not null, text text not null, code text, ref text, at integer not null
) strict;
create index if not exists message_phone on message (phone, id);
create table if not exists message_key (key text primary key, reply text not null, at integer not null) strict;

create table if not exists bank_account (
  bank text not null, number text not null, name text not null, owner text not null check (owner in ('operator', 'person')),
  balance integer not null default 0 check (balance >= 0),
  cash_in integer not null default 0, currency text not null default 'BAHT',
  primary key (bank, number)
) strict;
create table if not exists bank_transfer (
  id text primary key, kind text not null check (kind in ('transfer', 'pay-qr')), at integer not null,
  from_bank text not null, from_number text not null, from_name text not null,
  to_bank text not null, to_number text not null, to_name text not null,
  amount integer not null check (amount > 0), reference text, currency text not null default 'BAHT',
  trans_ref text, layout text not null default 'bank'
) strict;
create index if not exists bank_transfer_from on bank_transfer (from_bank, from_number, at);
create index if not exists bank_transfer_to on bank_transfer (to_bank, to_number, at);

create table if not exists gateway_code (
  id integer primary key, gateway text not null, number text, reference text not null, notes text,
  amount integer not null, payload text unique, created_at integer not null, expires_at integer not null,
  cancelled_at integer, failed_at integer, paid_at integer, paid_amount integer, txn_no text,
  payer_bank text, payer_number text, payer_name text,
  unique (gateway, number), unique (gateway, reference), unique (gateway, txn_no)
) strict;
create table if not exists gateway_callback (
  id integer primary key, gateway text not null, key text not null, body text not null, forged integer not null default 0,
  attempt integer not null default 0, due_at integer not null,
  state text not null default 'waiting' check (state in ('waiting', 'taken', 'given-up'))
) strict;
create index if not exists gateway_callback_due on gateway_callback (due_at) where state = 'waiting';

create table if not exists player (
  provider text not null, username text not null, password text,
  balance integer not null default 0 check (balance >= 0),
  transferred_in integer not null default 0, transferred_out integer not null default 0,
  staked integer not null default 0, won integer not null default 0, voided integer not null default 0,
  pool_reference text,
  primary key (provider, username)
) strict;
create table if not exists game_transfer (
  id integer primary key, provider text not null, username text not null, reference text,
  direction text not null check (direction in ('in', 'out', 'all-out')), asked integer,
  amount integer not null, before integer not null, after integer not null, at integer not null
) strict;
create unique index if not exists game_transfer_reference on game_transfer (provider, reference) where reference is not null;
create table if not exists round (
  id integer primary key, provider text not null, username text not null, key text,
  stake integer not null, win integer, outcome text, at integer not null, balance_after integer not null,
  game text, bets text, settled_at integer
) strict;
create unique index if not exists round_key on round (provider, username, key) where key is not null;
create index if not exists round_open on round (provider, username) where win is null;
create table if not exists game_session (
  token_hash text primary key, provider text not null, username text not null, language text not null,
  return_url text, expires_at integer not null, game text not null default ''
) strict;

create table if not exists fault (
  id integer primary key, target text not null, fault text not null, call text, left integer not null,
  delay_ms integer, applied integer, amount integer
) strict;
create table if not exists call (
  id integer primary key, at integer not null, target text not null, call text not null, key text,
  status integer not null, fault text, ms integer not null
) strict;
create index if not exists call_target on call (target, id);
`;

/** The simulators' database: synchronous, one writer. Every change is written before the reply. */
export class Store {
  readonly db: DatabaseSync;
  /** Secret of the data folder, which is not stored in the database. */
  readonly secret: Buffer;
  readonly #statements = new Map<string, StatementSync>();

  /** @param dataDir folder of `simulators.sqlite` and `simulators.secret`, or `:memory:` */
  constructor(dataDir: string) {
    if (dataDir !== ':memory:') mkdirSync(dataDir, { recursive: true });
    this.secret = dataSecret(dataDir);
    this.db = new DatabaseSync(dataDir === ':memory:' ? dataDir : join(dataDir, 'simulators.sqlite'));
    // WAL with synchronous=NORMAL loses nothing when the process is killed, only when the machine loses power.
    this.db.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma busy_timeout = 5000');
    this.db.exec(
      SCHEMA_SQL + BANK_API_TABLES + WALLET_APP_TABLES + LOTTO_TABLES + CHAT_BACKEND_TABLES + WEB_PUSH_TABLES,
    );
    bringUpToDate(this.db);
  }

  /** All rows of a query. The keys of a row are column names; the caller declares their type. */
  all<Row>(sql: string, ...values: (string | number | null)[]): Row[] {
    return this.#prepared(sql).all(...values) as Row[];
  }

  /** The first row of a query, or undefined. */
  one<Row>(sql: string, ...values: (string | number | null)[]): Row | undefined {
    return this.#prepared(sql).get(...values) as Row | undefined;
  }

  /** Runs a statement; returns the number of changed rows and the last row id. */
  run(sql: string, ...values: (string | number | null)[]): { changes: number; id: number } {
    const result = this.#prepared(sql).run(...values);
    return { changes: Number(result.changes), id: Number(result.lastInsertRowid) };
  }

  /** Runs `work` in a transaction, which rolls back when `work` throws. Not nestable. */
  atomically<T>(work: () => T): T {
    this.db.exec('begin immediate');
    try {
      const result = work();
      this.db.exec('commit');
      return result;
    } catch (error) {
      this.db.exec('rollback');
      throw error;
    }
  }

  /** Statements are constant texts, so each is prepared once. */
  #prepared(sql: string): StatementSync {
    const cachedStatement = this.#statements.get(sql);
    if (cachedStatement) return cachedStatement;
    const statement = this.db.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }

  close(): void {
    this.db.close();
  }
}
