import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { Refusal } from '../errors.ts';
import { createSemaphore } from '../jobs/concurrency.ts';

// OWASP's first choice for argon2id: 19 MiB, two passes, one lane (argon2id is the default of the library); 8 ms on a
// current core.
const HASH_COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Logins that may wait for a core; the next one is refused with Retry-After. */
const QUEUE_MAX = 200;

// A hash occupies a thread of Node's small pool. More concurrent hashes than cores would only delay file reads.
const runInQueue = createSemaphore(availableParallelism(), QUEUE_MAX, () => {
  throw new Refusal('REQUEST_LIMIT', { detail: 'BUSY', status: 503, retryAfterSeconds: 2 });
});

let placeholderHash: Promise<string> | undefined;

/**
 * Unicode form (NFC) of a password for hashing and checking: devices send accented characters composed or decomposed.
 */
export const normalizedPassword = (password: string): string => password.normalize('NFC');

/** The text to store for a password: argon2id of its NFC form, with cost and salt. */
export function hashPassword(password: string): Promise<string> {
  return runInQueue(() => hash(normalizedPassword(password), HASH_COST));
}

/**
 * Whether the password matches the stored hash, in NFC or as sent: older hashes cover the raw text. Without a stored
 * hash (unknown phone) the check takes equally long and returns false, so that its duration reveals nothing.
 */
export async function verifyPassword(stored: string | undefined, password: string): Promise<boolean> {
  placeholderHash ??= hashPassword('not the password of any member');
  const expectedHash = stored ?? (await placeholderHash);
  for (const spelling of new Set([normalizedPassword(password), password])) {
    if (await runInQueue(() => verify(expectedHash, spelling))) return stored !== undefined;
  }
  return false;
}
