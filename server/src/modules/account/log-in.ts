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
  const found = await selectCredentials(deps.database, { phone }, caller.address);
  const limits = failureLimits(data, phone, caller.group);
  await countAttempt(deps.rateLimits, limits, found?.isKnownAddress ?? false);
  if (!(await verifyPassword(found?.passwordHash, typed.password)) || !found) {
    await deps.rateLimits.hit(limits.address);
    throw new Refusal('WRONG_CREDENTIAL');
  }
  await deps.rateLimits.clear(limits.pair.key, limits.phone.key);
  if (found.status === 'inactive') throw new Refusal('INACTIVE_USER');
  if (found.status === 'restricted') {
    throw new Refusal('INVALID_USER_4', { detail: found.statusReason || 'RESTRICTED' });
  }
  return openSession(deps, found.id, typed.remember, caller.address);
}

type FailureLimits = { pair: Limit; phone: Limit; address: Limit };

const failureLimits = (data: OperatorData, phone: string, group: string): FailureLimits => ({
  pair: data.limitFor('login.failure.phone-address', `${phone}@${group}`),
  phone: data.limitFor('login.failure.phone', phone),
  address: data.limitFor('login.failure.address', group),
});

/**
 * Counts before the password is checked, so that a hundred concurrent guesses count as a hundred. Guesses for one phone
 * from all addresses share a budget, but exhausting it does not lock the member out of an address that they use.
 */
async function countAttempt(rateLimits: RateLimits, limits: FailureLimits, isKnownAddress: boolean): Promise<void> {
  if ((await rateLimits.used(limits.address)) >= limits.address.max) throw new Refusal('REQUEST_LIMIT');
  await rateLimits.hit(limits.pair, ...(isKnownAddress ? [] : [limits.phone]));
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
