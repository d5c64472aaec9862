import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Compares two texts in constant time. */
export function sameText(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text, 'utf8').digest();
  return timingSafeEqual(digest(a), digest(b));
}

export function md5(text: string): string {
  return createHash('md5').update(text, 'utf8').digest('hex');
}

export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

/** Stored form of a password: a salt, and the salted hash. */
export function saltedHash(password: string): string {
  return saltHash(sha256(password));
}

/** Stored form of a plain password hash, which earlier versions stored. */
export function saltHash(plainHash: string, salt = randomBytes(16).toString('hex')): string {
  return `${salt}:${createHmac('sha256', salt).update(plainHash).digest('hex')}`;
}

export function fitsHash(password: string, storedHash: string): boolean {
  return sameText(saltHash(sha256(password), storedHash.slice(0, storedHash.indexOf(':'))), storedHash);
}
