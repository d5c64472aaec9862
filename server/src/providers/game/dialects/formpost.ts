import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../../platform/clock.ts';
import type { ConfigOf } from '../../../outside/games.ts';
import { changeOf, writeCredits } from '../credits.ts';
import {
  type Call,
  creditsField,
  createdAsAsked,
  type Dialect,
  type Fields,
  isAbout,
  post,
  reads,
  usernameField,
} from '../dialect.ts';
import type { Moved, Movement, Player } from '../port.ts';
import { sortedQuery } from '../signing.ts';

const envelope = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), data: z.unknown() }),
  z.object({ ok: z.literal(false), error: z.string() }),
]);
const named = z.object({ username: usernameField });
const credit = named.extend({ credit: creditsField, outstanding: creditsField, turnover: creditsField });
const moved = named.extend({
  ref: z.string(),
  direction: z.enum(['in', 'out']),
  amount: creditsField,
  creditBefore: creditsField,
  creditAfter: creditsField,
});

/**
 * Providers whose site takes username and password from a form that the member's browser posts. Our reference makes a
 * transfer happen once and can be asked about for ever.
 */
export function formpostDialect({ merchant, secret, formCharacters }: ConfigOf<'formpost'>, clock: Clock): Dialect {
  const fits = (text: string): string => text.slice(0, formCharacters ?? undefined);
  return {
    encoding: 'form',
    verdict(answer) {
      const { data: read } = envelope.safeParse(answer);
      return read && (read.ok ? { data: read.data } : { code: read.error });
    },
    codes: {
      NO_MEMBER: 'absent',
      NO_TRANSACTION: 'absent',
      EXISTS: 'exists',
      NOT_ENOUGH: 'insufficient',
      CLOSED: 'maintenance',
      // Our reference with other values: what it did with them is another question.
      REF_USED: 'unknown',
      INTERNAL: 'unknown',
    },
    sign({ fields }) {
      const all = { ...fields, merchant, time: Math.floor(clock.now().getTime() / 1000) };
      const sign = createHmac('sha256', secret).update(sortedQuery(all), 'utf8').digest('hex');
      return { fields: { ...all, sign } };
    },
    create: (player) =>
      ask(
        'member/create',
        player,
        reads(named, (told) => createdAsAsked(player, told)),
      ),
    setPassword: (player) =>
      ask(
        'member/password',
        player,
        reads(named, () => true as const),
      ),
    balance: (username) =>
      ask(
        'member/balance',
        { username },
        reads(credit, ({ credit: cash, outstanding, turnover, ...told }) =>
          isAbout(username, told) ? { cash, outstanding, turnover } : undefined,
        ),
      ),
    move: (movement) =>
      ask(
        `credit/${movement.direction}`,
        { username: movement.username, amount: writeCredits(movement.amount), ref: movement.reference },
        readsMoved(movement),
      ),
    check: (movement) =>
      ask('credit/find', { username: movement.username, ref: movement.reference }, readsMoved(movement)),
    launch: {
      kind: 'form',
      form: ({ username, password }: Player, site) => ({
        action: `${site}/login`,
        fields: { username: fits(username), password: fits(password) },
      }),
    },
  };
}

const ask = <T>(word: string, fields: Fields, read: Call<T>['read']): Call<T> => post(`/api/${word}`, fields, read);

const readsMoved = (movement: Movement): Call<Moved>['read'] =>
  reads(moved, ({ creditBefore, creditAfter, ...told }): Moved | undefined => {
    const { username, direction, amount, reference } = movement;
    const isOurs =
      told.ref === reference &&
      isAbout(username, told) &&
      told.direction === direction &&
      told.amount === amount &&
      creditAfter - creditBefore === changeOf(movement);
    return isOurs ? { balance: creditAfter } : undefined;
  });
