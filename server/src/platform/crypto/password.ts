import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { Refusal } from '../errors.ts';
import { createSemaphore } from '../jobs/concurrency.ts';

// OWASP's first choice for argon2id: 19 MiB, two passes, one lane (argon2id is the default of the library); 8 ms on a
// current core.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Logins that may wait for a core; the next one is refused with Retry-After. */
const QUEUE_MAX = 200;

// A hash occupies a thread of Node's small pool: more concurrent hashes than cores only delay file reads.
const run = createSemaphore(availableParallelism(), QUEUE_MAX, () => {
  throw new Refusal('REQUEST_LIMIT', { detail: 'BUSY', status: 503, retryAfterSeconds: 2 });
});

let someHash: Promise<string> | undefined;

/** The form in which a password is hashed and checked: devices send letters composed or decomposed. */
export const normalizedPassword = (password: string): string => password.normalize('NFC');

/** The text to store for a password: argon2id of its NFC form, with cost and salt. */
export function hashPassword(password: string): Promise<string> {
  return run(() => hash(normalizedPassword(password), COST));
}

/**
 * Whether the password matches the stored hash, in NFC or as sent: older hashes are of the raw text.
 * Without a stored hash (an unknown phone) it takes as long and returns false, so that timing reveals nothing.
 */
export async function verifyPassword(stored: string | undefined, password: string): Promise<boolean> {
  someHash ??= hashPassword('not the password of any member');
  const against = stored ?? (await someHash);
  for (const form of new Set([normalizedPassword(password), password])) {
    if (await run(() => verify(against, form))) return stored !== undefined;
  }
  return false;
}
