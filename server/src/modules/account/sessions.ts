import type { Language } from '@krapao/contract/languages';
import { plainPhone } from '@krapao/contract/rules';
import { verifyPassword, hashPassword } from '../../platform/crypto/password.ts';
import type { SessionTokens } from '../../platform/crypto/session-tokens.ts';
import type { Database, Queryable } from '../../platform/database/database.ts';
import { Refusal, Unavailable } from '../../platform/errors.ts';
import type { Caller } from '../../platform/http/caller-address.ts';
import { type Authenticate, type Member, bearerToken, namedLanguage } from '../../platform/http/caller.ts';
import type { Limit, RateLimits } from '../../platform/http/rate-limit.ts';
import { hashToken, uuidV7 } from '../../platform/ids.ts';
import { coalesce } from '../../platform/jobs/concurrency.ts';
import type { AuthenticateToken } from '../../platform/socket/rooms.ts';
import { type Clock, later } from '../../platform/time.ts';
import { notifyEndingSessions, type Notice } from '../notification/index.ts';
import type { OperatorData } from '../operator-data/index.ts';
import type { OtpModule } from '../otp/index.ts';
import { REMEMBERED_SESSION_MS, SESSION_MS, sessionError, isPasswordAcceptable } from './account.ts';
import {
  insertSession,
  findCredentials,
  selectSessions,
  supersedeOtherSessions,
  updateLanguage,
  updatePassword,
} from './queries.ts';

export type LogInDeps = {
  database: Database;
  clock: Clock;
  rateLimits: RateLimits;
  tokens: SessionTokens;
  otp: Pick<OtpModule, 'isKnownNetwork'>;
  /** Called with the reason when no session could be created. */
  onError: (error: unknown) => void;
};

/**
 * Opens a session for phone and password. An unknown phone takes as long as a wrong password: both compute a hash.
 * @returns the token, which is not stored, and its expiry
 * @throws {Refusal} WRONG_CREDENTIAL, INACTIVE_USER, INVALID_USER_4, INVALID_IP, LOGIN_FAIL, REQUEST_LIMIT,
 *   REQUEST_LIMIT_1MIN
 */
export async function logIn(
  deps: LogInDeps,
  operatorData: OperatorData,
  credentials: { username: string; password: string; remember: boolean },
  caller: Caller & { language: Language | undefined },
): Promise<{ token: string; expiresAt: Date }> {
  if (!operatorData.mayCallFrom(caller.address)) throw new Refusal('INVALID_IP');
  const phone = plainPhone(credentials.username);
  const member = await findCredentials(deps.database, { phone }, caller.group);
  const isKnown =
    member !== undefined && (member.isKnownNetwork || (await deps.otp.isKnownNetwork(phone, caller.group)));
  const limits = failureLimits(operatorData, { phone, group: caller.group, isKnown });
  const canProvePhone = !isKnown && operatorData.setting('registerOTP') && !operatorData.isStopped('register');
  await countAttempt(deps.rateLimits, limits).catch((error: unknown) => {
    throw canProvePhone ? withRemedy(error) : error;
  });
  if (!(await verifyPassword(member?.passwordHash, credentials.password)) || !member) {
    await deps.rateLimits.hit(limits.address);
    throw new Refusal('WRONG_CREDENTIAL');
  }
  await deps.rateLimits.clear(...limits.resetKeys);
  if (member.status === 'inactive') throw new Refusal('INACTIVE_USER');
  if (member.status === 'restricted') {
    throw new Refusal('INVALID_USER_4', { detail: member.statusReason || 'RESTRICTED' });
  }
  return openSession(deps, member.id, credentials.remember, caller);
}

/** `pair` and `budget` count every attempt, `address` counts failures; a successful login clears `resetKeys`. */
type FailureLimits = { pair: Limit; budget: Limit; address: Limit; resetKeys: string[] };

/**
 * A member who logged in, registered or proved their phone from this network has a separate budget there. Guesses from other networks and other
 * members' failures do not use it up. Sessions are kept for 30 days after their end. All members known at an address
 * share an upper bound, which limits trying many phones.
 */
function failureLimits(
  operatorData: OperatorData,
  { phone, group, isKnown }: { phone: string; group: string; isKnown: boolean },
): FailureLimits {
  const phoneAddressLimit = operatorData.limitFor('login.failure.phone-address', `${phone}@${group}`);
  const phoneLimit = operatorData.limitFor('login.failure.phone', phone);
  const knownNetworkLimit = operatorData.limitFor('login.failure.known', `${phone}@${group}`);
  return {
    pair: phoneAddressLimit,
    budget: isKnown ? knownNetworkLimit : phoneLimit,
    address: operatorData.limitFor(isKnown ? 'login.failure.known.address' : 'login.failure.address', group),
    resetKeys: [phoneAddressLimit.key, phoneLimit.key, knownNetworkLimit.key],
  };
}

/** Counts before the password is checked, so that concurrent guesses can't exceed the limit. */
async function countAttempt(rateLimits: RateLimits, { pair, budget, address }: FailureLimits): Promise<void> {
  await rateLimits.assertNotUsedUp(address);
  await rateLimits.hit(pair, budget);
}

/** Adds that a proof of the phone ends the wait: its network then counts as known, with its own limits. */
function withRemedy(error: unknown): unknown {
  if (!(error instanceof Refusal) || error.code !== 'REQUEST_LIMIT') return error;
  const { code, retryAfterSeconds } = error;
  return new Refusal(code, { detail: 'PROVE_PHONE', ...(retryAfterSeconds !== undefined && { retryAfterSeconds }) });
}

async function openSession(
  { database, clock, tokens, onError }: LogInDeps,
  memberId: string,
  remembered: boolean,
  { address, language }: { address: string; language: Language | undefined },
): Promise<{ token: string; expiresAt: Date }> {
  const token = tokens.issue();
  const createdAt = clock.now();
  const expiresAt = later(createdAt, remembered ? REMEMBERED_SESSION_MS : SESSION_MS);
  try {
    const tokenHash = hashToken(token);
    await insertSession(database, {
      tokenHash,
      memberId,
      address,
      language: language ?? null,
      remembered,
      createdAt,
      expiresAt,
    });
  } catch (error) {
    if (error instanceof Unavailable) throw error;
    onError(error);
    throw new Refusal('LOGIN_FAIL', { cause: error });
  }
  return { token, expiresAt };
}

const SESSION_ID_ENCODING = 'hex';

const decodeSessionId = (sessionId: string): Buffer => Buffer.from(sessionId, SESSION_ID_ENCODING);

/** Decodes the session id of a member into the key of the session's row. */
export const sessionTokenHash = (member: Member): Buffer => decodeSessionId(member.sessionId);

export type { AuthenticateToken };

/** Finds the member of a token. The session id is the hash of its token, never the token. */
export function authenticateToken(deps: { database: Queryable; clock: Clock }): AuthenticateToken {
  const findSession = coalesce(
    async (ids: readonly string[]) => {
      const sessions = await selectSessions(deps.database, ids.map(decodeSessionId));
      return new Map(sessions.map((session) => [session.tokenHash.toString(SESSION_ID_ENCODING), session]));
    },
    (id) => id,
  );
  return async (token) => {
    const sessionId = hashToken(token).toString(SESSION_ID_ENCODING);
    const session = token === '' ? undefined : await findSession(sessionId);
    const error = sessionError(session, deps.clock.now());
    if (error) throw new Refusal(error.code, { detail: error.detail });
    const { memberId, currency, language } = session as NonNullable<typeof session>;
    return { id: memberId, sessionId, currency, language };
  };
}

/** Finds the member of a request's bearer token. Keeps the session's language, in which later messages are written. */
export function authenticateRequest(on: Queryable, authenticate: AuthenticateToken): Authenticate {
  return async (request) => {
    const token = bearerToken(request);
    if (token === undefined) throw new Refusal('UNAUTHORIZED');
    const member = await authenticate(token);
    const language = namedLanguage(request.headers.cookie);
    if (language === undefined || language === member.language) return member;
    await updateLanguage(on, sessionTokenHash(member), language);
    return { ...member, language };
  };
}

/** Notifies the member of a change of credentials. */
export const changeNotice = (memberId: string, subject: 'password' | 'bankAccount', at: Date): Notice => ({
  memberId,
  kind: 'security',
  reference: uuidV7(at),
  at,
  facts: { subject },
});

/**
 * Changes a member's password and ends their other sessions.
 * @param actor the member, the token hash of the current session, and the caller's address
 * @throws {Refusal} WRONG_PASSWORD for the old password, INVALID_USER_INFO for the new password, REQUEST_LIMIT_1MIN
 */
export async function changePassword(
  { database, clock, rateLimits }: { database: Database; clock: Clock; rateLimits: RateLimits },
  operatorData: OperatorData,
  actor: { memberId: string; tokenHash: Buffer; address: string },
  passwords: { oldPassword: string; newPassword: string },
): Promise<void> {
  const failureLimit = operatorData.limitFor('password.failure.member', actor.memberId);
  await rateLimits.hit(failureLimit);
  const member = await findCredentials(database, { memberId: actor.memberId }, actor.address);
  if (!member || !(await verifyPassword(member.passwordHash, passwords.oldPassword)))
    throw new Refusal('WRONG_PASSWORD');
  await rateLimits.clear(failureLimit.key);
  if (!isPasswordAcceptable(passwords.newPassword, member.phone)) {
    throw new Refusal('INVALID_USER_INFO', { detail: 'newPassword' });
  }
  const passwordHash = await hashPassword(passwords.newPassword);
  await database.tx(async (tx) => {
    // Of two concurrent changes only the first succeeds: the second has an outdated old password.
    if (!(await updatePassword(tx, member.id, member.passwordHash, passwordHash))) throw new Refusal('WRONG_PASSWORD');
    const now = clock.now();
    await notifyEndingSessions(tx, changeNotice(member.id, 'password', now), actor.tokenHash, now);
    await supersedeOtherSessions(tx, member.id, actor.tokenHash, now);
  });
}
