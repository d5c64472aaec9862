import { monotonicMs, sleep } from '../../platform/clock.ts';
import type { Done, Refused } from './port.ts';

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
    // A caller with an expired token gets the token that another caller has renewed meanwhile.
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
