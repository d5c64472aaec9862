import { z } from 'zod';
import { outsideText } from '../../outside-text.ts';
import type { ConfigOf } from '../config.ts';
import { type Dialect, post, type CallByName, movementFields, plainCalls, directionFields } from '../dialect.ts';
import { credits } from '../port.ts';
import {
  creditsField,
  isAbout,
  parseMovement,
  parseReply,
  createdParser,
  linkParser,
  usernameField,
} from '../replies.ts';

const SUCCESS_CODE = 0;
const NO_CREDITS = credits(0n);
/** Code of the sports brand, one of several brands with the same key. */
const SPORTS_PRODUCT = 'SPORT';

const REPLY_MEANINGS: Dialect['codes'] = {
  401: 'declined',
  1001: 'declined',
  1002: 'no-player',
  1003: 'exists',
  1004: 'insufficient',
  // The reference was used before, which proves nothing about the first call.
  1005: 'unknown',
  1006: 'declined',
  1007: 'declined',
  1098: 'maintenance',
  1099: 'declined',
  9999: 'unknown',
};

const replyEnvelope = z.object({ code: z.int(), data: z.unknown() });
const nameReply = z.object({ username: usernameField });
const balanceReply = nameReply.extend({ balance: creditsField, turnover: creditsField });
const outstandingReply = nameReply.extend({ outstanding: creditsField, lastBetId: z.int().nullable() });
const movedReply = nameReply.extend({
  transactionRef: outsideText(64),
  amount: creditsField,
  beforeBalance: creditsField,
  afterBalance: creditsField,
});

const callByName: CallByName = (callName, fields, read) => post(`/${callName}`, fields, read);

/**
 * imi: players by name and password, who enter by a link that the provider creates. A client reference is accepted once
 * and refused afterwards, whatever the outcome; there is no status inquiry. A separate call returns open bets.
 */
export function imiDialect({ user, password: secret }: ConfigOf<'imi'>): Dialect {
  const authorization = `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`;
  return {
    encoding: 'json',
    statuses: [200, 401],
    verdict(replyBody) {
      const { data: envelope } = replyEnvelope.safeParse(replyBody);
      if (!envelope) return undefined;
      return envelope.code === SUCCESS_CODE ? { data: envelope.data } : { code: String(envelope.code) };
    },
    codes: REPLY_MEANINGS,
    sign: () => ({ headers: { authorization } }),
    ...plainCalls(callByName),
    create: (player) => callByName('member', player, createdParser(player)),
    balance: (username) =>
      callByName(
        'balance',
        { username },
        parseReply(balanceReply, ({ balance: cash, turnover, ...reported }) =>
          isAbout(username, reported) ? { cash, outstanding: NO_CREDITS, turnover } : undefined,
        ),
      ),
    outstanding: (username) =>
      callByName(
        'outstanding',
        { username },
        parseReply(outstandingReply, (reported) =>
          isAbout(username, reported)
            ? { outstanding: reported.outstanding, mark: String(reported.lastBetId) }
            : undefined,
        ),
      ),
    move: (movement) =>
      callByName(
        directionFields(movement),
        { ...movementFields(movement), transactionRef: movement.reference },
        parseReply(movedReply, ({ beforeBalance: before, afterBalance: after, transactionRef, ...reported }) =>
          transactionRef === movement.reference ? parseMovement(movement, { ...reported, before, after }) : undefined,
        ),
      ),
    launch: {
      kind: 'link',
      needsPassword: true,
      ask({ username, password, game, language, returnUrl }) {
        const gameField = game === null ? {} : { gameCode: game };
        const fields = { username, password, productId: SPORTS_PRODUCT, language, returnUrl, ...gameField };
        return callByName('logIn', fields, linkParser);
      },
    },
  };
}
