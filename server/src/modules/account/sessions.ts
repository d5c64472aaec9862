import { plainPhone } from '@krapao/contract/rules';
import { type Clock, later } from '../../platform/time.ts';
import type { Database, Queryable } from '../../platform/database/database.ts';
import type { Caller } from '../../platform/http/caller-address.ts';
import { hashToken, newToken } from '../../platform/ids.ts';
import { verifyPassword, hashPassword } from '../../platform/crypto/password.ts';
import type { Limit, RateLimits } from '../../platform/http/rate-limit.ts';
import { Refusal, Unavailable } from '../../platform/errors.ts';
import type { SiteConfig } from '../lookup/index.ts';
import { REMEMBERED_SESSION_MS, SESSION_MS, sessionError, isPasswordFit } from './account.ts';
import { insertSession, findCredentials, selectSessions, supersedeOtherSessions, updatePassword } from './queries.ts';
import type { AuthenticateToken } from '../../platform/socket/rooms.ts';
import { coalesce } from '../../platform/jobs/concurrency.ts';
import { type Authenticate, type Member, bearerToken } from '../../platform/http/caller.ts';

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
  data: SiteConfig,
  typed: { username: string; password: string; remember: boolean },
  caller: Caller,
): Promise<{ token: string; expiresAt: Date }> {
  if (!data.mayCallFrom(caller.address)) throw new Refusal('INVALID_IP');
  const phone = plainPhone(typed.username);
  const found = await findCredentials(deps.database, { phone }, caller.group);
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
  data: SiteConfig,
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

const SESSION_ID_ENCODING = 'hex';

const hashOfSession = (sessionId: string): Buffer => Buffer.from(sessionId, SESSION_ID_ENCODING);

/** The key of a session's row, from its id as a request carries it. */
export const hashSessionToken = (member: Member): Buffer => hashOfSession(member.sessionId);

export type { AuthenticateToken };

/** Finds the member of a token. The id of the session is the hash of its token, never the token. */
export function authenticateToken(deps: { database: Queryable; clock: Clock }): AuthenticateToken {
  const sessionOf = coalesce(
    async (ids: readonly string[]) => {
      const sessions = await selectSessions(deps.database, ids.map(hashOfSession));
      return new Map(sessions.map((session) => [session.tokenHash.toString(SESSION_ID_ENCODING), session]));
    },
    (id) => id,
  );
  return async (token) => {
    const sessionId = hashToken(token).toString(SESSION_ID_ENCODING);
    const session = token === '' ? undefined : await sessionOf(sessionId);
    const fault = sessionError(session, deps.clock.now());
    if (fault) throw new Refusal(fault.code, { detail: fault.detail });
    const { memberId, currency } = session as NonNullable<typeof session>;
    return { id: memberId, sessionId, currency };
  };
}

/** Finds the member of a request's bearer. */
export function authenticateRequest(authenticate: AuthenticateToken): Authenticate {
  return async (request) => {
    const token = bearerToken(request);
    if (token === undefined) throw new Refusal('UNAUTHORIZED');
    return authenticate(token);
  };
}

/**
 * Changes a member's password and ends their other sessions.
 * @param by the member, the hash of the token of the session that stays, and where it calls from
 * @throws {Refusal} WRONG_PASSWORD for the old one, INVALID_USER_INFO for the new one, REQUEST_LIMIT_1MIN
 */
export async function changePassword(
  { database, clock, rateLimits }: { database: Database; clock: Clock; rateLimits: RateLimits },
  data: SiteConfig,
  by: { memberId: string; tokenHash: Buffer; address: string },
  typed: { oldPassword: string; newPassword: string },
): Promise<void> {
  const failures = data.limitFor('password.failure.member', by.memberId);
  await rateLimits.hit(failures);
  const member = await findCredentials(database, { memberId: by.memberId }, by.address);
  if (!member || !(await verifyPassword(member.passwordHash, typed.oldPassword))) throw new Refusal('WRONG_PASSWORD');
  await rateLimits.clear(failures.key);
  if (!isPasswordFit(typed.newPassword, member.phone)) {
    throw new Refusal('INVALID_USER_INFO', { detail: 'newPassword' });
  }
  const passwordHash = await hashPassword(typed.newPassword);
  await database.tx(async (tx) => {
    // Of two changes at one moment the first wins; the other's old password is no longer the old password.
    if (!(await updatePassword(tx, member.id, member.passwordHash, passwordHash))) throw new Refusal('WRONG_PASSWORD');
    await supersedeOtherSessions(tx, member.id, by.tokenHash, clock.now());
  });
}
