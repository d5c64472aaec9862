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
const DIGITS_MIN = 3;
const HIDDEN = /[xX*#•●_]/;
const SEPARATOR = /[\s\-./]/g;

/**
 * The digits of a masked account, one character each: a digit, or `?` for a hidden one.
 * @returns undefined for other characters, or for too few visible digits
 */
export function visibleDigits(masked: string): string | undefined {
  const characters = masked
    .replaceAll(SEPARATOR, '')
    .split('')
    .map((one) => (HIDDEN.test(one) ? '?' : one));
  const digits = characters.filter((one) => /^[0-9]$/.test(one)).length;
  const isPlain = characters.every((one) => one === '?' || /^[0-9]$/.test(one));
  return isPlain && digits >= DIGITS_MIN ? characters.join('') : undefined;
}

/** Whether an account matches a mask digit by digit. A mask of another length matches none. */
export function matchesMask(masked: string, accountNo: string): boolean {
  const characters = visibleDigits(masked);
  if (characters === undefined || characters.length !== accountNo.length) return false;
  return characters.split('').every((one, at) => one === '?' || one === accountNo[at]);
}

/** Whether the visible digits match the member's account and the names do not conflict. */
export function isPossibleSender(sender: Sender, holder: Pick<AccountHolder, 'accountNo' | 'accountName'>): boolean {
  return matchesMask(sender.account, holder.accountNo) && !namesConflict(sender.name, holder.accountName);
}

export type Match =
  | { match: 'MEMBER'; memberId: string; by: 'ACCOUNT' | 'NOTICE' }
  | { match: 'SEVERAL' | 'TOO_NEW'; candidates: string[] }
  | { match: 'NOBODY' };

/** A transfer and its masked sender; each reporting bank masks different digits. */
export type ReportedSender = { shown: readonly Sender[]; sentAt: Date };

/**
 * The only member who matches the sender; of several, the only one who was asked for exactly this amount.
 * Members registered or renamed after the transfer are excluded: someone who saw a stranger's transfer could register
 * a matching account.
 * @param holders members with an account at the sending bank and a wallet of this currency
 * @param asked members who were asked for exactly this amount on this account
 */
export function matchSender(
  sender: ReportedSender,
  holders: readonly AccountHolder[],
  asked: ReadonlySet<string>,
): Match {
  const matching = holders.filter((holder) => sender.shown.every((shown) => isPossibleSender(shown, holder)));
  const candidates = matching.map(({ memberId }) => memberId);
  const [one, ...others] = matching.length === 1 ? matching : matching.filter(({ memberId }) => asked.has(memberId));
  if (matching.length === 0) return { match: 'NOBODY' };
  if (one === undefined || others.length > 0) return { match: 'SEVERAL', candidates };
  if (one.since.getTime() > sender.sentAt.getTime() + CLOCK_SKEW_MS) return { match: 'TOO_NEW', candidates };
  return { match: 'MEMBER', memberId: one.memberId, by: matching.length === 1 ? 'ACCOUNT' : 'NOTICE' };
}

/**
 * What an own account shows of a sender: the digits that its bank leaves visible.
 * Members with the same pattern are indistinguishable there. Names do not count: not every bank shows them.
 * @param house the receiving account, `bank:KBANK-…`
 */
export function visiblePattern(house: string, sender: { bankCode: string; accountNo: string }): string {
  return `${house} ${sender.bankCode} ${maskedAs(house, sender.accountNo)}`;
}

/** A sender's number as shown at an own account: `x` for each hidden digit. */
export function maskedAs(house: string, accountNo: string): string {
  return accountNo
    .split('')
    .map((digit, at) => (isShown(house, at, accountNo.length) ? digit : 'x'))
    .join('');
}

function isShown(house: string, at: number, characters: number): boolean {
  if (house.startsWith('bank:KBANK-')) return at >= characters - 6;
  if (house.startsWith('bank:BCEL-')) return at < 3 || at >= characters - 4;
  return at >= characters - 5 && at < characters - 1;
}
