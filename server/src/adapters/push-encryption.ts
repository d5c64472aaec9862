import { createCipheriv, createECDH, type ECDH, hkdfSync } from 'node:crypto';
import { randomBytesOf } from '../platform/ids.ts';

/** Keys of a browser's subscription: its public key (an uncompressed P-256 point) and its authentication secret. */
export type PushKeys = { p256dh: Buffer; auth: Buffer };

export const P256_CURVE = 'prime256v1';
const RECORD_BYTES = 4_096;
const SALT_BYTES = 16;
const KEY_BYTES = 16;
const NONCE_BYTES = 12;
const SHARED_KEY_BYTES = 32;
/** Marks the last record. */
const LAST_RECORD = 2;

/** Fresh for each message. */
export type SenderKeys = { ecdh: ECDH; salt: Buffer };

function newSenderKeys(): SenderKeys {
  const ecdh = createECDH(P256_CURVE);
  ecdh.generateKeys();
  return { ecdh, salt: randomBytesOf(SALT_BYTES) };
}

/** Whether the keys can encrypt: the public key is a point of the curve. */
export function areUsableKeys({ p256dh, auth }: PushKeys): boolean {
  try {
    newSenderKeys().ecdh.computeSecret(p256dh);
    return auth.length === SALT_BYTES;
  } catch {
    return false;
  }
}

/** Encrypts a text for one browser, as one record of the coding `aes128gcm` (RFC 8291, RFC 8188). */
export function encryptForBrowser(
  text: Buffer,
  { p256dh, auth }: PushKeys,
  { ecdh, salt }: SenderKeys = newSenderKeys(),
): Buffer {
  const senderKey = ecdh.getPublicKey();
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), p256dh, senderKey]);
  const sharedKey = derive(ecdh.computeSecret(p256dh), auth, info, SHARED_KEY_BYTES);
  const contentKey = derive(sharedKey, salt, Buffer.from('Content-Encoding: aes128gcm\0'), KEY_BYTES);
  const nonce = derive(sharedKey, salt, Buffer.from('Content-Encoding: nonce\0'), NONCE_BYTES);
  const cipher = createCipheriv('aes-128-gcm', contentKey, nonce);
  const record = [
    cipher.update(Buffer.concat([text, Buffer.from([LAST_RECORD])])),
    cipher.final(),
    cipher.getAuthTag(),
  ];
  const recordBytes = Buffer.alloc(4);
  recordBytes.writeUInt32BE(RECORD_BYTES);
  return Buffer.concat([salt, recordBytes, Buffer.from([senderKey.length]), senderKey, ...record]);
}

const derive = (secret: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, bytes));
