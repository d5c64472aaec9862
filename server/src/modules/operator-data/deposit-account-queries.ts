import type { Queryable, Tx } from '../../platform/database/database.ts';
import { minorToDecimalOrNull, decimalToMinorOrNull } from '../../platform/documents/fields.ts';
import type { DepositAccountsDocument } from './deposit-account-subject.ts';

type Row = DepositAccountsDocument['accounts'][number];

/** Deposit accounts as a document, in the operator's order, disabled ones included. */
export async function selectDepositAccounts(on: Queryable): Promise<DepositAccountsDocument> {
  const { rows: accounts } = await on.query<Row>(
    `select bank_code as "bankCode", bank_type as "bankType", mode, name_th as "nameTH", name_en as "nameEN",
       account_name as "accountName", account_no as "accountNo", currency, minimum::text, maximum::text,
       is_enabled as "isEnabled"
     from deposit_account order by position, bank_type, bank_code, account_no`,
  );
  const { rows: walletApp } = await on.query<DepositAccountsDocument['walletApp'][number]>(
    `select mode, account_name as "accountName", account_no as "accountNo", is_enabled as "isEnabled"
     from deposit_wallet_app order by position, mode, account_no`,
  );
  return {
    accounts: accounts.map(({ minimum, maximum, ...account }) => {
      const { isEnabled, ...fields } = account;
      return { ...fields, minimum: minorToDecimalOrNull(minimum), maximum: minorToDecimalOrNull(maximum), isEnabled };
    }),
    walletApp,
  };
}

export async function replaceDepositAccounts(tx: Tx, { accounts, walletApp }: DepositAccountsDocument): Promise<void> {
  await tx.query('delete from deposit_account');
  await tx.query(
    `insert into deposit_account (bank_code, bank_type, mode, name_th, name_en, account_name, account_no, currency,
       minimum, maximum, is_enabled, position)
     select r.row ->> 'bankCode', r.row ->> 'bankType', r.row ->> 'mode', r.row ->> 'nameTH', r.row ->> 'nameEN',
            r.row ->> 'accountName', r.row ->> 'accountNo', (r.row ->> 'currency')::currency, (r.row ->> 'minimum')::bigint,
            (r.row ->> 'maximum')::bigint, (r.row ->> 'isEnabled')::boolean, r.i - 1
       from jsonb_array_elements($1::jsonb) with ordinality r(row, i)`,
    [
      JSON.stringify(
        accounts.map(({ minimum, maximum, ...account }) => ({
          ...account,
          minimum: decimalToMinorOrNull(minimum)?.toString() ?? null,
          maximum: decimalToMinorOrNull(maximum)?.toString() ?? null,
        })),
      ),
    ],
  );
  await tx.query('delete from deposit_wallet_app');
  await tx.query(
    `insert into deposit_wallet_app (mode, account_name, account_no, is_enabled, position)
     select r.row ->> 'mode', r.row ->> 'accountName', r.row ->> 'accountNo', (r.row ->> 'isEnabled')::boolean, r.i - 1
       from jsonb_array_elements($1::jsonb) with ordinality r(row, i)`,
    [JSON.stringify(walletApp)],
  );
}
