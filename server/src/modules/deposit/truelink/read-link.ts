import { createDecipheriv, createHash } from 'node:crypto';
import { findGiftVoucher } from '@krapao/contract/input/gift-link';
import { Refusal } from '../../../platform/refusal.ts';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const BASE64 =
  /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$|^(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)$/;

/**
 * The hash of the gift in an encrypted link: base64 of a 12-byte iv, the AES-256-GCM ciphertext and its tag; the key is the
 * SHA-256 of the secret. Refuses with TRUELINK_INVALID: CANNOT_DECRYPT, or NOT_A_GIFT_LINK for a text without exactly one
 * gift link, see {@link findGiftVoucher}.
 */
export function readLink(encrypted: string, secret: string): string {
  const text = decrypt(encrypted, secret);
  if (text === undefined) throw new Refusal('TRUELINK_INVALID', { detail: 'CANNOT_DECRYPT' });
  const hash = findGiftVoucher(text);
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
