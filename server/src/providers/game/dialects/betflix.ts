import { z } from 'zod';
import type { ConfigOf } from '../configs.ts';
import { changeOf, writeCredits } from '../credits.ts';
import {
  type Call,
  changeField,
  creditsField,
  type Dialect,
  type Fields,
  isAbout,
  reads,
  tokenField,
  usernameField,
} from '../dialect.ts';
import type { Moved } from '../port.ts';

const DONE = 0;

const envelope = z.object({ error_code: z.int(), data: z.unknown() });
const named = z.object({ username: usernameField });
const credit = z.object({ balance: creditsField, outstanding: creditsField, turnover: creditsField });
const moved = z.object({ username: z.string(), ref: z.string(), amount: changeField, balance: creditsField });
const session = z.object({ login_token: tokenField });

/**
 * Betflix: keys in headers, one call for both ways of money, negative takes out. A repeated reference is refused without a
 * word of what became of the first one, and nobody can be asked: only the balance before and after tells.
 */
export function betflixDialect({ apiKey, apiCat }: ConfigOf<'betflix'>): Dialect {
  const post = <T>(path: string, fields: Fields, read: Call<T>['read']): Call<T> => ({
    method: 'POST',
    path: `/v4/${path}`,
    fields,
    read,
  });
  return {
    encoding: 'form',
    verdict(answer) {
      const { data: read } = envelope.safeParse(answer);
      return read && (read.error_code === DONE ? { data: read.data } : { code: String(read.error_code) });
    },
    codes: {
      1003: 'absent',
      1004: 'exists',
      1006: 'insufficient',
      1008: 'unknown',
      1090: 'maintenance',
      1500: 'unknown',
    },
    sign: () => ({ headers: { 'x-api-key': apiKey, 'x-api-cat': apiCat } }),
    create: (player) =>
      post(
        'user/register',
        player,
        reads(named, (told) => told),
      ),
    setPassword: (player) =>
      post(
        'user/reset-password',
        player,
        reads(named, () => true as const),
      ),
    balance: (username) =>
      post(
        'user/balance',
        { username },
        reads(credit, ({ balance: cash, ...told }) => ({ cash, ...told })),
      ),
    move(movement) {
      const { username, reference } = movement;
      const change = changeOf(movement);
      const read = reads(moved, (told): Moved | undefined =>
        told.ref === reference && isAbout(username, told) && told.amount === change
          ? { balance: told.balance }
          : undefined,
      );
      return post('user/transfer', { username, amount: writeCredits(change), ref: reference }, read);
    },
    launch: {
      kind: 'link',
      needsPassword: false,
      ask({ username, game, language, returnUrl }, site) {
        const fields = { username, lang: language, return_url: returnUrl, ...(game === null ? {} : { game }) };
        return post(
          'play/login',
          fields,
          reads(session, (told) => ({ link: `${site}/play/login?token=${told.login_token}` })),
        );
      },
    },
  };
}
