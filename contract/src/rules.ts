import { ENGLISH_NAME_BANKS, GAME_CREDENTIAL_CHARACTERS_MAX, PHONE_DIGITS } from './constants.ts';

/** The two builds of the product. In the Lao one a member chooses LAK or BAHT, and phone numbers have no fixed length. */
export const variants = ['th', 'lao'] as const;
export type Variant = (typeof variants)[number];

const PHONE = new RegExp(`^\\d{${PHONE_DIGITS}}$`);
const PHONE_LAO = /^\d{7,15}$/;
const ENGLISH_NAME = /^[A-Za-z]+(?: +[A-Za-z]+)*$/;
const GAME_CREDENTIAL = new RegExp(`^[A-Za-z0-9]{1,${GAME_CREDENTIAL_CHARACTERS_MAX}}$`);

/** Whether a phone number can be registered: exactly 10 digits, or 7 to 15 in the Lao variant. */
export const isPhone = (phone: string, variant: Variant): boolean =>
  (variant === 'lao' ? PHONE_LAO : PHONE).test(phone);

/** Whether a bank takes only English letters and spaces as the account holder's name. */
export const needsEnglishName = (bankCode: string): boolean => ENGLISH_NAME_BANKS.includes(bankCode);

/** English letters and single words between spaces, nothing else. */
export const isEnglishName = (name: string): boolean => ENGLISH_NAME.test(name.trim());

/** Whether a text can be a game username or password at every provider. */
export const isGameCredential = (text: string): boolean => GAME_CREDENTIAL.test(text);

/** Digits only: how bank account numbers are compared and kept. */
export const digitsOf = (text: string): string => text.replace(/\D/g, '');
