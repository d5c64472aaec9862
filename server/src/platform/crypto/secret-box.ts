import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import { randomBytesOf } from '../ids.ts';

export type SecretBox = {
  /** Encrypts a text for storage. `context` (for example the id of its row) must be the same when it is opened. */
  seal(text: string, context: string): Buffer;
  /** Deterministic: the same text and context give the same bytes; for addresses that have to be stable. */
  sealAlike(text: string, context: string): Buffer;
  /** Throws when the bytes were changed, belong to another context, or were sealed with a key that is not known. */
  open(sealed: Buffer, context: string): string;
  /** Whether it was sealed with the key that seals now, not with another that is known. */
  isCurrent(sealed: Buffer, context: string): boolean;
};

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encryption at rest: AES-256-GCM. Keys have 32 bytes and are kept outside the database.
 * @param key seals and opens
 * @param others open only: those before and after it, while one replaces the other
 */
export function createSecretBox(key: Buffer, others: readonly Buffer[] = []): SecretBox {
  if ([key, ...others].some(({ length }) => length !== 32)) {
    throw new Error('the key of the secret box must have 32 bytes');
  }
  const sealWith = (nonce: Buffer, text: string, context: string): Buffer => {
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context, 'utf8'));
    const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.from([VERSION]), nonce, cipher.getAuthTag(), body]);
  };
  // A separate key derives nonces from the text: never the same nonce for two texts.
  const nonceKey = createHmac('sha256', key).update('nonce of what is sealed alike').digest();
  return {
    seal: (text, context) => sealWith(randomBytesOf(NONCE_BYTES), text, context),
    sealAlike(text, context) {
      const nonce = createHmac('sha256', nonceKey).update(`${context.length} ${context} ${text}`).digest();
      return sealWith(nonce.subarray(0, NONCE_BYTES), text, context);
    },
    open(sealed, context) {
      for (const other of [key, ...others]) {
        const text = openWith(other, sealed, context);
        if (text !== undefined) return text;
      }
      throw new Error('changed, of another context, or sealed with an unknown key');
    },
    isCurrent: (sealed, context) => openWith(key, sealed, context) !== undefined,
  };
}

function openWith(key: Buffer, sealed: Buffer, context: string): string | undefined {
  if (sealed[0] !== VERSION) throw new Error('sealed by an unknown version');
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
  const body = sealed.subarray(1 + NONCE_BYTES + TAG_BYTES);
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(context, 'utf8')).setAuthTag(tag);
    return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
