import { z } from 'zod';
import { bearerTokens, type Token, loginQuery } from '../signing.ts';
import type { ConfigOf } from '../config.ts';
import { exchange } from '../adapter.ts';
import { readsBalance, readsCreated, readsMoved, readsSet } from '../replies.ts';
import { writeCredits, type Done, type Refused } from '../port.ts';
import { type ProviderCall, type Dialect, type Fields, jsonBody, callPath, directionFields } from '../dialect.ts';
import { outsideText } from '../../outside-text.ts';

const API = '/api/v1';
const STATUSES = [200, 400, 401, 403, 404, 409, 422];
const TOKEN_SECONDS_MAX = 365 * 24 * 60 * 60;

const envelope = z.union([
  z.object({ status: z.literal('ok'), data: z.unknown() }),
  z.object({ status: z.literal('error'), code: outsideText(64) }),
]);
const login = z.object({ token: z.string().regex(/^[\w.~+/=-]+$/), expiresIn: z.int().min(1).max(TOKEN_SECONDS_MAX) });

/**
 * usun: players by name and password, signed in by a link that carries both. Every call needs a login token, which
 * expires or is revoked by the provider. A transfer has neither a client reference nor a status inquiry.
 */
export function usunDialect(config: ConfigOf<'usun'>): Dialect {
  const tokens = bearerTokens(() => logIn(config));
  const player = (username: string, ...words: string[]) => `${API}${callPath('players', username, ...words)}`;
  const call = <T>(
    method: ProviderCall<T>['method'],
    path: string,
    fields: Fields | undefined,
    read: ProviderCall<T>['read'],
  ): ProviderCall<T> => ({ method, path, read, ...(fields ? { fields } : {}) });
  return {
    encoding: 'json',
    statuses: STATUSES,
    verdict,
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
      const token = await tokens({ over: over?.headers?.['authorization']?.slice(BEARER.length), timeoutMs });
      return token.outcome === 'done' ? { headers: { authorization: `${BEARER}${token.value}` } } : token;
    },
    create: (player) => call('POST', `${API}/players`, player, readsCreated(player)),
    setPassword: ({ username, password }) =>
      call('PUT', player(username, 'password'), { password }, readsSet({ username })),
    balance: (username) => call('GET', player(username, 'balance'), undefined, readsBalance(username)),
    move: (movement) =>
      call(
        'POST',
        player(movement.username, directionFields(movement)),
        { amount: writeCredits(movement.amount) },
        readsMoved(movement),
      ),
    launch: {
      kind: 'link',
      needsPassword: true,
      build: (options, site) => `${site}/auto-login?${loginQuery(options)}`,
    },
  };
}

const BEARER = 'Bearer ';

function verdict(answer: unknown): ReturnType<Dialect['verdict']> {
  const { data: read } = envelope.safeParse(answer);
  if (!read) return undefined;
  return read.status === 'ok' ? { data: read.data } : { code: read.code };
}

/** Never unknown: with any outcome of the login, the call itself has not been sent. */
async function logIn({ url, clientId, clientSecret, timeoutMs }: ConfigOf<'usun'>): Promise<Done<Token> | Refused> {
  const answered = await exchange(
    {
      method: 'POST',
      url: `${url}${API}/auth/login`,
      headers: { 'content-type': 'application/json' },
      body: jsonBody({ clientId, clientSecret }),
      timeoutMs,
    },
    STATUSES,
  );
  if (answered.outcome !== 'answered') return noLogin(answered.note);
  const said = verdict(answered.json);
  if (!said) return noLogin('malformed answer');
  if ('code' in said) {
    const reason = said.code === 'MAINTENANCE' ? 'maintenance' : 'unreachable';
    return noLogin(`code ${said.code.slice(0, 40)}`, reason);
  }
  const reported = login.safeParse(said.data);
  if (!reported.success) return noLogin('malformed answer');
  return { outcome: 'done', value: { text: reported.data.token, lifeMs: reported.data.expiresIn * 1_000 } };
}

const noLogin = (note: string, reason: Refused['reason'] = 'unreachable'): Refused => ({
  outcome: 'refused',
  reason,
  note: `login: ${note}`,
});
