import { GIFT_LINK_HOST } from '../constants.ts';

/** Invisible characters that keyboards and chat apps insert into links. */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;
/**
 * A token that ends in an https address. Text may precede the scheme (joined lines), but no address characters: a link
 * nested in another address does not match.
 */
const WITH_SCHEME = /^[^\s/\\?#&=%@]*?https:\/\/([^]*)$/i;
const OPENING = /^[("'[{<«“‘「『（【]*/;
/** The ASCII part of an address, without trailing punctuation. */
const ADDRESS = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]*[\w\-~/=&%#]/;
const HOST = new RegExp(`^${GIFT_LINK_HOST.replaceAll('.', '\\.')}[/?]`, 'i');
/** Exact length: the wallet app does not report whether an incomplete code exists. */
const VOUCHER = /^[A-Za-z0-9]{35}$/;

/**
 * Finds the voucher code of the wallet app's gift link in a text: the link alone, or a message that contains it.
 * `https://` may be missing or in capitals. Undefined without such a link, or with several vouchers.
 * The host is exactly GIFT_LINK_HOST, without a port or credentials, and the address has exactly one `v`.
 */
export function findGiftVoucher(text: string): string | undefined {
  const words = text.replace(INVISIBLE, '').split(/\s+/);
  const vouchers = new Set(words.map(voucherOfToken).filter((voucher) => voucher !== undefined));
  return vouchers.size === 1 ? [...vouchers][0] : undefined;
}

/** The canonical link of a voucher. */
export const giftLink = (voucher: string): string => `https://${GIFT_LINK_HOST}/campaign/?v=${voucher}`;

function voucherOfToken(word: string): string | undefined {
  const rest = WITH_SCHEME.exec(word)?.[1] ?? word.replace(OPENING, '');
  const address = HOST.test(rest) ? ADDRESS.exec(rest)?.[0] : undefined;
  if (address === undefined) return undefined;
  const [voucher, ...more] = new URL(`https://${address}`).searchParams.getAll('v');
  return voucher !== undefined && more.length === 0 && VOUCHER.test(voucher) ? voucher : undefined;
}
