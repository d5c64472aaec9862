import { plainPhone } from '@krapao/contract/rules';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import type { MemberStatus } from './account.ts';
import type { BankAccountRow, MemberRow } from './queries.ts';

/** A member as operators see them. */
export type OperatedMember = MemberRow & {
  status: MemberStatus;
  statusReason: string;
  /** Why an operator has closed the wallet, and since when; null while it is open. */
  closedWallet: { reason: string; since: Date } | null;
  bankAccount: BankAccountRow | null;
  /** Sessions that are not ended. */
  sessions: number;
};

type OperatedMemberRow = Omit<OperatedMember, 'closedWallet'> & {
  closedReason: string | null;
  closedSince: Date | null;
};

/** Finds a member by phone, id or code; deleted ones too. */
export async function selectOperatedMember(on: Queryable, text: string): Promise<OperatedMember | undefined> {
  const { rows } = await on.query<OperatedMemberRow>(
    `select m.id, m.phone, m.name, m.currency, m.invite_code as "inviteCode", m.code as "memberCode",
            m.created_at as "createdAt", m.status, m.status_reason as "statusReason", w.reason as "closedReason",
            w.since as "closedSince",
            (select json_build_object('bankCode', b.bank_code, 'accountNo', b.account_no, 'accountName', b.account_name)
               from member_bank_account b where b.member_id = m.id) as "bankAccount",
            (select count(*)::int from member_session s where s.member_id = m.id and s.superseded_at is null
               and s.logged_out_at is null and s.expires_at > now()) as sessions
       from member m left join wallet_suspension w on w.member_id = m.id
      where m.phone = $1 or m.id::text = lower($2) or m.code = upper($2)
      order by m.phone = $1 desc limit 1`,
    [plainPhone(text), text],
  );
  const [row] = rows;
  if (!row) return undefined;
  const { closedReason, closedSince, ...member } = row;
  return {
    ...member,
    closedWallet: closedReason === null || closedSince === null ? null : { reason: closedReason, since: closedSince },
  };
}

/** @returns false if the member has this status already */
export async function updateStatus(
  tx: Tx,
  memberId: string,
  status: MemberStatus,
  statusReason: string,
): Promise<boolean> {
  const { rowCount } = await tx.query(
    `update member set status = $2, status_reason = $3
      where id = $1 and (status, status_reason) is distinct from ($2, $3)`,
    [memberId, status, statusReason],
  );
  return rowCount === 1;
}

/** @returns false if the wallet is closed already */
export async function insertSuspension(tx: Tx, memberId: string, reason: string): Promise<boolean> {
  const { rowCount } = await tx.query(
    'insert into wallet_suspension (member_id, reason) values ($1, $2) on conflict do nothing',
    [memberId, reason],
  );
  return rowCount === 1;
}

/** @returns false if the wallet is open already */
export async function deleteSuspension(tx: Tx, memberId: string): Promise<boolean> {
  const { rowCount } = await tx.query('delete from wallet_suspension where member_id = $1', [memberId]);
  return rowCount === 1;
}

/** A bank account that no member can register, and its present member. */
export type BlockedBankAccount = { bankCode: string; accountNo: string; note: string; memberId: string | null };

export async function selectBlockedBankAccounts(on: Queryable): Promise<BlockedBankAccount[]> {
  const { rows } = await on.query<BlockedBankAccount>(
    `select b.bank_code as "bankCode", b.account_no as "accountNo", b.note, a.member_id as "memberId"
       from member_bank_account_blocked b
       left join member_bank_account a on a.bank_code = b.bank_code and a.account_no = b.account_no
      order by b.bank_code, b.account_no`,
  );
  return rows;
}

type AccountKey = Pick<BankAccountRow, 'bankCode' | 'accountNo'>;

/** @returns false if the account is blocked already */
export async function insertBlockedBankAccount(
  tx: Tx,
  { bankCode, accountNo, note }: AccountKey & { note: string },
): Promise<boolean> {
  const { rowCount } = await tx.query(
    'insert into member_bank_account_blocked (bank_code, account_no, note) values ($1, $2, $3) on conflict do nothing',
    [bankCode, accountNo, note],
  );
  return rowCount === 1;
}

/** @returns false if the account is not blocked */
export async function deleteBlockedBankAccount(tx: Tx, { bankCode, accountNo }: AccountKey): Promise<boolean> {
  const { rowCount } = await tx.query(
    'delete from member_bank_account_blocked where bank_code = $1 and account_no = $2',
    [bankCode, accountNo],
  );
  return rowCount === 1;
}

/** Whether the operator knows a bank, enabled or not. */
export async function isBankKnown(on: Queryable, bankCode: string): Promise<boolean> {
  const { rowCount } = await on.query('select from operator_data_bank where code = $1', [bankCode]);
  return rowCount > 0;
}
