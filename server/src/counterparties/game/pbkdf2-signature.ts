import { pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';

const ROUNDS = 1000;
const BYTES = 64;
const derive = promisify(pbkdf2);

/** Signature of several providers over the text of a body: PBKDF2-HMAC-SHA512 with their secret as the salt, base64. */
export async function pbkdf2Signature(body: string, secret: string): Promise<string> {
  const derived = await derive(body, secret, ROUNDS, BYTES, 'sha512');
  return derived.toString('base64');
}
