import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto';
import { randomBytesOf } from '../ids.ts';

export type SecretBox = {
  /** Encrypts a text for storage. Opening needs the same `context`, for example the id of the row. */
  seal(text: string, context: string): Buffer;
  /** Deterministic encryption: the same text and context give the same bytes. For addresses that must be stable. */
  sealDeterministic(text: string, context: string): Buffer;
  /** Decrypts. Throws when the bytes were changed, the context differs, or the key is unknown. */
  open(sealed: Buffer, context: string): string;
  /** Whether the current key sealed the bytes, not one of the other keys. */
  isCurrent(sealed: Buffer, context: string): boolean;
};

/** No key of the box opens the bytes, or they were changed. */
export class UnknownKeyError extends Error {}

const FORMAT_VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encryption at rest: AES-256-GCM. Keys have 32 bytes and are kept outside the database.
 * @param key seals and opens
 * @param otherKeys open only: the previous and the next key during a rotation
 */
export function createSecretBox(key: Buffer, otherKeys: readonly Buffer[] = []): SecretBox {
  if ([key, ...otherKeys].some(({ length }) => length !== 32)) {
    throw new Error('the key of the secret box must have 32 bytes');
  }
  const sealWith = (nonce: Buffer, text: string, context: string): Buffer => {
    const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context, 'utf8'));
    const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.from([FORMAT_VERSION]), nonce, cipher.getAuthTag(), ciphertext]);
  };
  // A separate key derives the nonce from the text, so that two texts never share a nonce.
  const nonceKey = createHmac('sha256', key).update('nonce of what is sealed alike').digest();
  return {
    seal: (text, context) => sealWith(randomBytesOf(NONCE_BYTES), text, context),
    sealDeterministic(text, context) {
      const nonce = createHmac('sha256', nonceKey).update(`${context.length} ${context} ${text}`).digest();
      return sealWith(nonce.subarray(0, NONCE_BYTES), text, context);
    },
    open(sealed, context) {
      for (const candidateKey of [key, ...otherKeys]) {
        const text = openWith(candidateKey, sealed, context);
        if (text !== undefined) return text;
      }
      throw new UnknownKeyError('changed, of another context, or sealed with an unknown key');
    },
    isCurrent: (sealed, context) => openWith(key, sealed, context) !== undefined,
  };
}

/**
 * Decodes a token or tag. Only the text that encoding the bytes gives is accepted: Node ignores surplus characters and
 * bits.
 * @returns undefined for other texts
 */
export function decodeExactly(text: string, encoding: 'base64' | 'base64url'): Buffer | undefined {
  const bytes = Buffer.from(text, encoding);
  return bytes.toString(encoding) === text ? bytes : undefined;
}

function openWith(key: Buffer, sealed: Buffer, context: string): string | undefined {
  if (sealed[0] !== FORMAT_VERSION) throw new UnknownKeyError('sealed by an unknown version');
  const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
  const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
  const ciphertext = sealed.subarray(1 + NONCE_BYTES + TAG_BYTES);
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(Buffer.from(context, 'utf8')).setAuthTag(tag);
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
