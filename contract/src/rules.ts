import { ENGLISH_NAME_BANKS, GAME_CREDENTIAL_CHARACTERS_MAX, INVITE_PREFIX, PHONE_DIGITS } from './constants.ts';
import { plainNumber, trimPasted } from './text/digits.ts';

/**
 * The two builds of the product. In the Lao build a member chooses LAK or BAHT, and phone numbers have no fixed length.
 */
export const variants = ['th', 'lao'] as const;
export type Variant = (typeof variants)[number];

const TEN_DIGITS = new RegExp(`^\\d{${PHONE_DIGITS}}$`);
/** Mobile numbers have one digit more than landline numbers. */
const THAI_MOBILE = /^(?:(?:\+|00)?660?|0)([1-9]\d{8})$/;
const LAO_MOBILE = /^(?:(?:\+|00)?8560?|0)?(20\d{8}|30\d{7})$/;
const ENGLISH_NAME = /^[A-Za-z]+(?: +[A-Za-z]+)*$/;
/** Invisible characters inside a copied name, which the server removes. */
const INVISIBLE_CHARACTERS = /[\u200b-\u200d]/g;
const GAME_CREDENTIAL = new RegExp(`^[A-Za-z0-9]{1,${GAME_CREDENTIAL_CHARACTERS_MAX}}$`);

/**
 * The canonical form of a phone number for sending, storing and comparing: a Thai mobile number as `0812345678`, a Lao
 * one as `2055512345` or `0302345678`. Ignores country code, blanks, dashes and the script of the digits. Other text
 * only loses its separators.
 */
export function plainPhone(input: string): string {
  const digits = plainNumber(input);
  const thaiNumber = THAI_MOBILE.exec(digits)?.[1];
  if (thaiNumber !== undefined) return `0${thaiNumber}`;
  const laoNumber = LAO_MOBILE.exec(digits)?.[1];
  if (laoNumber === undefined) return digits;
  return laoNumber.startsWith('30') ? `0${laoNumber}` : laoNumber;
}

/**
 * Whether a canonical phone number ({@link plainPhone}) has the length that the variant requires; the Lao variant
 * requires none.
 */
export const hasPhoneLength = (phone: string, variant: Variant): boolean => variant === 'lao' || TEN_DIGITS.test(phone);

/** A range of canonical mobile numbers ({@link plainPhone}), `x` for any digit: Thai `06xxxxxxxx`, Lao `2055xxxxxx`. */
export const PHONE_RANGE = /^(?:0[1-9]|20)[\dx]{8}$/;

/** Whether a canonical phone number ({@link plainPhone}) is in one of the ranges. */
export const isInPhoneRanges = (phone: string, ranges: readonly string[]): boolean =>
  ranges.some((allowedRange) => new RegExp(`^${allowedRange.replaceAll('x', String.raw`\d`)}$`).test(phone));

/** Whether a bank accepts only English letters and spaces in the account holder's name. */
export const needsEnglishName = (bankCode: string): boolean => ENGLISH_NAME_BANKS.includes(bankCode);

/** Whether a name has only English letters and single spaces between words. */
export const isEnglishName = (name: string): boolean =>
  ENGLISH_NAME.test(trimPasted(name).replace(INVISIBLE_CHARACTERS, '').replace(/\s/g, ' '));

/** Digits before the last one that stay visible: of ten, and of another length. */
const VISIBLE_OF_TEN = 4;
const VISIBLE_OF_OTHERS = 3;
const MASK_CHARACTERS = /[xX*#•●_]/gu;

/**
 * Masks an account number, complete or already masked by a bank: `xxx-x-x6789-x`. Only digits that every bank shows stay
 * visible, and at most half of them, so that one account looks the same whichever bank reported it.
 */
export function maskedAccount(accountNo: string): string {
  const characters = Array.from(accountNo.replaceAll(MASK_CHARACTERS, 'x').replaceAll(/[^\p{L}\p{N}]/gu, ''));
  const { length } = characters;
  const last = length - 1;
  const first = Math.max(last - (length === 10 ? VISIBLE_OF_TEN : VISIBLE_OF_OTHERS), Math.ceil(length / 2));
  const masked = characters.map((character, at) => (at >= first && at < last ? character : 'x')).join('');
  return masked.replace(/^(.{3})(.)(.{5})(.)$/u, '$1-$2-$3-$4');
}

/** Whether a text can be a game username or password at every provider. */
export const isGameCredential = (text: string): boolean => GAME_CREDENTIAL.test(text);

const MEMBER_CODE = /^[0-9A-HJKMNP-TV-Z]{8}$/;
const MEMBER_CODE_TYPED = new RegExp(`^(?:${INVITE_PREFIX})?([0-9A-Z]{8})$`);

/**
 * Normalises a typed member code to its stored form: accepts lower case, blanks or dashes, the prefix of invite codes,
 * O for 0 and I or L for 1.
 * @returns undefined for an invalid code
 */
export function memberCodeOf(input: string): string | undefined {
  const memberCode = MEMBER_CODE_TYPED.exec(plainNumber(input).toUpperCase())?.[1];
  const code = memberCode?.replaceAll('O', '0').replace(/[IL]/g, '1');
  return code !== undefined && MEMBER_CODE.test(code) ? code : undefined;
}

/** Formats a member code for display: in two halves, for reading aloud. */
export const formatMemberCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;

/** Key of a movement of money: an own reference, or `line-` and the `_id` of a statement entry. */
export const MONEY_KEY = /^(?:line-[1-9]\d{0,18}|[A-Z0-9]{1,32})$/;
