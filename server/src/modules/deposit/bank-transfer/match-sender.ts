import { namesConflict } from '../../account/index.ts';
import type { Sender } from './bank-transfer.ts';

/** A member's registered account: digits only, and the holder's name in capitals. */
export type AccountHolder = {
  memberId: string;
  accountNo: string;
  accountName: string;
  /** Since when the account stands there under this name. */
  since: Date;
};

/** Clocks differ, and banks tell whole minutes. */
const CLOCKS_DIFFER_MS = 2 * 60_000;

/** Fewer visible digits than this say nothing: too many accounts of a bank would agree. */
const DIGITS_MIN = 3;
const HIDDEN = /[xX*#•●_]/;
const SEPARATOR = /[\s\-./]/g;

/**
 * The digits of a masked account, one character each: a digit, or `?` for a hidden one.
 * @returns undefined when it can't be an account: other characters, or too few digits to identify a member
 */
export function visibleDigits(masked: string): string | undefined {
  const places = masked
    .replaceAll(SEPARATOR, '')
    .split('')
    .map((one) => (HIDDEN.test(one) ? '?' : one));
  const digits = places.filter((one) => /^[0-9]$/.test(one)).length;
  const isPlain = places.every((one) => one === '?' || /^[0-9]$/.test(one));
  return isPlain && digits >= DIGITS_MIN ? places.join('') : undefined;
}

/** Whether an account agrees, place by place, with what is visible of another. Masks that leave places out agree with none. */
export function matchesMask(masked: string, accountNo: string): boolean {
  const places = visibleDigits(masked);
  if (places === undefined || places.length !== accountNo.length) return false;
  return places.split('').every((one, at) => one === '?' || one === accountNo[at]);
}

/** Whether a sender can be this member: the visible digits agree, and the name doesn't contradict. */
export function isPossibleSender(sender: Sender, holder: Pick<AccountHolder, 'accountNo' | 'accountName'>): boolean {
  return matchesMask(sender.account, holder.accountNo) && !namesConflict(sender.name, holder.accountName);
}

export type Match =
  | { match: 'MEMBER'; memberId: string; by: 'ACCOUNT' | 'NOTICE' }
  | { match: 'SEVERAL' | 'TOO_NEW'; candidates: string[] }
  | { match: 'NOBODY' };

/** A transfer by what is known of who sent it: each bank that tells of it hides other places of the number. */
export type ReportedSender = { shown: readonly Sender[]; sentAt: Date };

/**
 * Whose transfer it is. The only member that the sender can be; of several the only one who was asked to send exactly this
 * distinct amount to this account; else no member is picked. Nor is a member who was not there yet when it was sent,
 * or had another name: a person who has seen a stranger's transfer can register what fits it.
 * @param holders members with an account at the sending bank and a wallet of this currency
 * @param noticeOf members who were asked for exactly this amount on this account
 */
export function matchSender(
  sender: ReportedSender,
  holders: readonly AccountHolder[],
  noticeOf: ReadonlySet<string>,
): Match {
  const fitting = holders.filter((holder) => sender.shown.every((shown) => isPossibleSender(shown, holder)));
  const candidates = fitting.map(({ memberId }) => memberId);
  const asked = fitting.filter(({ memberId }) => noticeOf.has(memberId));
  const [one, ...others] = fitting.length === 1 ? fitting : asked;
  if (fitting.length === 0) return { match: 'NOBODY' };
  if (one === undefined || others.length > 0) return { match: 'SEVERAL', candidates };
  if (one.since.getTime() > sender.sentAt.getTime() + CLOCKS_DIFFER_MS) return { match: 'TOO_NEW', candidates };
  return { match: 'MEMBER', memberId: one.memberId, by: fitting.length === 1 ? 'ACCOUNT' : 'NOTICE' };
}

/**
 * What an account of ours shows of a sender's number: the places that its bank leaves visible, everything else hidden.
 * Members with the same look can't be distinguished by a line there. Names don't count: not every bank shows them.
 * @param house the account that receives, `bank:KBANK-…`
 */
export function visiblePattern(house: string, sender: { bankCode: string; accountNo: string }): string {
  return `${house} ${sender.bankCode} ${maskedAs(house, sender.accountNo)}`;
}

/** A sender's number as an account of ours shows it: `x` for each hidden digit. */
export function maskedAs(house: string, accountNo: string): string {
  return accountNo
    .split('')
    .map((digit, at) => (isShown(house, at, accountNo.length) ? digit : 'x'))
    .join('');
}

function isShown(house: string, at: number, places: number): boolean {
  if (house.startsWith('bank:KBANK-')) return at >= places - 6;
  if (house.startsWith('bank:BCEL-')) return at < 3 || at >= places - 4;
  return at >= places - 5 && at < places - 1;
}
