import { createHash, pbkdf2 } from 'node:crypto';
import type { Fields } from './dialect.ts';
import { promisify } from 'node:util';
import type { LaunchOptions, Done, Refused } from './port.ts';
import { monotonicMs, sleep } from '../../platform/time.ts';

/** Signed text of several kinds of provider: all fields sorted by name, as `name=value` joined by `&`, not encoded. */
export const sortedText = (fields: Fields): string =>
  sorted(fields)
    .map((pair) => pair.join('='))
    .join('&');

/** The same as a query, encoded as forms are. */
export const sortedQuery = (fields: Fields): string => new URLSearchParams(sorted(fields)).toString();

const sorted = (fields: Fields): [string, string][] =>
  Object.entries(fields)
    .map(([name, value]): [string, string] => [name, String(value)])
    .toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Lower-case hex of the UTF-8 text. The provider's signature scheme, not used for security here. */
export const md5 = (text: string): string => createHash('md5').update(text, 'utf8').digest('hex');

const ROUNDS = 1000;
const BYTES = 64;
const derive = promisify(pbkdf2);

/** Signature of several providers over the text of a body: PBKDF2-HMAC-SHA512 with their secret as the salt, base64. */
export async function pbkdf2Signature(body: string, secret: string): Promise<string> {
  const derived = await derive(body, secret, ROUNDS, BYTES, 'sha512');
  return derived.toString('base64');
}

/** Query of a launch link with username, password and the return URL of the wallet. */
export function loginQuery({ username, password, game, language, returnUrl }: LaunchOptions): string {
  const query = new URLSearchParams({ username, password, lang: language, return_url: returnUrl });
  if (game !== null) query.set('game', game);
  return query.toString();
}

/** `lifeMs`: lifetime, counted from the request. */
export type Token = { text: string; lifeMs: number };
export type Tokens = (asked: { over: string | undefined; timeoutMs: number }) => Promise<Done<string> | Refused>;

/** A token is renewed this long before it expires: a call must still arrive with it. */
const MARGIN_MAX_MS = 30_000;

/**
 * Caches the token of a provider that needs a login, until it expires or the provider refuses it. Concurrent callers
 * share one login.
 * @param logIn never unknown: with any outcome of a login, the call itself has not been sent
 */
export function bearerTokens(logIn: () => Promise<Done<Token> | Refused>): Tokens {
  let kept: { text: string; endsAtMs: number } | undefined;
  let loggingIn: Promise<Done<string> | Refused> | undefined;

  const renew = async (): Promise<Done<string> | Refused> => {
    const startedMs = monotonicMs();
    const answer = await logIn();
    if (answer.outcome !== 'done') return answer;
    const { text, lifeMs } = answer.value;
    kept = { text, endsAtMs: startedMs + lifeMs - Math.min(MARGIN_MAX_MS, lifeMs / 10) };
    return { outcome: 'done', value: text };
  };

  return async ({ over, timeoutMs }) => {
    // Reuses the token that a concurrent caller has just renewed.
    if (kept && kept.text !== over && monotonicMs() < kept.endsAtMs) return { outcome: 'done', value: kept.text };
    loggingIn ??= renew().finally(() => {
      loggingIn = undefined;
    });
    return within(timeoutMs, loggingIn);
  };
}

/** This caller may have a shorter timeout than the caller that started the login. */
async function within(timeoutMs: number, login: Promise<Done<string> | Refused>): Promise<Done<string> | Refused> {
  const patience = new AbortController();
  try {
    return await Promise.race([
      login,
      sleep(timeoutMs, patience.signal).then((): Refused => ({
        outcome: 'refused',
        reason: 'unreachable',
        note: 'no login in time',
      })),
    ]);
  } finally {
    patience.abort();
  }
}
