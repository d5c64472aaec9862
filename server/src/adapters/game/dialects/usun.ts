import { z } from 'zod';
import { outsideText } from '../../outside-text.ts';
import { exchange } from '../adapter.ts';
import type { ConfigOf } from '../config.ts';
import { type ProviderCall, type Dialect, type Fields, jsonBody, callPath, directionFields } from '../dialect.ts';
import { writeCredits, type Done, type Refused } from '../port.ts';
import { balanceParser, createdParser, movedParser, passwordSetParser } from '../replies.ts';
import { bearerTokens, type BearerToken, loginQuery } from '../signing.ts';

const API_PATH = '/api/v1';
const KNOWN_STATUSES = [200, 400, 401, 403, 404, 409, 422];
const TOKEN_SECONDS_MAX = 365 * 24 * 60 * 60;

const replyEnvelope = z.union([
  z.object({ status: z.literal('ok'), data: z.unknown() }),
  z.object({ status: z.literal('error'), code: outsideText(64) }),
]);
const loginReply = z.object({
  token: z.string().regex(/^[\w.~+/=-]+$/),
  expiresIn: z.int().min(1).max(TOKEN_SECONDS_MAX),
});

/**
 * usun: players by name and password, signed in by a link that carries both. Every call needs a login token, which
 * expires or is revoked by the provider. A transfer has neither a client reference nor a status inquiry.
 */
export function usunDialect(config: ConfigOf<'usun'>): Dialect {
  const tokens = bearerTokens(() => logIn(config));
  const playerPath = (username: string, ...segments: string[]) =>
    `${API_PATH}${callPath('players', username, ...segments)}`;
  const bearerCall = <T>(
    method: ProviderCall<T>['method'],
    path: string,
    fields: Fields | undefined,
    read: ProviderCall<T>['read'],
  ): ProviderCall<T> => ({ method, path, read, ...(fields ? { fields } : {}) });
  return {
    encoding: 'json',
    statuses: KNOWN_STATUSES,
    verdict: readVerdict,
    codes: {
      TOKEN_EXPIRED: 'renew',
      TOKEN_INVALID: 'renew',
      BAD_REQUEST: 'declined',
      REFUSED: 'declined',
      NO_PLAYER: 'no-player',
      PLAYER_EXISTS: 'exists',
      LOW_BALANCE: 'insufficient',
      MAINTENANCE: 'maintenance',
      INTERNAL: 'unknown',
    },
    async sign(_call, { over, timeoutMs }) {
      const token = await tokens({ over: over?.headers?.['authorization']?.slice(BEARER_PREFIX.length), timeoutMs });
      return token.outcome === 'done' ? { headers: { authorization: `${BEARER_PREFIX}${token.value}` } } : token;
    },
    create: (player) => bearerCall('POST', `${API_PATH}/players`, player, createdParser(player)),
    setPassword: ({ username, password }) =>
      bearerCall('PUT', playerPath(username, 'password'), { password }, passwordSetParser({ username })),
    balance: (username) => bearerCall('GET', playerPath(username, 'balance'), undefined, balanceParser(username)),
    move: (movement) =>
      bearerCall(
        'POST',
        playerPath(movement.username, directionFields(movement)),
        { amount: writeCredits(movement.amount) },
        movedParser(movement),
      ),
    launch: {
      kind: 'link',
      needsPassword: true,
      build: (options, site) => `${site}/auto-login?${loginQuery(options)}`,
    },
  };
}

const BEARER_PREFIX = 'Bearer ';

function readVerdict(replyBody: unknown): ReturnType<Dialect['verdict']> {
  const { data: envelope } = replyEnvelope.safeParse(replyBody);
  if (!envelope) return undefined;
  return envelope.status === 'ok' ? { data: envelope.data } : { code: envelope.code };
}

/** Never `unknown`: with any outcome of the login, the call itself has not been sent. */
async function logIn({
  url,
  clientId,
  clientSecret,
  timeoutMs,
}: ConfigOf<'usun'>): Promise<Done<BearerToken> | Refused> {
  const reply = await exchange(
    {
      method: 'POST',
      url: `${url}${API_PATH}/auth/login`,
      headers: { 'content-type': 'application/json' },
      body: jsonBody({ clientId, clientSecret }),
      timeoutMs,
    },
    KNOWN_STATUSES,
  );
  if (reply.outcome !== 'answered') return refusedLogin(reply.note);
  const loginVerdict = readVerdict(reply.json);
  if (!loginVerdict) return refusedLogin('malformed reply');
  if ('code' in loginVerdict) {
    const reason = loginVerdict.code === 'MAINTENANCE' ? 'maintenance' : 'unreachable';
    return refusedLogin(`code ${loginVerdict.code.slice(0, 40)}`, reason);
  }
  const parsedLogin = loginReply.safeParse(loginVerdict.data);
  if (!parsedLogin.success) return refusedLogin('malformed reply');
  return { outcome: 'done', value: { text: parsedLogin.data.token, lifeMs: parsedLogin.data.expiresIn * 1_000 } };
}

const refusedLogin = (note: string, reason: Refused['reason'] = 'unreachable'): Refused => ({
  outcome: 'refused',
  reason,
  note: `login: ${note}`,
});
