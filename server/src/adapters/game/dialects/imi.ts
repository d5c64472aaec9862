import { z } from 'zod';
import type { ConfigOf } from '../config.ts';
import {
  creditsField,
  isAbout,
  parseMovement,
  parseReply,
  readsCreated,
  readsLink,
  usernameField,
} from '../replies.ts';
import { type Dialect, post, type CallByName, movementFields, plainCalls, directionFields } from '../dialect.ts';
import { credits } from '../port.ts';
import { outsideText } from '../../outside-text.ts';

const DONE = 0;
const NOTHING = credits(0n);
/** Code of its sports brand, among all those behind one key. */
const PRODUCT = 'SPORT';

const CODES: Dialect['codes'] = {
  401: 'declined',
  1001: 'declined',
  1002: 'no-player',
  1003: 'exists',
  1004: 'insufficient',
  // Our reference again: this proves nothing about the first call.
  1005: 'unknown',
  1006: 'declined',
  1007: 'declined',
  1098: 'maintenance',
  1099: 'declined',
  9999: 'unknown',
};

const envelope = z.object({ code: z.int(), data: z.unknown() });
const named = z.object({ username: usernameField });
const balance = named.extend({ balance: creditsField, turnover: creditsField });
const outstanding = named.extend({ outstanding: creditsField, lastBetId: z.int().nullable() });
const moved = named.extend({
  transactionRef: outsideText(64),
  amount: creditsField,
  beforeBalance: creditsField,
  afterBalance: creditsField,
});

const ask: CallByName = (word, fields, read) => post(`/${word}`, fields, read);

/**
 * imi: players by name and password, who enter by a link that the provider creates. A client reference is accepted once
 * and refused afterwards, whatever the outcome; there is no status inquiry. A separate call returns open bets.
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
    ...plainCalls(ask),
    create: (player) => ask('member', player, readsCreated(player)),
    balance: (username) =>
      ask(
        'balance',
        { username },
        parseReply(balance, ({ balance: cash, turnover, ...reported }) =>
          isAbout(username, reported) ? { cash, outstanding: NOTHING, turnover } : undefined,
        ),
      ),
    outstanding: (username) =>
      ask(
        'outstanding',
        { username },
        parseReply(outstanding, (reported) =>
          isAbout(username, reported)
            ? { outstanding: reported.outstanding, mark: String(reported.lastBetId) }
            : undefined,
        ),
      ),
    move: (movement) =>
      ask(
        directionFields(movement),
        { ...movementFields(movement), transactionRef: movement.reference },
        parseReply(moved, ({ beforeBalance: before, afterBalance: after, transactionRef, ...reported }) =>
          transactionRef === movement.reference ? parseMovement(movement, { ...reported, before, after }) : undefined,
        ),
      ),
    launch: {
      kind: 'link',
      needsPassword: true,
      ask({ username, password, game, language, returnUrl }) {
        const gameField = game === null ? {} : { gameCode: game };
        const fields = { username, password, productId: PRODUCT, language, returnUrl, ...gameField };
        return ask('logIn', fields, readsLink);
      },
    },
  };
}
