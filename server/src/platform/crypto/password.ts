import { availableParallelism } from 'node:os';
import { hash, verify } from '@node-rs/argon2';
import { Refusal } from '../refusal.ts';
import { createSemaphore } from '../jobs/semaphore.ts';

// OWASP's first choice for argon2id: 19 MiB, two passes, one lane (argon2id is the default of the library); 8 ms on a
// current core.
const COST = { memoryCost: 19_456, timeCost: 2, parallelism: 1 } as const;
/** Logins that may wait for a core; the next one is refused with Retry-After. */
const QUEUE_MAX = 200;

// A hash occupies a thread of Node's small pool: more hashes at once than cores only delay file reads.
const run = createSemaphore(availableParallelism(), QUEUE_MAX, () => {
  throw new Refusal('REQUEST_LIMIT', { detail: 'BUSY', status: 503, retryAfterSeconds: 2 });
});

let someHash: Promise<string> | undefined;

/** The text to store for a password: argon2id with its cost and salt. */
export function hashPassword(password: string): Promise<string> {
  return run(() => hash(password, COST));
}

/**
 * Whether the password belongs to the stored text. Without one (an unknown phone number) it takes as long and returns
 * false, so that timing reveals nothing.
 */
export async function verifyPassword(stored: string | undefined, password: string): Promise<boolean> {
  someHash ??= hashPassword('not the password of any member');
  const against = stored ?? (await someHash);
  const right = await run(() => verify(against, password));
  return right && stored !== undefined;
}
