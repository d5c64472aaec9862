import { NAME_CHARACTERS_MAX, PASSWORD_CHARACTERS_MAX, PASSWORD_CHARACTERS_MIN } from '@krapao/contract/constants';
import type { ErrorCode } from '@krapao/contract/errors';
import type { Language } from '@krapao/contract/languages';
import { currencies, type Currency } from '@krapao/contract/money';
import { isEnglishName, needsEnglishName, type Variant } from '@krapao/contract/rules';
import { digitsOf, plainNumber } from '@krapao/contract/text/digits';
import { normalizedPassword } from '../../platform/crypto/password.ts';
import { Refusal } from '../../platform/errors.ts';
import type { Bank } from '../operator-data/index.ts';
import { canonicalSpelling } from './holder-name.ts';

const HOUR_MS = 60 * 60_000;
export const SESSION_MS = 12 * HOUR_MS;
export const REMEMBERED_SESSION_MS = 30 * 24 * HOUR_MS;

export type MemberStatus = 'active' | 'inactive' | 'restricted' | 'deleted';

/** A registration request. Every text may be empty. */
export type Registration = {
  name: string;
  username: string;
  password: string;
  /** Empty when the member named no source. */
  sourceCode: string;
  inviteCode: string;
  bankCode: string;
  bankAccountName: string;
  bankAccountNo: string;
  currency: string;
  /** Token of the one-time code that verified the phone. */
  otpToken: string;
};

/** Error code of a rejected registration or session; `detail` names the field or the reason. */
export type AccountError = { code: ErrorCode; detail: string };

const COMMON_PASSWORD_SEQUENCES = [
  '0123456789',
  '9876543210',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiop',
  'asdfghjkl',
  'password',
];

/**
 * Whether a password has 8 to 128 UTF-16 units in NFC, differs from the phone, and is not a common sequence. Full-width
 * letters count as their ASCII forms.
 */
export function isPasswordAcceptable(typedPassword: string, phone: string): boolean {
  const password = normalizedPassword(typedPassword);
  if (password.length < PASSWORD_CHARACTERS_MIN || password.length > PASSWORD_CHARACTERS_MAX) return false;
  if (password === phone || new Set(password).size === 1) return false;
  const foldedPassword = password.normalize('NFKC').toLowerCase();
  return !COMMON_PASSWORD_SEQUENCES.some(
    (sequence) => sequence.includes(foldedPassword) || `${sequence}${sequence}`.includes(foldedPassword),
  );
}

/** The member's permanent currency. The Thai build has only BAHT; the Lao build defaults to LAK. */
export function currencyOf(requestedCurrency: string, variant: Variant): Currency | undefined {
  if (requestedCurrency === '') return variant === 'lao' ? 'LAK' : 'BAHT';
  const currency = currencies.find((candidate) => candidate === requestedCurrency);
  return variant === 'th' && currency === 'LAK' ? undefined : currency;
}

const invalidUserInfo = (detail: string): AccountError => ({ code: 'INVALID_USER_INFO', detail });

// Blanks, joiners, filler characters and the empty Braille cell.
const INVISIBLE_ONLY = /^[\s\p{Z}\p{Default_Ignorable_Code_Point}\u2800]*$/u;

/** Validates a display name; undefined when the name is valid. */
export function validateName(typedName: string): AccountError | undefined {
  const name = typedName.trim();
  return INVISIBLE_ONLY.test(name) || name.length > NAME_CHARACTERS_MAX ? invalidUserInfo('name') : undefined;
}

/** Returns the first error in the personal data of a registration. */
export function validatePersonalData(
  input: Registration,
  phone: string,
  sourceCodes: readonly string[],
  variant: Variant,
): AccountError | undefined {
  const nameError = validateName(input.name);
  if (nameError) return nameError;
  if (!isPasswordAcceptable(input.password, phone)) return invalidUserInfo('password');
  if (input.sourceCode !== '' && !sourceCodes.includes(input.sourceCode)) return invalidUserInfo('sourceCode');
  if (currencyOf(input.currency, variant) === undefined) return invalidUserInfo('currency');
  return undefined;
}

/** A bank account as the member typed it. */
export type TypedBankAccount = Pick<Registration, 'bankCode' | 'bankAccountName' | 'bankAccountNo'>;

export const hasBankField = (input: TypedBankAccount): boolean =>
  input.bankCode !== '' || input.bankAccountName !== '' || input.bankAccountNo !== '';

export function validateBankAccount(input: TypedBankAccount, banks: readonly Bank[]): AccountError | undefined {
  const invalidBank = (detail: string): AccountError => ({ code: 'INVALID_BANK', detail });
  const bank = banks.find(({ code, isEnabled }) => isEnabled && code === input.bankCode);
  if (!bank) return invalidBank('bankCode');
  const digitCount = digitsOf(input.bankAccountNo).length;
  // Members separate digits with blanks and dashes; a letter is a mistake.
  if (!/^\d*$/.test(plainNumber(input.bankAccountNo)) || digitCount < bank.digitsMin || digitCount > bank.digitsMax) {
    return invalidBank('bankAccountNo');
  }
  const holderName = canonicalHolderName(input.bankAccountName);
  if (holderName === '') return invalidBank('bankAccountName');
  if (needsEnglishName(bank.code) && !isEnglishName(holderName)) {
    return { code: 'BANK_ACCOUNT_NAME_ENG', detail: 'bankAccountName' };
  }
  return undefined;
}

/** The holder's name as stored: canonical spelling in capitals. */
export const canonicalHolderName = (name: string): string => canonicalSpelling(name).toUpperCase();

/** A stored session with the status of its member. */
export type StoredSession = {
  tokenHash: Buffer;
  memberId: string;
  currency: Currency;
  language: Language | null;
  status: MemberStatus;
  statusReason: string;
  expiresAt: Date;
  supersededAt: Date | null;
  loggedOutAt: Date | null;
};

/** Error of an invalid session; undefined when the session is valid. */
export function sessionError(session: StoredSession | undefined, now: Date): AccountError | undefined {
  if (!session || session.loggedOutAt) return { code: 'invalid-token', detail: 'UNKNOWN' };
  if (session.status === 'deleted') return { code: 'INVALID_USER_1', detail: 'GONE' };
  if (session.supersededAt) return { code: 'INVALID_USER_2', detail: 'SUPERSEDED' };
  if (session.expiresAt <= now) return { code: 'EXPIRED_AUTH_TOKEN', detail: 'EXPIRED' };
  if (session.status === 'inactive') return { code: 'INVALID_USER_2', detail: 'DEACTIVATED' };
  if (session.status === 'restricted') return { code: 'INVALID_USER_4', detail: session.statusReason || 'RESTRICTED' };
  return undefined;
}

/** Refusal for a wallet that an operator has closed. */
export const noWalletRefusal = (): Refusal => new Refusal('NO_WALLET', { detail: 'SUSPENDED' });
