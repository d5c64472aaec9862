import { createHash, pbkdf2 } from 'node:crypto';
import { promisify } from 'node:util';
import { monotonicMs, sleep } from '../../platform/time.ts';
import type { Fields } from './dialect.ts';
import type { LaunchOptions, Done, Refused } from './port.ts';

/** Signed text of several providers: all fields sorted by name, as `name=value` joined by `&`, not encoded. */
export const sortedText = (fields: Fields): string =>
  sortedEntries(fields)
    .map((pair) => pair.join('='))
    .join('&');

/** Like {@link sortedText}, form-encoded. */
export const sortedQuery = (fields: Fields): string => new URLSearchParams(sortedEntries(fields)).toString();

const sortedEntries = (fields: Fields): [string, string][] =>
  Object.entries(fields)
    .map(([name, value]): [string, string] => [name, String(value)])
    .toSorted(([a], [b]) => (a < b ? -1 : 1));

/** Lower-case hex MD5 of the UTF-8 text. A provider's signature scheme, not used for security here. */
export const md5 = (text: string): string => createHash('md5').update(text, 'utf8').digest('hex');

const PBKDF2_ITERATIONS = 1000;
const PBKDF2_BYTES = 64;
const pbkdf2Async = promisify(pbkdf2);

/** Signature of several providers over a body: PBKDF2-HMAC-SHA512 with their secret as the salt, base64. */
export async function pbkdf2Signature(body: string, secret: string): Promise<string> {
  const derivedKey = await pbkdf2Async(body, secret, PBKDF2_ITERATIONS, PBKDF2_BYTES, 'sha512');
  return derivedKey.toString('base64');
}

/** Query of a launch link with username, password and the return URL of the wallet. */
export function loginQuery({ username, password, game, language, returnUrl }: LaunchOptions): string {
  const query = new URLSearchParams({ username, password, lang: language, return_url: returnUrl });
  if (game !== null) query.set('game', game);
  return query.toString();
}

/** `lifeMs`: lifetime, counted from the request. */
export type BearerToken = { text: string; lifeMs: number };
export type GetToken = (options: { over: string | undefined; timeoutMs: number }) => Promise<Done<string> | Refused>;

/** Time before its expiry at which a token is renewed, so that a call still arrives in time. */
const MARGIN_MAX_MS = 30_000;

/**
 * Caches a provider's login token, until it expires or the provider refuses it. Concurrent callers share one login.
 * @param logIn its outcome is never unknown: with any outcome of a login, the call itself has not been sent
 */
export function bearerTokens(logIn: () => Promise<Done<BearerToken> | Refused>): GetToken {
  let cachedToken: { text: string; endsAtMs: number } | undefined;
  let loggingIn: Promise<Done<string> | Refused> | undefined;

  const renewToken = async (): Promise<Done<string> | Refused> => {
    const startedMs = monotonicMs();
    const loginOutcome = await logIn();
    if (loginOutcome.outcome !== 'done') return loginOutcome;
    const { text, lifeMs } = loginOutcome.value;
    cachedToken = { text, endsAtMs: startedMs + lifeMs - Math.min(MARGIN_MAX_MS, lifeMs / 10) };
    return { outcome: 'done', value: text };
  };

  return async ({ over, timeoutMs }) => {
    // Reuses the token that a concurrent caller has just renewed.
    if (cachedToken && cachedToken.text !== over && monotonicMs() < cachedToken.endsAtMs)
      return { outcome: 'done', value: cachedToken.text };
    loggingIn ??= renewToken().finally(() => {
      loggingIn = undefined;
    });
    return withinTimeout(timeoutMs, loggingIn);
  };
}

/** Bounds the wait of a caller whose timeout is shorter than that of the caller that started the login. */
async function withinTimeout(
  timeoutMs: number,
  login: Promise<Done<string> | Refused>,
): Promise<Done<string> | Refused> {
  const timeoutAbort = new AbortController();
  try {
    return await Promise.race([
      login,
      sleep(timeoutMs, timeoutAbort.signal).then((): Refused => ({
        outcome: 'refused',
        reason: 'unreachable',
        note: 'no login in time',
      })),
    ]);
  } finally {
    timeoutAbort.abort();
  }
}
