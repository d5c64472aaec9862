import { ENGLISH_NAME_BANKS, GAME_CREDENTIAL_CHARACTERS_MAX, INVITE_PREFIX, PHONE_DIGITS } from './constants.ts';
import { plainNumber } from './text/digits.ts';

/** The two builds of the product. In the Lao one a member chooses LAK or BAHT, and phone numbers have no fixed length. */
export const variants = ['th', 'lao'] as const;
export type Variant = (typeof variants)[number];

const TEN_DIGITS = new RegExp(`^\\d{${PHONE_DIGITS}}$`);
/** Mobile numbers have one digit more than landline numbers. */
const THAI_MOBILE = /^(?:(?:\+|00)?660?|0)([1-9]\d{8})$/;
const LAO_MOBILE = /^(?:(?:\+|00)?8560?|0)?(20\d{8}|30\d{7})$/;
const ENGLISH_NAME = /^[A-Za-z]+(?: +[A-Za-z]+)*$/;
/** Invisible characters of a copied name; the server removes them. */
const INVISIBLE = /[\u200b-\u200d]/g;
const GAME_CREDENTIAL = new RegExp(`^[A-Za-z0-9]{1,${GAME_CREDENTIAL_CHARACTERS_MAX}}$`);

/**
 * The one form in which a phone number is sent, kept and compared: a Thai mobile number as `0812345678`, a Lao one as
 * `2055512345` or `0302345678`, whichever country code, blanks, dashes or digits it was typed with. From any
 * other text only the separators are removed.
 */
export function plainPhone(typed: string): string {
  const bare = plainNumber(typed);
  const thai = THAI_MOBILE.exec(bare)?.[1];
  if (thai !== undefined) return `0${thai}`;
  const lao = LAO_MOBILE.exec(bare)?.[1];
  if (lao === undefined) return bare;
  return lao.startsWith('30') ? `0${lao}` : lao;
}

/**
 * Whether a phone number, in the form of {@link plainPhone}, has the length that a variant requires; the Lao variant
 * requires none.
 */
export const hasPhoneLength = (phone: string, variant: Variant): boolean => variant === 'lao' || TEN_DIGITS.test(phone);

/** A range of mobile numbers in the form of {@link plainPhone}, `x` for any digit: Thai `06xxxxxxxx`, Lao `2055xxxxxx`. */
export const PHONE_RANGE = /^(?:0[1-9]|20)[\dx]{8}$/;

/** Whether a phone number, in the form of {@link plainPhone}, is in one of the ranges. */
export const isInPhoneRanges = (phone: string, ranges: readonly string[]): boolean =>
  ranges.some((range) => new RegExp(`^${range.replaceAll('x', String.raw`\d`)}$`).test(phone));

/** Whether a bank takes only English letters and spaces as the account holder's name. */
export const needsEnglishName = (bankCode: string): boolean => ENGLISH_NAME_BANKS.includes(bankCode);

/** English letters and single words between spaces, nothing else. */
export const isEnglishName = (name: string): boolean =>
  ENGLISH_NAME.test(name.replace(INVISIBLE, '').replace(/\s/g, ' ').trim());

/** Whether a text can be a game username or password at every provider. */
export const isGameCredential = (text: string): boolean => GAME_CREDENTIAL.test(text);

const MEMBER_CODE = /^[0-9A-HJKMNP-TV-Z]{8}$/;
const MEMBER_CODE_TYPED = new RegExp(`^(?:${INVITE_PREFIX})?([0-9A-Z]{8})$`);

/**
 * Normalises a typed short code of a member to its stored form: accepts lower case, blanks or dashes, the prefix of
 * invite codes, O for 0 and I or L for 1.
 * @returns undefined for a text that is no valid code
 */
export function memberCodeOf(typed: string): string | undefined {
  const bare = MEMBER_CODE_TYPED.exec(plainNumber(typed).toUpperCase())?.[1];
  const code = bare?.replaceAll('O', '0').replace(/[IL]/g, '1');
  return code !== undefined && MEMBER_CODE.test(code) ? code : undefined;
}

/** A member's short code as it is displayed: in two halves, for reading aloud. */
export const formatMemberCode = (code: string): string => `${code.slice(0, 4)}-${code.slice(4)}`;
