import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, verify } from 'node:crypto';

const CURVE = 'prime256v1';
const SALT_BYTES = 16;
const POINT_BYTES = 65;
const TAG_BYTES = 16;
const TOKEN_LIFE_MAX_SECONDS = 24 * 60 * 60;
const LAST_RECORD = 2;

/** Keys of a browser, in base64url. */
export type BrowserKeys = { privateKey: string; p256dh: string; auth: string };

export function newBrowserKey(): ECDH {
  const ecdh = createECDH(CURVE);
  ecdh.generateKeys();
  return ecdh;
}

const derive = (secret: Buffer, salt: Buffer, info: Buffer, bytes: number): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, salt, info, bytes));

/** Decrypts one `aes128gcm` record as the browser does (RFC 8291). @throws when it is not for these keys */
export function decryptForBrowser(body: Buffer, { privateKey, p256dh, auth }: BrowserKeys): string {
  const salt = body.subarray(0, SALT_BYTES);
  const recordBytes = body.readUInt32BE(SALT_BYTES);
  const senderKey = body.subarray(SALT_BYTES + 5, SALT_BYTES + 5 + POINT_BYTES);
  const record = body.subarray(SALT_BYTES + 5 + POINT_BYTES);
  if (body[SALT_BYTES + 4] !== POINT_BYTES || record.length > recordBytes) throw new Error('not one record');
  const ecdh = createECDH(CURVE);
  ecdh.setPrivateKey(Buffer.from(privateKey, 'base64url'));
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), Buffer.from(p256dh, 'base64url'), senderKey]);
  const sharedKey = derive(ecdh.computeSecret(senderKey), Buffer.from(auth, 'base64url'), info, 32);
  const contentKey = derive(sharedKey, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(sharedKey, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const decipher = createDecipheriv('aes-128-gcm', contentKey, nonce);
  decipher.setAuthTag(record.subarray(-TAG_BYTES));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -TAG_BYTES)), decipher.final()]);
  const end = padded.findLastIndex((byte) => byte !== 0);
  if (padded[end] !== LAST_RECORD) throw new Error('not the last record');
  return padded.subarray(0, end).toString('utf8');
}

/** Verifies `Authorization: vapid t=TOKEN, k=KEY` (RFC 8292). @returns the key and subject; undefined when invalid */
export function verifyVapid(
  header: string | undefined,
  audience: string,
): { publicKey: string; subject: string } | undefined {
  const [, head, claims, signature, publicKey] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), ?k=([\w-]+)$/.exec(header ?? '') ?? [];
  if (!head || !claims || !signature || !publicKey) return undefined;
  const point = Buffer.from(publicKey, 'base64url');
  if (point.length !== POINT_BYTES || asJson(head)['alg'] !== 'ES256') return undefined;
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'));
  const key = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x: x ?? '', y: y ?? '' } });
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${claims}`),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  const { aud, exp, sub } = asJson(claims);
  const leftSeconds = Number(exp) - Date.now() / 1000;
  const isCurrent = leftSeconds > 0 && leftSeconds <= TOKEN_LIFE_MAX_SECONDS;
  return isSigned && aud === audience && isCurrent && typeof sub === 'string' ? { publicKey, subject: sub } : undefined;
}

function asJson(part: string): Record<string, unknown> {
  try {
    return JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as Record<string, unknown>;
  } catch {
    return {};
  }
}
