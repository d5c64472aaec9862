import type { Currency } from '@krapao/contract/money';
import type { Queryable } from '../../platform/database.ts';

/** A member by the bank account that they have registered. */
export type HolderRow = { memberId: string; bankCode: string; accountNo: string; accountName: string };

/**
 * Members with a wallet of the currency whose account at one of the banks agrees with the digits, place by place.
 * @param digits one character for each place: a digit, or `?` for one that isn't known
 */
export async function selectHolders(
  db: Queryable,
  by: { bankCodes: readonly string[]; digits: string; currency: Currency },
): Promise<HolderRow[]> {
  const { rows } = await db.query<HolderRow>(
    `select a.member_id as "memberId", a.bank_code as "bankCode", a.account_no as "accountNo",
       a.account_name as "accountName"
     from member_bank_account a join member m on m.id = a.member_id
     where a.bank_code = any($1) and a.account_no like $2 and m.currency = $3 and m.status <> 'deleted'`,
    [by.bankCodes, by.digits.replaceAll('?', '_'), by.currency],
  );
  return rows;
}

/** The member whose phone it is, when their wallet has the currency. */
export async function selectMemberOfPhone(
  db: Queryable,
  phone: string,
  currency: Currency,
): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    `select id from member where phone = $1 and currency = $2 and status <> 'deleted'`,
    [phone, currency],
  );
  return rows[0]?.id;
}
