import { z } from 'zod';
import type { ConfigOf } from '../../../outside/games.ts';
import { changeOf, writeCredits } from '../credits.ts';
import {
  type Call,
  creditsField,
  createdAsAsked,
  type Dialect,
  type Fields,
  isAbout,
  jsonBody,
  linkField,
  post,
  reads,
  usernameField,
} from '../dialect.ts';
import type { Moved, Movement } from '../port.ts';
import { pbkdf2Signature } from '../pbkdf2-signature.ts';

const DONE = 0;
const TYPE = { in: 'DEPOSIT', out: 'WITHDRAW' } as const;

const CODES: Dialect['codes'] = {
  4003: 'absent',
  4004: 'exists',
  4005: 'insufficient',
  // Our reference with other values: what it did with them is another question.
  4009: 'unknown',
  4020: 'open-bets',
  4040: 'absent',
  5030: 'maintenance',
  9999: 'unknown',
};

const envelope = z.object({ code: z.int(), data: z.unknown() });
const named = z.object({ username: usernameField });
const credit = named.extend({ balance: creditsField, outstanding: creditsField, turnover: creditsField });
const moved = z.object({
  transactionRef: z.string(),
  amount: creditsField,
  balance: z.object({ before: creditsField, after: creditsField }),
});
const found = z.object({ ...moved.shape, username: z.string(), type: z.string() });
const opened = z.object({ url: linkField });

/**
 * Huay HD, a lottery: nothing leaves it while bets are open, whatever credit is left beside them. Our reference makes a
 * transfer happen once and can be asked about for ever.
 */
export function huayhdDialect({ agent, secret }: ConfigOf<'huayhd'>): Dialect {
  const ask = <T>(word: string, fields: Fields, read: Call<T>['read']): Call<T> =>
    post(`/seamless/${word}`, { agent, ...fields }, read);
  return {
    encoding: 'json',
    verdict(answer) {
      const { data: read } = envelope.safeParse(answer);
      return read && (read.code === DONE ? { data: read.data } : { code: String(read.code) });
    },
    codes: CODES,
    sign: async ({ fields }) => ({ headers: { 'x-signature': await pbkdf2Signature(jsonBody(fields), secret) } }),
    create: (player) =>
      ask(
        'create',
        player,
        reads(named, (told) => createdAsAsked(player, told)),
      ),
    setPassword: (player) =>
      ask(
        'password',
        player,
        reads(named, () => true as const),
      ),
    balance: (username) =>
      ask(
        'balance',
        { username },
        reads(credit, ({ balance: cash, outstanding, turnover, ...told }) =>
          isAbout(username, told) ? { cash, outstanding, turnover } : undefined,
        ),
      ),
    move(movement) {
      const { username, direction, amount, reference } = movement;
      const fields = { username, amount: writeCredits(amount), transactionRef: reference };
      const read = reads(moved, (told): Moved | undefined =>
        isSame(movement, told) ? { balance: told.balance.after } : undefined,
      );
      return ask(direction === 'in' ? 'deposit' : 'withdraw', fields, read);
    },
    check(movement) {
      const { username, direction, reference } = movement;
      const read = reads(found, (told): Moved | undefined => {
        const isOurs = isSame(movement, told) && isAbout(username, told) && told.type === TYPE[direction];
        return isOurs ? { balance: told.balance.after } : undefined;
      });
      return ask('transaction', { username, transactionRef: reference }, read);
    },
    launch: {
      kind: 'link',
      needsPassword: false,
      ask({ username, game, language, returnUrl }) {
        const fields = { username, language, returnUrl, ...(game === null ? {} : { game }) };
        return ask(
          'launch',
          fields,
          reads(opened, ({ url }) => ({ link: url })),
        );
      },
    },
  };
}

const isSame = (movement: Movement, { transactionRef, amount, balance }: z.output<typeof moved>): boolean =>
  transactionRef === movement.reference &&
  amount === movement.amount &&
  balance.after - balance.before === changeOf(movement);
