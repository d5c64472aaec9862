import type { AuthenticateToken } from '../../platform/socket/rooms.ts';
import type { Clock } from '../../platform/clock.ts';
import { coalesce } from '../../platform/jobs/coalesce.ts';
import type { Queryable } from '../../platform/database/database.ts';
import type { Authenticate, Member } from '../../platform/http/caller/member.ts';
import { bearerOf } from '../../platform/http/caller/member.ts';
import { hashToken } from '../../platform/ids.ts';
import { Refusal } from '../../platform/refusal.ts';
import { sessionFault } from './account.ts';
import { selectSessions } from './queries.ts';

const SESSION_ID_ENCODING = 'hex';

const hashOfSession = (sessionId: string): Buffer => Buffer.from(sessionId, SESSION_ID_ENCODING);

/** The key of a session's row, from its id as a request carries it. */
export const tokenHashOf = (member: Member): Buffer => hashOfSession(member.sessionId);

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
    const fault = sessionFault(session, deps.clock.now());
    if (fault) throw new Refusal(fault.code, { detail: fault.detail });
    const { memberId, currency } = session as NonNullable<typeof session>;
    return { id: memberId, sessionId, currency };
  };
}

/** Finds the member of a request's bearer. */
export function authenticateRequest(authenticate: AuthenticateToken): Authenticate {
  return async (request) => {
    const token = bearerOf(request);
    if (token === undefined) throw new Refusal('UNAUTHORIZED');
    return authenticate(token);
  };
}
