import type { Queryable, Tx } from '../../platform/database/database.ts';
import type { PartyNeedSource } from '../../platform/party-needs.ts';
import type { OperationLimit } from './limits.ts';
import type { AddressRule, Bank, Banner, DepositAccount, Translated, WalletAccount } from './operator-data.ts';

export type SourceRow = Translated & { code: string };
export type SiteText = Translated & { kind: 'condition' | 'agreement' };

/** The operator's rows, in the operator's order. Disabled rows are left out. */
export type OperatorRows = {
  /** Includes disabled banks: members may have existing accounts there. */
  banks: Bank[];
  sources: SourceRow[];
  texts: SiteText[];
  banners: Banner[];
  settings: { name: string; value: unknown }[];
  depositAccounts: DepositAccount[];
  walletAccounts: WalletAccount[];
  limits: (OperationLimit & { name: string })[];
  addressRules: AddressRule[];
  /** Names of stopped switches. */
  stopped: { name: string }[];
};

// Amounts are selected as text: a JSON number would lose digits.
const ROW_QUERIES: Readonly<Record<keyof OperatorRows, string>> = {
  banks: `select code, number, name_th as "nameTH", name_en as "nameEN", country, digits_min as "digitsMin",
      digits_max as "digitsMax", is_enabled as "isEnabled" from operator_data_bank order by position`,
  sources: 'select code, th, la, en from operator_data_source where is_enabled order by position',
  texts: 'select kind, th, la, en from operator_data_text order by kind, position',
  banners: 'select kind, image, th, la, en from operator_data_banner where is_enabled order by kind, position',
  settings: 'select name, value from operator_data_setting',
  depositAccounts: `select bank_code as "bankCode", bank_type as "bankType", mode, name_th as "nameTH", name_en as "nameEN",
      account_name as "accountName", account_no as "accountNo", currency, minimum::text, maximum::text
    from deposit_account where is_enabled order by position`,
  walletAccounts: `select mode, account_name as "accountName", account_no as "accountNo"
    from deposit_wallet_app where is_enabled order by position`,
  limits: 'select name, hits, window_seconds as "windowSeconds" from operator_data_limit',
  addressRules: 'select network::text as network, verdict from operator_data_address_rule',
  stopped: 'select name from operator_data_switch where is_stopped',
};

const SELECT_OPERATOR_ROWS = `select ${Object.entries(ROW_QUERIES)
  .map(([name, selectRows]) => `(select coalesce(json_agg(r), '[]') from (${selectRows}) r) as "${name}"`)
  .join(', ')}`;

type AccountJson = Omit<DepositAccount, 'minimum' | 'maximum'> & { minimum: string | null; maximum: string | null };

/** Reads all rows in one statement, as one snapshot. */
export async function selectOperatorRows(db: Queryable): Promise<OperatorRows> {
  const { rows } = await db.query<Omit<OperatorRows, 'depositAccounts'> & { depositAccounts: AccountJson[] }>(
    SELECT_OPERATOR_ROWS,
  );
  const [row] = rows;
  if (!row) throw new Error('a statement without a table returned no row');
  const depositAccounts = row.depositAccounts.map(({ minimum, maximum, ...account }) => ({
    ...account,
    minimum: minimum === null ? null : BigInt(minimum),
    maximum: maximum === null ? null : BigInt(maximum),
  }));
  return { ...row, depositAccounts };
}

/** Reads the version of everything that operators configure. */
export async function selectVersion(db: Queryable): Promise<string> {
  const { rows } = await db.query<{ version: string }>('select version from operator_data_version', [], {
    name: 'operator-data-version',
  });
  const [row] = rows;
  if (!row) throw new Error('operator_data_version has no row');
  return row.version;
}

/** Marks a seed as done. @returns whether this call marked it; then the same transaction inserts the rows */
export async function markSeeded(tx: Tx, name: string): Promise<boolean> {
  const { rowCount } = await tx.query('insert into operator_data_seeded (name) values ($1) on conflict do nothing', [
    name,
  ]);
  return rowCount === 1;
}

// Seeding: existing rows stay unchanged.

export async function insertBank(tx: Tx, bank: Omit<Bank, 'isEnabled'>, position: number): Promise<void> {
  await tx.query(
    `insert into operator_data_bank (code, number, name_th, name_en, country, digits_min, digits_max, position)
     values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`,
    [bank.code, bank.number, bank.nameTH, bank.nameEN, bank.country, bank.digitsMin, bank.digitsMax, position],
  );
}

export async function insertSource(tx: Tx, source: SourceRow, position: number): Promise<void> {
  await tx.query(
    'insert into operator_data_source (code, th, la, en, position) values ($1, $2, $3, $4, $5) on conflict do nothing',
    [source.code, source.th, source.la, source.en, position],
  );
}

export async function insertText(tx: Tx, text: SiteText, position: number): Promise<void> {
  await tx.query(
    'insert into operator_data_text (kind, position, th, la, en) values ($1, $2, $3, $4, $5) on conflict do nothing',
    [text.kind, position, text.th, text.la, text.en],
  );
}

export async function insertBanner(tx: Tx, banner: Banner, position: number): Promise<void> {
  await tx.query(
    'insert into operator_data_banner (kind, position, image, th, la, en) values ($1, $2, $3, $4, $5, $6) on conflict do nothing',
    [banner.kind, position, banner.image, banner.th, banner.la, banner.en],
  );
}

export async function insertDepositAccount(tx: Tx, account: DepositAccount, position: number): Promise<void> {
  await tx.query(
    `insert into deposit_account (bank_code, bank_type, mode, name_th, name_en, account_name, account_no, currency,
       minimum, maximum, position)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict do nothing`,
    [
      account.bankCode,
      account.bankType,
      account.mode,
      account.nameTH,
      account.nameEN,
      account.accountName,
      account.accountNo,
      account.currency,
      account.minimum,
      account.maximum,
      position,
    ],
  );
}

export async function insertWalletAccount(tx: Tx, account: WalletAccount, position: number): Promise<void> {
  await tx.query(
    'insert into deposit_wallet_app (mode, account_name, account_no, position) values ($1, $2, $3, $4) on conflict do nothing',
    [account.mode, account.accountName, account.accountNo, position],
  );
}

export async function insertSetting(tx: Tx, name: string, value: unknown): Promise<void> {
  await tx.query('insert into operator_data_setting (name, value) values ($1, $2) on conflict do nothing', [
    name,
    JSON.stringify(value),
  ]);
}

export async function insertLimit(tx: Tx, name: string, { hits, windowSeconds }: OperationLimit): Promise<void> {
  await tx.query(
    'insert into operator_data_limit (name, hits, window_seconds) values ($1, $2, $3) on conflict do nothing',
    [name, hits, windowSeconds],
  );
}

/** The SMS gateway, while registration sends codes. */
export const smsNeeds: PartyNeedSource = async (on) => {
  const { rows } = await on.query<{ value: unknown }>(
    `select value from operator_data_setting where name = 'registerOTP'`,
  );
  if (rows[0]?.value !== true) return [];
  const remedy =
    'Put it back, or let members register without a code: `echo false | krapao config apply setting:registerOTP - NAME WHY`.';
  return [{ entry: 'sms', reason: 'registration sends codes by SMS', remedy }];
};
