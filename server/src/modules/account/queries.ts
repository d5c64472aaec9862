import type { Language } from '@krapao/contract/languages';
import type { Currency } from '@krapao/contract/money';
import { plainPhone } from '@krapao/contract/rules';
import { type SnapshotField, snapshotField } from '../../platform/database/batched-reads.ts';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { hideFromPlanner } from '../../platform/database/statements.ts';
import type { MemberStatus, StoredSession } from './account.ts';

export type MemberRow = {
  id: string;
  phone: string;
  name: string;
  currency: Currency;
  inviteCode: string;
  /** Short code of the member, easy to read out. */
  memberCode: string;
  createdAt: Date;
};
export type BankAccountRow = { bankCode: string; accountNo: string; accountName: string };
export type MemberCredentials = {
  id: string;
  phone: string;
  passwordHash: string;
  status: MemberStatus;
  statusReason: string;
  /** Whether the member has logged in from this network before. */
  isKnownNetwork: boolean;
};

/**
 * Inserts a member with a database-generated code. The unique constraints `member_phone_unique` and
 * `member_bank_account_unique` decide races. A violation of `member_code_unique` means that another member has the
 * code.
 * @returns the code
 */
export async function insertMember(
  tx: Tx,
  member: Omit<MemberRow, 'memberCode'> & { passwordHash: string; sourceCode: string },
  bankAccount: BankAccountRow,
): Promise<string> {
  const { rows } = await tx.query<{ memberCode: string }>(
    `insert into member (id, phone, name, password_hash, currency, source_code, invite_code, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8) returning code as "memberCode"`,
    [
      member.id,
      member.phone,
      member.name,
      member.passwordHash,
      member.currency,
      member.sourceCode,
      member.inviteCode,
      member.createdAt,
    ],
  );
  await tx.query(
    `insert into member_bank_account (member_id, bank_code, account_no, account_name, created_at)
     values ($1, $2, $3, $4, $5)`,
    [member.id, bankAccount.bankCode, bankAccount.accountNo, bankAccount.accountName, member.createdAt],
  );
  return (rows[0] as { memberCode: string }).memberCode;
}

export async function isPhoneTaken(db: Queryable, phone: string): Promise<boolean> {
  const { rowCount } = await db.query('select from member where phone = $1', [phone]);
  return rowCount > 0;
}

/** Whether a bank account is registered to a member or blocked for registrations. */
export async function isBankAccountTaken(db: Queryable, bankCode: string, accountNo: string): Promise<boolean> {
  const { rowCount } = await db.query(
    `select from member_bank_account where bank_code = $1 and account_no = $2
     union all select from member_bank_account_blocked where bank_code = $1 and account_no = $2`,
    [bankCode, accountNo],
  );
  return rowCount > 0;
}

export async function selectMember(db: Queryable, id: string): Promise<MemberRow | undefined> {
  const { rows } = await db.query<MemberRow>(
    `select id, phone, name, currency, invite_code as "inviteCode", code as "memberCode", created_at as "createdAt"
     from member where id = $1 and status <> 'deleted'`,
    [id],
  );
  return rows[0];
}

type PersonJson = Omit<MemberRow, 'createdAt'> & { createdAt: string; bankAccount: BankAccountRow | null };

export type Person = { member: MemberRow; bankAccount: BankAccountRow | null };

/** A member and their bank account; undefined when the member is deleted. */
export const person: SnapshotField<Person | undefined> = snapshotField(
  `select json_build_object('id', m.id, 'phone', m.phone, 'name', m.name, 'currency', m.currency,
     'inviteCode', m.invite_code, 'memberCode', m.code, 'createdAt', m.created_at, 'bankAccount', (
       select json_build_object('bankCode', b.bank_code, 'accountNo', b.account_no, 'accountName', b.account_name)
         from member_bank_account b where b.member_id = m.id))
   from member m where m.id = asked.member_id and m.status <> 'deleted'`,
  (json: PersonJson | null) => {
    if (!json) return undefined;
    const { bankAccount, createdAt, ...member } = json;
    return { member: { ...member, createdAt: new Date(createdAt) }, bankAccount };
  },
);

/** Finds a member with status active by id or short code. */
export async function selectActiveMember(
  db: Queryable,
  key: { id: string } | { memberCode: string },
): Promise<Pick<MemberRow, 'id' | 'currency'> | undefined> {
  const [column, value] = 'id' in key ? ['id', key.id] : ['code', key.memberCode];
  const { rows } = await db.query<Pick<MemberRow, 'id' | 'currency'>>(
    `select id, currency from member where ${column} = $1 and status = 'active'`,
    [value],
  );
  return rows[0];
}

/** Reads the current names of members by id. */
export async function selectNames(db: Queryable, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await db.query<{ id: string; name: string }>(
    'select id, name from member where id = any($1::uuid[])',
    [ids],
  );
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export async function selectBankAccount(db: Queryable, memberId: string): Promise<BankAccountRow | undefined> {
  const { rows } = await db.query<BankAccountRow>(
    `select bank_code as "bankCode", account_no as "accountNo", account_name as "accountName"
     from member_bank_account where member_id = $1`,
    [memberId],
    { name: 'account-bank-account' },
  );
  return rows[0];
}

/** Reads the bank account and locks its row until the transaction ends. */
export async function lockBankAccount(tx: Tx, memberId: string): Promise<BankAccountRow | undefined> {
  const { rows } = await tx.query<BankAccountRow>(
    `select bank_code as "bankCode", account_no as "accountNo", account_name as "accountName"
     from member_bank_account where member_id = $1 for no key update`,
    [memberId],
  );
  return rows[0];
}

export async function updateHolderName(tx: Tx, memberId: string, accountName: string): Promise<void> {
  await tx.query('update member_bank_account set account_name = $2 where member_id = $1', [memberId, accountName]);
}

export async function updateMemberName(tx: Tx, memberId: string, name: string): Promise<void> {
  await tx.query('update member set name = $2 where id = $1', [memberId, name]);
}

/**
 * Replaces a member's bank account; its creation time becomes `changedAt`. Violates `member_bank_account_unique` when
 * another member has the account.
 */
export async function replaceBankAccount(
  tx: Tx,
  memberId: string,
  { bankCode, accountNo, accountName }: BankAccountRow,
  changedAt: Date,
): Promise<void> {
  await tx.query(
    `insert into member_bank_account (member_id, bank_code, account_no, account_name, created_at)
     values ($1, $2, $3, $4, $5)
     on conflict (member_id) do update set bank_code = $2, account_no = $3, account_name = $4, created_at = $5`,
    [memberId, bankCode, accountNo, accountName, changedAt],
  );
}

/** An entry of the change log of bank accounts. Fields without `After` are the values before the change. */
export type BankAccountChange = BankAccountRow & {
  memberId: string;
  nameAfter: string;
  /** Undefined when only the holder's name changed. */
  accountAfter?: BankAccountRow;
  requestId: string;
  address: string;
  at: Date;
};

export async function insertBankAccountChange(tx: Tx, change: BankAccountChange): Promise<void> {
  await tx.query(
    `insert into member_bank_account_rename
       (member_id, bank_code, account_no, name_before, name_after, request_id, address, at, bank_code_after, account_no_after)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
    [
      change.memberId,
      change.bankCode,
      change.accountNo,
      change.accountName,
      change.nameAfter,
      change.requestId,
      change.address,
      change.at,
      change.accountAfter?.bankCode ?? null,
      change.accountAfter?.accountNo ?? null,
    ],
  );
}

/** The registered bank account, or null. */
export const bankAccount: SnapshotField<BankAccountRow | null> = snapshotField(
  `select json_build_object('bankCode', a.bank_code, 'accountNo', a.account_no, 'accountName', a.account_name)
     from member_bank_account a where a.member_id = asked.member_id`,
  (account: BankAccountRow | null) => account,
);

/** Time of the last change of the account, or of an already English holder name; null if there was none. */
export const lastRenameAt: SnapshotField<Date | null> = snapshotField(
  `select max(r.at) from member_bank_account_rename r
    where r.member_id = asked.member_id and (r.name_before ~ '^[A-Za-z ]+$' or r.account_no_after is not null)`,
  (renamedAt: Date | null) => renamedAt,
);

/** Finds credentials for a login; deleted members are excluded. @param network as returned by `networkPrefix` */
export async function findCredentials(
  db: Queryable,
  key: { phone: string } | { memberId: string },
  network: string,
): Promise<MemberCredentials | undefined> {
  const [column, value] = 'phone' in key ? ['phone', key.phone] : ['id', key.memberId];
  const { rows } = await db.query<MemberCredentials>(
    `select id, phone, password_hash as "passwordHash", status, status_reason as "statusReason",
       exists (select from member_session s where s.member_id = m.id and s.address <<= $2::inet) as "isKnownNetwork"
     from member m where ${column} = $1 and status <> 'deleted'`,
    [value, network],
  );
  return rows[0];
}

export type NewSession = {
  tokenHash: Buffer;
  memberId: string;
  address: string;
  language: Language | null;
  remembered: boolean;
  createdAt: Date;
  expiresAt: Date;
};

export async function insertSession(
  db: Queryable,
  { tokenHash, memberId, address, language, remembered, createdAt, expiresAt }: NewSession,
): Promise<void> {
  await db.query(
    `insert into member_session (token_hash, member_id, address, language, remembered, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [tokenHash, memberId, address, language, remembered, createdAt, expiresAt],
  );
}

export async function updateLanguage(db: Queryable, tokenHash: Buffer, language: Language): Promise<void> {
  await db.query('update member_session set language = $2 where token_hash = $1', [tokenHash, language], {
    name: 'session-language',
  });
}

/** Prepared, because every authenticated request runs it. Unknown tokens return no row. */
export async function selectSessions(db: Queryable, tokenHashes: readonly Buffer[]): Promise<StoredSession[]> {
  const { rows } = await db.query<StoredSession>(
    `select s.token_hash as "tokenHash", s.member_id as "memberId", m.currency, s.language, m.status,
       m.status_reason as "statusReason", s.expires_at as "expiresAt", s.superseded_at as "supersededAt",
       s.logged_out_at as "loggedOutAt"
     from member_session s join member m on m.id = s.member_id
     where s.token_hash = any(${hideFromPlanner('$1::bytea[]')})`,
    [tokenHashes],
    { name: 'sessions-of-tokens' },
  );
  return rows;
}

/** Ends a session. The row is kept, because its address marks a known network. */
export async function endSession(db: Queryable, tokenHash: Buffer, now: Date): Promise<void> {
  await db.query('update member_session set logged_out_at = $2 where token_hash = $1', [tokenHash, now]);
}

/** Ends all other sessions of a member. The rows are kept, so that later requests get the reason. */
export async function supersedeOtherSessions(
  tx: Tx,
  memberId: string,
  remainingTokenHash: Buffer,
  now: Date,
): Promise<void> {
  await tx.query(
    `update member_session set superseded_at = $3
     where member_id = $1 and token_hash <> $2 and superseded_at is null and logged_out_at is null
       and expires_at > $3`,
    [memberId, remainingTokenHash, now],
  );
}

/** Changes a password unless it has changed since it was checked. @returns whether it was changed */
export async function updatePassword(tx: Tx, memberId: string, currentHash: string, newHash: string): Promise<boolean> {
  const { rowCount } = await tx.query('update member set password_hash = $3 where id = $1 and password_hash = $2', [
    memberId,
    currentHash,
    newHash,
  ]);
  return rowCount === 1;
}

export async function deleteSessionsExpiredBefore(db: Queryable, cutoff: Date): Promise<void> {
  await db.query('delete from member_session where expires_at < $1', [cutoff]);
}

/** Whether an operator has closed the member's wallet. */
export const suspended: SnapshotField<boolean> = snapshotField(
  'select exists (select from wallet_suspension s where s.member_id = asked.member_id)',
  (isSuspended: boolean) => isSuspended,
);

/** A member found by their registered bank account. */
export type HolderRow = {
  memberId: string;
  bankCode: string;
  accountNo: string;
  accountName: string;
  /** Time since which the account has had this holder name. */
  since: Date;
};

/**
 * Members with a wallet of the currency whose account at one of the banks agrees with the digits, position by position.
 * @param filter `digits` has one character for each position: a digit, or `?` for an unknown digit
 */
export async function selectAccountHolders(
  db: Queryable,
  filter: { bankCodes: readonly string[]; digits: string; currency: Currency },
): Promise<HolderRow[]> {
  const { rows } = await db.query<HolderRow>(
    `select a.member_id as "memberId", a.bank_code as "bankCode", a.account_no as "accountNo",
       a.account_name as "accountName",
       greatest(a.created_at, (select max(r.at) from member_bank_account_rename r where r.member_id = a.member_id)) as since
     from member_bank_account a join member m on m.id = a.member_id
     where a.bank_code = any($1) and a.account_no like $2 and m.currency = $3 and m.status <> 'deleted'`,
    [filter.bankCodes, filter.digits.replaceAll('?', '_'), filter.currency],
  );
  return rows;
}

/** Finds the member of a phone with a wallet of the currency. */
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

export async function selectMemberByPhoneIdOrCode(db: Queryable, text: string): Promise<string | undefined> {
  const { rows } = await db.query<{ id: string }>(
    `select id from member where (phone = $1 or id::text = lower($2) or code = upper($2)) and status <> 'deleted'
      order by phone = $1 desc limit 1`,
    [plainPhone(text), text],
  );
  return rows[0]?.id;
}

export async function selectPhones(db: Queryable, memberIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const { rows } = await db.query<{ id: string; phone: string }>(
    'select id::text as id, phone from member where id = any($1::uuid[])',
    [memberIds],
  );
  return new Map(rows.map(({ id, phone }) => [id, phone]));
}

/** A member's choices. */
export type MemberSettings = { bringsMoneyHome: boolean };

export async function selectSettings(db: Queryable, memberId: string): Promise<MemberSettings> {
  const { rows } = await db.query<MemberSettings>(
    'select brings_money_home as "bringsMoneyHome" from member_setting where member_id = $1',
    [memberId],
    { name: 'member-settings' },
  );
  return rows[0] ?? { bringsMoneyHome: false };
}

export async function saveSettings(
  db: Queryable,
  memberId: string,
  { bringsMoneyHome }: MemberSettings,
): Promise<void> {
  await db.query(
    `insert into member_setting (member_id, brings_money_home) values ($1, $2)
     on conflict (member_id) do update set brings_money_home = excluded.brings_money_home`,
    [memberId, bringsMoneyHome],
    { name: 'member-settings-save' },
  );
}
