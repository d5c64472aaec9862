import { NAME_CHARACTERS_MAX, PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from '@krapao/contract/constants';
import type { ErrorCode } from '@krapao/contract/errors';
import { currencies, type Currency } from '@krapao/contract/money';
import { isEnglishName, needsEnglishName, type Variant } from '@krapao/contract/rules';
import { digitsOf, plainNumber } from '@krapao/contract/text/digits';
import type { Bank } from '../lookup/index.ts';
import { normalizedPassword } from '../../platform/crypto/password.ts';
import { Refusal } from '../../platform/errors.ts';
import { canonicalSpelling } from './holder-name.ts';

const HOUR_MS = 60 * 60_000;
export const SESSION_MS = 12 * HOUR_MS;
export const REMEMBERED_SESSION_MS = 30 * 24 * HOUR_MS;

export type MemberStatus = 'active' | 'inactive' | 'restricted' | 'deleted';

/** A registration as it was sent: all texts, any of them may be empty. */
export type Registration = {
  name: string;
  username: string;
  password: string;
  /** '' for none. */
  sourceCode: string;
  inviteCode: string;
  bankCode: string;
  bankAccountName: string;
  bankAccountNo: string;
  currency: string;
  /** Of the code that proved the phone. */
  otpToken: string;
};

/** Why something can't be accepted; `detail` names the field. */
export type RegistrationError = { code: ErrorCode; detail: string };

const ORDINARY = ['0123456789', '9876543210', 'abcdefghijklmnopqrstuvwxyz', 'qwertyuiop', 'asdfghjkl', 'password'];

/**
 * Whether a password is acceptable: 8 to 128 UTF-16 units in NFC, not the phone, and not one that attackers try first,
 * also in full-width letters.
 */
export function isPasswordFit(typed: string, phone: string): boolean {
  const password = normalizedPassword(typed);
  if (password.length < PASSWORD_CHARACTERS_MIN || password.length > PASSWORD_CHARACTERS_MAX) return false;
  if (password === phone || new Set(password).size === 1) return false;
  const plain = password.normalize('NFKC').toLowerCase();
  return !ORDINARY.some((row) => row.includes(plain) || `${row}${row}`.includes(plain));
}

/** Currency for life: the only one of the Thai build, or the chosen one of the Lao build (LAK when nothing is chosen). */
export function currencyOf(chosen: string, variant: Variant): Currency | undefined {
  if (chosen === '') return variant === 'lao' ? 'LAK' : 'BAHT';
  const currency = currencies.find((known) => known === chosen);
  return variant === 'th' && currency === 'LAK' ? undefined : currency;
}

const wrongUserInfo = (detail: string): RegistrationError => ({ code: 'INVALID_USER_INFO', detail });

// Blanks, what joins or parts other characters, fillers, and the Braille cell without dots.
const NOTHING_TO_SEE = /^[\s\p{Z}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** What is wrong with a display name. */
export function validateName(typed: string): RegistrationError | undefined {
  const name = typed.trim();
  return NOTHING_TO_SEE.test(name) || name.length > NAME_CHARACTERS_MAX ? wrongUserInfo('name') : undefined;
}

/** First fault of the personal data of a registration. */
export function validatePerson(
  input: Registration,
  phone: string,
  sourceCodes: readonly string[],
  variant: Variant,
): RegistrationError | undefined {
  const fault = validateName(input.name);
  if (fault) return fault;
  if (!isPasswordFit(input.password, phone)) return wrongUserInfo('password');
  if (input.sourceCode !== '' && !sourceCodes.includes(input.sourceCode)) return wrongUserInfo('sourceCode');
  if (currencyOf(input.currency, variant) === undefined) return wrongUserInfo('currency');
  return undefined;
}

/** A bank account as it was typed. */
export type TypedBankAccount = Pick<Registration, 'bankCode' | 'bankAccountName' | 'bankAccountNo'>;

export const hasBankField = (input: TypedBankAccount): boolean =>
  input.bankCode !== '' || input.bankAccountName !== '' || input.bankAccountNo !== '';

/** First fault of a bank account. */
export function validateBankAccount(input: TypedBankAccount, banks: readonly Bank[]): RegistrationError | undefined {
  const wrong = (detail: string): RegistrationError => ({ code: 'INVALID_BANK', detail });
  const bank = banks.find(({ code, isEnabled }) => isEnabled && code === input.bankCode);
  if (!bank) return wrong('bankCode');
  const digits = digitsOf(input.bankAccountNo).length;
  // Blanks and dashes are how people write numbers; a letter is a mistake.
  if (!/^\d*$/.test(plainNumber(input.bankAccountNo)) || digits < bank.digitsMin || digits > bank.digitsMax) {
    return wrong('bankAccountNo');
  }
  const name = accountHolder(input.bankAccountName);
  if (name === '') return wrong('bankAccountName');
  if (needsEnglishName(bank.code) && !isEnglishName(name)) {
    return { code: 'BANK_ACCOUNT_NAME_ENG', detail: 'bankAccountName' };
  }
  return undefined;
}

/** The holder's name as stored: canonical spelling in capitals. */
export const accountHolder = (name: string): string => canonicalSpelling(name).toUpperCase();

/** A session as stored, with the status of its member. */
export type StoredSession = {
  tokenHash: Buffer;
  memberId: string;
  currency: Currency;
  status: MemberStatus;
  statusReason: string;
  expiresAt: Date;
  supersededAt: Date | null;
  loggedOutAt: Date | null;
};

/** Why a session is refused; undefined when it is valid. */
export function sessionError(session: StoredSession | undefined, now: Date): RegistrationError | undefined {
  if (!session || session.loggedOutAt) return { code: 'invalid-token', detail: 'UNKNOWN' };
  if (session.status === 'deleted') return { code: 'INVALID_USER_1', detail: 'GONE' };
  if (session.supersededAt) return { code: 'INVALID_USER_2', detail: 'SUPERSEDED' };
  if (session.expiresAt <= now) return { code: 'EXPIRED_AUTH_TOKEN', detail: 'EXPIRED' };
  if (session.status === 'inactive') return { code: 'INVALID_USER_2', detail: 'DEACTIVATED' };
  if (session.status === 'restricted') return { code: 'INVALID_USER_4', detail: session.statusReason || 'RESTRICTED' };
  return undefined;
}

/** An operator has closed the member's wallet. */
export const noWallet = (): Refusal => new Refusal('NO_WALLET', { detail: 'SUSPENDED' });
