import { GIFT_LINK_HOST } from '../constants.ts';

/** Invisible characters that keyboards and chat apps insert into links. */
const INVISIBLE_CHARACTERS = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;
/**
 * A token that ends in an https URL. Text may precede the scheme (joined lines), but no URL characters: a link nested
 * in another URL does not match.
 */
const WITH_SCHEME = /^[^\s/\\?#&=%@]*?https:\/\/([^]*)$/i;
const OPENING_QUOTES = /^[("'[{<«“‘「『（【]*/;
/** The ASCII characters of a URL, without trailing punctuation. */
const URL_CHARACTERS = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]*[\w\-~/=&%#]/;
const GIFT_HOST = new RegExp(`^${GIFT_LINK_HOST.replaceAll('.', '\\.')}[/?]`, 'i');
/** Exact length: the wallet app does not report whether an incomplete code exists. */
const VOUCHER_FORMAT = /^[A-Za-z0-9]{35}$/;

/**
 * Finds the voucher code of a gift link in a text: the link alone, or a message that contains it. `https://` may be
 * missing or in capitals. Undefined without a gift link, or with several vouchers. The host must be GIFT_LINK_HOST,
 * without port or credentials, and the URL must have exactly one `v`.
 */
export function findGiftVoucher(text: string): string | undefined {
  const tokens = text.replace(INVISIBLE_CHARACTERS, '').split(/\s+/);
  const vouchers = new Set(tokens.map(voucherOfToken).filter((voucher) => voucher !== undefined));
  return vouchers.size === 1 ? [...vouchers][0] : undefined;
}

/** The canonical link of a voucher. */
export const giftLink = (voucher: string): string => `https://${GIFT_LINK_HOST}/campaign/?v=${voucher}`;

function voucherOfToken(token: string): string | undefined {
  const withoutScheme = WITH_SCHEME.exec(token)?.[1] ?? token.replace(OPENING_QUOTES, '');
  const address = GIFT_HOST.test(withoutScheme) ? URL_CHARACTERS.exec(withoutScheme)?.[0] : undefined;
  if (address === undefined) return undefined;
  const [voucher, ...otherVouchers] = new URL(`https://${address}`).searchParams.getAll('v');
  return voucher !== undefined && otherVouchers.length === 0 && VOUCHER_FORMAT.test(voucher) ? voucher : undefined;
}
