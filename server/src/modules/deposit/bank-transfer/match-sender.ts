import { namesConflict } from '../../account/index.ts';
import type { Sender } from './bank-transfer.ts';

/** A member's registered account: digits only, and the holder's name in capitals. */
export type AccountHolder = {
  memberId: string;
  accountNo: string;
  accountName: string;
  /** When the account was registered under this name. */
  since: Date;
};

/** Tolerance for clock skew, and for banks that report whole minutes. */
const CLOCK_SKEW_MS = 2 * 60_000;

/** With fewer visible digits, too many accounts of a bank match. */
const VISIBLE_DIGITS_MIN = 3;
const MASK_CHARACTER = /[xX*#•●_]/;
const SEPARATOR = /[\s\-./]/g;

/**
 * Visible digits of a masked account number, one character per position: a digit, or `?` for a masked one.
 * @returns undefined for other characters, or for too few visible digits
 */
export function visibleDigits(maskedAccount: string): string | undefined {
  const characters = maskedAccount
    .replaceAll(SEPARATOR, '')
    .split('')
    .map((character) => (MASK_CHARACTER.test(character) ? '?' : character));
  const visibleCount = characters.filter((character) => /^[0-9]$/.test(character)).length;
  const isValidMask = characters.every((character) => character === '?' || /^[0-9]$/.test(character));
  return isValidMask && visibleCount >= VISIBLE_DIGITS_MIN ? characters.join('') : undefined;
}

/** Whether an account matches a mask digit by digit. A mask of another length matches none. */
export function matchesMask(maskedAccount: string, accountNo: string): boolean {
  const digitPattern = visibleDigits(maskedAccount);
  if (digitPattern === undefined || digitPattern.length !== accountNo.length) return false;
  return digitPattern.split('').every((character, index) => character === '?' || character === accountNo[index]);
}

/** Whether the visible digits match the member's account and the names do not conflict. */
export function isPossibleSender(sender: Sender, holder: Pick<AccountHolder, 'accountNo' | 'accountName'>): boolean {
  return matchesMask(sender.account, holder.accountNo) && !namesConflict(sender.name, holder.accountName);
}

export type Match =
  /** `by`: the account, or the announced amount, identified the member. */
  | { match: 'MEMBER'; memberId: string; by: 'ACCOUNT' | 'NOTICE' }
  | { match: 'SEVERAL' | 'TOO_NEW'; candidates: string[] }
  | { match: 'NOBODY' };

/** A transfer and its masked sender; each reporting bank masks different digits. */
export type ReportedSender = { maskedSenders: readonly Sender[]; sentAt: Date };

/**
 * Finds the only member who matches the sender. If several match, the only one of them who was asked for exactly this
 * amount. Members registered or renamed after the transfer are excluded: someone who saw another person's transfer
 * could register a matching account.
 * @param holders members with an account at the sending bank and a wallet of this currency
 * @param askedMemberIds members who were asked for exactly this amount on this account
 */
export function matchSender(
  sender: ReportedSender,
  holders: readonly AccountHolder[],
  askedMemberIds: ReadonlySet<string>,
): Match {
  const matchingHolders = holders.filter((holder) =>
    sender.maskedSenders.every((maskedSender) => isPossibleSender(maskedSender, holder)),
  );
  const candidates = matchingHolders.map(({ memberId }) => memberId);
  const [matchedHolder, ...otherHolders] =
    matchingHolders.length === 1
      ? matchingHolders
      : matchingHolders.filter(({ memberId }) => askedMemberIds.has(memberId));
  if (matchingHolders.length === 0) return { match: 'NOBODY' };
  if (matchedHolder === undefined || otherHolders.length > 0) return { match: 'SEVERAL', candidates };
  if (matchedHolder.since.getTime() > sender.sentAt.getTime() + CLOCK_SKEW_MS) return { match: 'TOO_NEW', candidates };
  return { match: 'MEMBER', memberId: matchedHolder.memberId, by: matchingHolders.length === 1 ? 'ACCOUNT' : 'NOTICE' };
}

/**
 * The digits of a sender that an own account's bank leaves visible. Members with the same pattern are indistinguishable
 * at that account. Names are ignored, because not every bank shows them.
 * @param houseAccount the receiving account, `bank:KBANK-…`
 */
export function visiblePattern(houseAccount: string, sender: { bankCode: string; accountNo: string }): string {
  return `${houseAccount} ${sender.bankCode} ${maskAccountNo(houseAccount, sender.accountNo)}`;
}

/** Masks a sender's account number as the own account's bank does: `x` for each hidden digit. */
export function maskAccountNo(houseAccount: string, accountNo: string): string {
  return accountNo
    .split('')
    .map((digit, index) => (isDigitVisible(houseAccount, index, accountNo.length) ? digit : 'x'))
    .join('');
}

function isDigitVisible(houseAccount: string, index: number, length: number): boolean {
  if (houseAccount.startsWith('bank:KBANK-')) return index >= length - 6;
  if (houseAccount.startsWith('bank:BCEL-')) return index < 3 || index >= length - 4;
  return index >= length - 5 && index < length - 1;
}
