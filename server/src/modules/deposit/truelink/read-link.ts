import { createDecipheriv, createHash } from 'node:crypto';
import { GIFT_LINK_HOST } from '@krapao/contract/constants';
import { Refusal } from '../../../platform/refusal.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const BASE64 =
  /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$|^(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)$/;
/** Nothing that a parser would mend: no blanks, no backslashes, no other spelling of the host. */
const PLAIN = /^https:\/\/[a-z.]+\/[A-Za-z0-9\-._~!$&'()*+,;=:@%/?#]*$/;
/** A letter that was lost in copying is reported at once: the wallet app would not say whether there is such a gift. */
const HASH = /^[A-Za-z0-9]{35}$/;

/**
 * The hash of the gift in an encrypted link: base64 of a 12-byte iv, the AES-256-GCM ciphertext and its tag; the key is the
 * SHA-256 of the secret. Refuses with TRUELINK_INVALID: CANNOT_DECRYPT, or NOT_A_GIFT_LINK for anything but an https
 * address at the wallet app's host with exactly one `v`.
 */
export function readLink(encrypted: string, secret: string): string {
  const text = decrypt(encrypted, secret);
  if (text === undefined) throw new Refusal('TRUELINK_INVALID', { detail: 'CANNOT_DECRYPT' });
  const hash = hashOf(text);
  if (hash === undefined) throw new Refusal('TRUELINK_INVALID', { detail: 'NOT_A_GIFT_LINK' });
  return hash;
}

function decrypt(encrypted: string, secret: string): string | undefined {
  if (!BASE64.test(encrypted)) return undefined;
  const bytes = Buffer.from(encrypted, 'base64');
  if (bytes.length <= IV_BYTES + TAG_BYTES) return undefined;
  const key = createHash('sha256').update(secret).digest();
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(-TAG_BYTES));
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]);
    return text.toString('utf8');
  } catch {
    return undefined;
  }
}

function hashOf(text: string): string | undefined {
  if (!PLAIN.test(text)) return undefined;
  const url = new URL(text);
  const values = url.searchParams.getAll('v');
  const [hash, ...more] = values;
  if (url.host !== GIFT_LINK_HOST || hash === undefined || more.length > 0) return undefined;
  return HASH.test(hash) ? hash : undefined;
}
