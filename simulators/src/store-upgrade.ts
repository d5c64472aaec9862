import type { DatabaseSync } from 'node:sqlite';
import { saltHash } from './outside/secrets.ts';

/** Columns added to a table after its first version. */
const ADDED_COLUMNS = [
  ['bank_account', 'currency', "text not null default 'BAHT'"],
  ['bank_transfer', 'currency', "text not null default 'BAHT'"],
  ['bank_transfer', 'trans_ref', 'text'],
  ['bank_transfer', 'layout', "text not null default 'bank'"],
  ['gateway_code', 'refunded_at', 'integer'],
  ['player', 'pool_reference', 'text'],
  ['player', 'voided', 'integer not null default 0'],
  ['round', 'game', 'text'],
  ['round', 'bets', 'text'],
  ['round', 'settled_at', 'integer'],
  ['game_session', 'game', "text not null default ''"],
  ['chat_conversation', 'seen', 'integer not null default 0'],
  ['chat_message', 'by_person', 'integer not null default 0'],
  ['chat_message', 'asks_person', 'integer not null default 0'],
  ['chat_message', 'reference', 'text'],
] as const;

const INDEXES_OF_ADDED_COLUMNS = `
create index if not exists bank_transfer_trans_ref on bank_transfer (trans_ref);
create unique index if not exists player_pool on player (provider, pool_reference) where pool_reference is not null;
`;

/** Upgrades codes and callbacks of versions with only one gateway. */
const ONE_GATEWAY = `
begin;
insert into gateway_code (id, gateway, number, reference, notes, amount, payload, created_at, expires_at, cancelled_at,
    paid_at, paid_amount, txn_no, payer_bank, payer_number, payer_name)
  select id, 'kbank', uid, reference1, reference2, amount, payload, expires_at - 600000, expires_at, cancelled_at,
    paid_at, paid_amount, txn_no, payer_bank, payer_number, payer_name from kbank_qr;
insert into gateway_callback (gateway, key, body, attempt, due_at, state)
  select 'kbank', json_extract(body, '$.partnerTxnUid'), body, attempt, due_at, state from callback;
drop table kbank_qr;
drop table callback;
commit;
`;

/** Upgrades a database of an earlier version to the current tables. */
export function bringUpToDate(db: DatabaseSync): void {
  for (const [table, column, definition] of ADDED_COLUMNS) {
    const existingColumn = db.prepare('select 1 from pragma_table_info(?) where name = ?').get(table, column);
    if (!existingColumn) db.exec(`alter table ${table} add column ${column} ${definition}`);
  }
  db.exec(INDEXES_OF_ADDED_COLUMNS);
  hidePasswords(db);
  if (db.prepare("select 1 from sqlite_schema where type = 'table' and name = 'kbank_qr'").get()) db.exec(ONE_GATEWAY);
}

/** Hashes passwords of earlier versions, which had no salt, or were plain text for pool accounts. */
function hidePasswords(db: DatabaseSync): void {
  if (db.prepare("select 1 from pragma_table_info('player') where name = 'pool_password'").get()) {
    db.exec(
      'pragma secure_delete = on; alter table player drop column pool_password; vacuum; pragma wal_checkpoint(truncate)',
    );
  }
  const hidePassword = db.prepare('update player set password = ? where provider = ? and username = ?');
  db.exec('begin immediate');
  for (const row of db.prepare("select provider, username, password from player where password not like '%:%'").all()) {
    const { provider, username, password } = row as Record<'provider' | 'username' | 'password', string>;
    hidePassword.run(saltHash(password), provider, username);
  }
  db.exec('commit');
}
