const LOCAL_DIGITS = /[\u0e50-\u0e59\u0ed0-\u0ed9]/g;
const BETWEEN = /[\s\-.()/\u2010-\u2015\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;

/**
 * A Thai or Lao mobile number in the form in which the app sends it, whichever country code, blanks, dashes, Thai or Lao digits
 * it was typed or pasted with: the phone takes what the app takes.
 * @returns undefined for what is no such number
 */
export function mobileNumber(typed) {
  const bare = typed.replace(LOCAL_DIGITS, (digit) => String(digit.charCodeAt(0) & 0xf)).replace(BETWEEN, '');
  const thai = /^(?:(?:\+|00)?660?|0)([6-9]\d{8})$/.exec(bare)?.[1];
  if (thai) return `0${thai}`;
  const lao = /^(?:(?:\+|00)?8560?|0)?(20\d{8}|30\d{7})$/.exec(bare)?.[1];
  if (!lao) return undefined;
  return lao.startsWith('30') ? `0${lao}` : lao;
}
