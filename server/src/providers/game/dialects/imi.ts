import { z } from 'zod';
import type { ConfigOf } from '../../../outside/games.ts';
import { writeCredits } from '../credits.ts';
import {
  creditsField,
  createdAsAsked,
  type Dialect,
  isAbout,
  linkField,
  movedAsAsked,
  post,
  reads,
  readsYes,
  usernameField,
} from '../dialect.ts';
import { credits } from '../port.ts';

const DONE = 0;
const NOTHING = credits(0n);
/** What its brand for bets on sport is called among all those behind one key. */
const PRODUCT = 'SPORT';

const CODES: Dialect['codes'] = {
  1002: 'absent',
  1003: 'exists',
  1004: 'insufficient',
  // Our reference again: what became of it the first time is another question.
  1005: 'unknown',
  1098: 'maintenance',
  9999: 'unknown',
};

const envelope = z.object({ code: z.int(), data: z.unknown() });
const named = z.object({ username: usernameField });
const balance = named.extend({ balance: creditsField, turnover: creditsField });
const outstanding = named.extend({ outstanding: creditsField, lastBetId: z.int().nullable() });
const moved = named.extend({
  transactionRef: z.string(),
  amount: creditsField,
  beforeBalance: creditsField,
  afterBalance: creditsField,
});
const link = z.object({ url: linkField });

/**
 * imi: players by name and password, who get in by a link that the provider makes. A reference of ours is taken once and
 * then refused, whatever became of it; it can't be asked about. Open bets are told by a call of their own.
 */
export function imiDialect({ user, password: secret }: ConfigOf<'imi'>): Dialect {
  const authorization = `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
  return {
    encoding: 'json',
    statuses: [200, 401],
    verdict(answer) {
      const { data: read } = envelope.safeParse(answer);
      if (!read) return undefined;
      return read.code === DONE ? { data: read.data } : { code: String(read.code) };
    },
    codes: CODES,
    sign: () => ({ headers: { authorization } }),
    create: (player) =>
      post(
        '/member',
        player,
        reads(named, (told) => createdAsAsked(player, told)),
      ),
    setPassword: (player) => post('/password', player, readsYes),
    balance: (username) =>
      post(
        '/balance',
        { username },
        reads(balance, (told) =>
          isAbout(username, told) ? { cash: told.balance, outstanding: NOTHING, turnover: told.turnover } : undefined,
        ),
      ),
    outstanding: (username) =>
      post(
        '/outstanding',
        { username },
        reads(outstanding, (told) =>
          isAbout(username, told) ? { outstanding: told.outstanding, mark: String(told.lastBetId) } : undefined,
        ),
      ),
    move(movement) {
      const { username, direction, amount, reference } = movement;
      const read = reads(moved, ({ beforeBalance, afterBalance, transactionRef, ...told }) =>
        transactionRef === reference
          ? movedAsAsked(movement, { ...told, before: beforeBalance, after: afterBalance })
          : undefined,
      );
      const fields = { username, amount: writeCredits(amount), transactionRef: reference };
      return post(direction === 'in' ? '/deposit' : '/withdraw', fields, read);
    },
    launch: {
      kind: 'link',
      needsPassword: true,
      ask({ username, password, game, language, returnUrl }) {
        const wanted = game === null ? {} : { gameCode: game };
        const fields = { username, password, productId: PRODUCT, language, returnUrl, ...wanted };
        return post(
          '/logIn',
          fields,
          reads(link, ({ url }) => ({ link: url })),
        );
      },
    },
  };
}
