import type { Database } from '../../platform/database/database.ts';
import { UserError } from '../../platform/errors.ts';
import { logOperator, type Signature } from '../../platform/operator-log.ts';
import { clearFailedAttempts } from '../operator-data/index.ts';
import { unblockPhone } from '../otp/index.ts';
import type { MemberStatus } from './account.ts';
import {
  deleteBlockedBankAccount,
  deleteSuspension,
  insertBlockedBankAccount,
  insertSuspension,
  isBankKnown,
  updateStatus,
} from './admin-queries.ts';

export {
  selectBlockedBankAccounts as blockedBankAccounts,
  selectOperatedMember as findOperatedMember,
  type BlockedBankAccount,
  type OperatedMember,
} from './admin-queries.ts';

/** Reasons of a restriction, which the refusal of the member's calls carries. */
export const restrictionReasons = ['TIME_OUT', 'SELF_EXCLUDED', 'CLOSED', 'LIMIT_REACHED'] as const;

type Subject = { memberId: string } & Signature;

/**
 * Changes a member's status. Sessions and sockets end with the reason at their next check, and work again after
 * reactivation.
 * @param statusReason '' except for `restricted`
 * @throws {UserError} the member has this status already
 */
export function setStatus(
  database: Database,
  { memberId, status, statusReason, ...signature }: Subject & { status: MemberStatus; statusReason: string },
): Promise<void> {
  const what = ['members status', status, statusReason].filter(Boolean).join(' ');
  return database.tx(async (tx) => {
    if (!(await updateStatus(tx, memberId, status, statusReason))) {
      throw new UserError(`Member ${memberId} is ${status} already.`);
    }
    await logOperator(tx, signature, { what, subject: memberId });
  });
}

/**
 * Closes or opens a member's wallet. While it is closed the member moves no money; what has begun is finished.
 * @throws {UserError} it is closed or open already
 */
export function setWallet(
  database: Database,
  { memberId, action, ...signature }: Subject & { action: 'close' | 'open' },
): Promise<void> {
  return database.tx(async (tx) => {
    const isChanged = await (action === 'close'
      ? insertSuspension(tx, memberId, signature.why)
      : deleteSuspension(tx, memberId));
    if (!isChanged) {
      throw new UserError(`The wallet of member ${memberId} is ${action === 'close' ? 'closed' : 'open'} already.`);
    }
    await logOperator(tx, signature, { what: `members wallet ${action}`, subject: memberId });
  });
}

/**
 * Forgets wrong passwords and codes, and lets the phone get codes again.
 * @param memberId undefined: no member has the phone
 * @throws {UserError} nothing locks the phone
 */
export function unlock(
  database: Database,
  { phone, memberId, ...signature }: { phone: string; memberId: string | undefined } & Signature,
): Promise<void> {
  return database.tx(async (tx) => {
    const isCleared = await clearFailedAttempts(tx, memberId === undefined ? [phone] : [phone, memberId]);
    if (!((await unblockPhone(tx, phone)) || isCleared)) throw new UserError(`Nothing locks ${phone}.`);
    // The log has no phone of a member.
    await logOperator(tx, signature, { what: 'members unlock', subject: memberId ?? phone });
  });
}

type AccountSubject = { bankCode: string; accountNo: string } & Signature;

/**
 * Blocks a bank account for registrations and changes, or unblocks it. A member who has it keeps it.
 * @throws {UserError} an unknown bank, or nothing to change
 */
export function setBankAccountBlock(
  database: Database,
  { bankCode, accountNo, action, ...signature }: AccountSubject & { action: 'block' | 'unblock' },
): Promise<void> {
  const account = { bankCode, accountNo };
  return database.tx(async (tx) => {
    if (action === 'block' && !(await isBankKnown(tx, bankCode))) throw new UserError(`There is no bank ${bankCode}.`);
    const isChanged = await (action === 'block'
      ? insertBlockedBankAccount(tx, { ...account, note: signature.why })
      : deleteBlockedBankAccount(tx, account));
    if (!isChanged) {
      throw new UserError(`${bankCode} ${accountNo} is ${action === 'block' ? 'blocked already' : 'not blocked'}.`);
    }
    await logOperator(tx, signature, { what: `bank-accounts ${action}`, subject: `${bankCode} ${accountNo}` });
  });
}
