import { plainPhone } from '@krapao/contract/rules';
import { type Clock, later } from '../../platform/clock.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Caller } from '../../platform/http/caller/caller-address.ts';
import { hashToken, newToken } from '../../platform/ids.ts';
import { verifyPassword } from '../../platform/crypto/password.ts';
import type { Limit, RateLimits } from '../../platform/http/limits/rate-limit.ts';
import { Refusal } from '../../platform/refusal.ts';
import { Unavailable } from '../../platform/unavailable.ts';
import type { OperatorData } from '../lookup/module.ts';
import { REMEMBERED_SESSION_MS, SESSION_MS } from './account.ts';
import { insertSession, selectCredentials } from './queries.ts';

export type LogInDeps = {
  database: Database;
  clock: Clock;
  rateLimits: RateLimits;
  /** Called with the reason when no session could be created. */
  onTrouble: (error: unknown) => void;
};

/**
 * Opens a session for phone and password. An unknown phone takes the same way as a wrong password, the hash included.
 * @returns the token, which is not kept here, and when it ends
 * @throws {Refusal} WRONG_CREDENTIAL, INACTIVE_USER, INVALID_USER_4, INVALID_IP, LOGIN_FAIL, REQUEST_LIMIT, REQUEST_LIMIT_1MIN
 */
export async function logIn(
  deps: LogInDeps,
  data: OperatorData,
  typed: { username: string; password: string; remember: boolean },
  caller: Caller,
): Promise<{ token: string; expiresAt: Date }> {
  if (!data.mayCallFrom(caller.address)) throw new Refusal('INVALID_IP');
  const phone = plainPhone(typed.username);
  const found = await selectCredentials(deps.database, { phone }, caller.group);
  const limits = failureLimits(data, { phone, group: caller.group, isKnown: found?.isKnownNetwork ?? false });
  await countAttempt(deps.rateLimits, limits);
  if (!(await verifyPassword(found?.passwordHash, typed.password)) || !found) {
    await deps.rateLimits.hit(limits.address);
    throw new Refusal('WRONG_CREDENTIAL');
  }
  await deps.rateLimits.clear(...limits.resetKeys);
  if (found.status === 'inactive') throw new Refusal('INACTIVE_USER');
  if (found.status === 'restricted') {
    throw new Refusal('INVALID_USER_4', { detail: found.statusReason || 'RESTRICTED' });
  }
  return openSession(deps, found.id, typed.remember, caller.address);
}

/** `pair` and `budget` count every attempt, `address` only failures; a login clears `resetKeys`. */
type FailureLimits = { pair: Limit; budget: Limit; address: Limit; resetKeys: string[] };

/**
 * A member who logged in from this network before (sessions are kept for 30 days after their end) has a separate budget
 * there, which guesses from elsewhere and failures of others do not use up. All members known at an address share an upper
 * bound, which limits trying many phones.
 */
function failureLimits(
  data: OperatorData,
  { phone, group, isKnown }: { phone: string; group: string; isKnown: boolean },
): FailureLimits {
  const pair = data.limitFor('login.failure.phone-address', `${phone}@${group}`);
  const shared = data.limitFor('login.failure.phone', phone);
  const own = data.limitFor('login.failure.known', `${phone}@${group}`);
  return {
    pair,
    budget: isKnown ? own : shared,
    address: data.limitFor(isKnown ? 'login.failure.known.address' : 'login.failure.address', group),
    resetKeys: [pair.key, shared.key, own.key],
  };
}

/** Counts before the password is checked, so that a hundred concurrent guesses count as a hundred. */
async function countAttempt(rateLimits: RateLimits, { pair, budget, address }: FailureLimits): Promise<void> {
  if ((await rateLimits.used(address)) >= address.max) throw new Refusal('REQUEST_LIMIT');
  await rateLimits.hit(pair, budget);
}

async function openSession(
  { database, clock, onTrouble }: LogInDeps,
  memberId: string,
  remembered: boolean,
  address: string,
): Promise<{ token: string; expiresAt: Date }> {
  const token = newToken();
  const createdAt = clock.now();
  const expiresAt = later(createdAt, remembered ? REMEMBERED_SESSION_MS : SESSION_MS);
  try {
    await insertSession(database, { tokenHash: hashToken(token), memberId, address, remembered, createdAt, expiresAt });
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    onTrouble(error);
    throw new Refusal('LOGIN_FAIL', { cause: error });
  }
  return { token, expiresAt };
}
