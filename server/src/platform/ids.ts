import { createHash, randomBytes, randomInt } from 'node:crypto';

/** A UUID of version 7: globally unique, and ordered by creation (48 bits of milliseconds first). */
export function uuidV7(now: Date): string {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(now.getTime(), 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** A secret of 256 random bits in 43 characters that need no escaping in a URL. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** Id of a trace (W3C Trace Context): 128 random bits in hexadecimal. */
export function newTraceId(): string {
  return randomBytes(16).toString('hex');
}

/** Id of a span within a trace: 64 random bits in hexadecimal. */
export function newSpanId(): string {
  return randomBytes(8).toString('hex');
}

/** The stored form of a token: its SHA-256, 32 bytes. */
export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}

/** Six random digits, each value equally likely, leading zeros kept. */
export function sixDigits(): string {
  return String(randomInt(1_000_000)).padStart(6, '0');
}

// No 0, O, 1, I or L, because people read these aloud.
const UNAMBIGUOUS_CHARACTERS = 'ABCDEFGHJKMNPQRSTUVWXYZ23456789';

/** A reference that a person can read out: `length` capital letters and digits that don't look alike. */
export function newReference(length: number): string {
  return Array.from({ length }, () => UNAMBIGUOUS_CHARACTERS[randomInt(UNAMBIGUOUS_CHARACTERS.length)]).join('');
}

/** A random integer from 0, below `limit`, each equally likely. */
export function randomBelow(limit: number): number {
  return randomInt(limit);
}

/** Random bytes of cryptographic quality. */
export function randomBytesOf(length: number): Buffer {
  return randomBytes(length);
}
