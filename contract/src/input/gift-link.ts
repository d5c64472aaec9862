import { GIFT_LINK_HOST } from '../constants.ts';

/** Characters that are not seen: keyboards and chat apps put them around and into links. */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/g;
/**
 * A word that ends in an https address. Text may touch the scheme, as when the lines of a message are joined; but what
 * comes before it has no character of an address, so that a link within another address is not found.
 */
const WITH_SCHEME = /^[^\s/\\?#&=%@]*?https:\/\/([^]*)$/i;
const OPENING = /^[("'[{<«“‘「『（【]*/;
/** An address as far as ASCII goes, without the punctuation that ends a sentence. */
const ADDRESS = /^[\w\-.~:/?#[\]@!$&'()*+,;=%]*[\w\-~/=&%#]/;
const HOST = new RegExp(`^${GIFT_LINK_HOST.replaceAll('.', '\\.')}[/?]`, 'i');
/** A letter that was lost in copying is reported at once: the wallet app would not say whether there is such a gift. */
const VOUCHER = /^[A-Za-z0-9]{35}$/;

/**
 * The voucher code of the wallet app's gift link in a text, which may be the link alone or the message that it was shared
 * with; `https://` may be missing or in capitals. Undefined where there is no such link, or more than one voucher.
 * The host is exactly GIFT_LINK_HOST, without a port or credentials, and the address has exactly one `v`.
 */
export function findGiftVoucher(text: string): string | undefined {
  const words = text.replace(INVISIBLE, '').split(/\s+/);
  const vouchers = new Set(words.map(voucherOfToken).filter((voucher) => voucher !== undefined));
  return vouchers.size === 1 ? [...vouchers][0] : undefined;
}

/** The link of a voucher in its one spelling. */
export const giftLink = (voucher: string): string => `https://${GIFT_LINK_HOST}/campaign/?v=${voucher}`;

function voucherOfToken(word: string): string | undefined {
  const rest = WITH_SCHEME.exec(word)?.[1] ?? word.replace(OPENING, '');
  const address = HOST.test(rest) ? ADDRESS.exec(rest)?.[0] : undefined;
  if (address === undefined) return undefined;
  const [voucher, ...more] = new URL(`https://${address}`).searchParams.getAll('v');
  return voucher !== undefined && more.length === 0 && VOUCHER.test(voucher) ? voucher : undefined;
}
