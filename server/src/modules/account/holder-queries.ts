import type { Currency } from '@krapao/contract/money';
import { plainPhone } from '@krapao/contract/rules';
import type { Queryable } from '../../platform/database/database.ts';

/** A member by the bank account that they have registered. */
export type HolderRow = {
  memberId: string;
  bankCode: string;
  accountNo: string;
  accountName: string;
  /** Since when the account has had this name: registered, or respelled. */
  since: Date;
};

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
       a.account_name as "accountName",
       greatest(a.created_at, (select max(r.at) from member_bank_account_rename r where r.member_id = a.member_id)) as since
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
    [plainPhone(phone), currency],
  );
  return rows[0]?.id;
}

/** The member whom an operator names by id or phone. */
export async function selectMemberNamed(db: Queryable, named: string): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    `select id from member where (phone = $1 or id::text = $2) and status <> 'deleted' limit 1`,
    [plainPhone(named), named],
  );
  return rows[0]?.id;
}

/** The phones of members, by id. */
export async function selectPhones(db: Queryable, memberIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await db.query<{ id: string; phone: string }>(
    'select id::text as id, phone from member where id = any($1::uuid[])',
    [memberIds],
  );
  return new Map(rows.map(({ id, phone }) => [id, phone]));
}
