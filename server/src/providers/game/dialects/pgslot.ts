import { z } from 'zod';
import type { ConfigOf } from '../../../outside/games.ts';
import { writeCredits } from '../credits.ts';
import {
  type Call,
  creditsField,
  type Dialect,
  type Fields,
  isAbout,
  jsonBody,
  linkField,
  movedAsAsked,
  passwordField,
  post,
  reads,
  readsYes,
  usernameField,
} from '../dialect.ts';
import { pbkdf2Signature } from '../pbkdf2-signature.ts';

const DONE = 1000;

const envelope = z.object({ status: z.object({ code: z.int() }), data: z.unknown() });
const named = z.object({ username: usernameField });
const created = named.extend({ memberRef: z.string(), password: passwordField });
const balance = named.extend({ balance: creditsField, outstanding: creditsField, turnover: creditsField });
const moved = named.extend({
  amount: creditsField,
  balance: z.object({ before: creditsField, after: creditsField }),
});
const link = z.object({ url: linkField });

/**
 * pgslot: accounts come out of a pool, with a name and a password of the provider's own; our name for the player only
 * makes it the same account when we ask again. Members get in by a link that the provider makes. A transfer has no
 * reference of ours and can't be asked about.
 */
export function pgslotDialect({ agent, secret }: ConfigOf<'pgslot'>): Dialect {
  const ask = <T>(word: string, fields: Fields, read: Call<T>['read']): Call<T> =>
    post(`/partner/${word}`, { agent, ...fields }, read);
  return {
    encoding: 'json',
    verdict(answer) {
      const { data: read } = envelope.safeParse(answer);
      if (!read) return undefined;
      const { code } = read.status;
      return code === DONE ? { data: read.data } : { code: String(code) };
    },
    codes: { 1404: 'absent', 1405: 'pool-empty', 1406: 'insufficient', 1498: 'maintenance', 9999: 'unknown' },
    async sign({ fields }) {
      return { headers: { 'x-amb-signature': await pbkdf2Signature(jsonBody(fields), secret) } };
    },
    create: ({ username: memberRef }) =>
      ask(
        'create',
        { memberRef },
        reads(created, ({ memberRef: told, username, password }) =>
          told === memberRef ? { username, password } : undefined,
        ),
      ),
    setPassword: (player) => ask('password', player, readsYes),
    balance: (username) =>
      ask(
        'balance',
        { username },
        reads(balance, ({ balance: cash, outstanding, turnover, ...told }) =>
          isAbout(username, told) ? { cash, outstanding, turnover } : undefined,
        ),
      ),
    move: (movement) =>
      ask(
        movement.direction === 'in' ? 'deposit' : 'withdraw',
        { username: movement.username, amount: writeCredits(movement.amount) },
        reads(moved, ({ balance: there, ...told }) => movedAsAsked(movement, { ...told, ...there })),
      ),
    launch: {
      kind: 'link',
      needsPassword: true,
      ask({ username, password, game, language, returnUrl }) {
        const wanted = game === null ? {} : { gameCode: game };
        return ask(
          'launch',
          { username, password, language, returnUrl, ...wanted },
          reads(link, ({ url }) => ({ link: url })),
        );
      },
    },
  };
}
