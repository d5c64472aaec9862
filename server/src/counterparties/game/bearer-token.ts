import { monotonicMs, sleep } from '../../platform/clock.ts';
import type { Done, Refused } from './port.ts';

/** `lifeMs`: how long it holds from when it was asked for. */
export type Token = { text: string; lifeMs: number };
export type Tokens = (asked: { over: string | undefined; timeoutMs: number }) => Promise<Done<string> | Refused>;

/** A token is given up this much before its end: a call must still arrive with it. */
const MARGIN_MAX_MS = 30_000;

/**
 * Keeps the token of a provider that has to be logged in to, until it ends or the provider says that it is over. However
 * many ask at the same moment, one login is made for all of them.
 * @param logIn never unknown: whatever became of a login, nothing of ours has been sent then
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
    // Whoever comes with a token that is over finds the one that another got meanwhile.
    if (kept && kept.text !== over && monotonicMs() < kept.endsAtMs) return { outcome: 'done', value: kept.text };
    loggingIn ??= renew().finally(() => {
      loggingIn = undefined;
    });
    return within(timeoutMs, loggingIn);
  };
}

/** The asker may have less patience than whoever began the login. */
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
