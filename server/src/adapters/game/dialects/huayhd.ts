import { z } from 'zod';
import type { ConfigOf } from '../config.ts';
import { creditsField, isAbout, changedByExactly, parseReply, readsLink } from '../replies.ts';
import {
  type Dialect,
  jsonBody,
  post,
  type CallByName,
  movementFields,
  plainCalls,
  directionFields,
} from '../dialect.ts';
import { pbkdf2Signature } from '../signing.ts';
import type { Moved, Movement } from '../port.ts';
import { outsideText } from '../../outside-text.ts';

const DONE = 0;
const TYPE = { in: 'DEPOSIT', out: 'WITHDRAW' } as const;

const CODES: Dialect['codes'] = {
  4001: 'declined',
  4002: 'declined',
  4003: 'no-player',
  4004: 'exists',
  4005: 'insufficient',
  4006: 'declined',
  // Our reference with other values: this proves nothing about the first call.
  4009: 'unknown',
  4020: 'open-bets',
  4040: 'no-transfer',
  4099: 'declined',
  5030: 'maintenance',
  9999: 'unknown',
};

const envelope = z.object({ code: z.int(), data: z.unknown() });
const moved = z.object({
  transactionRef: outsideText(64),
  amount: creditsField,
  balance: z.object({ before: creditsField, after: creditsField }),
});
const found = z.object({ ...moved.shape, username: outsideText(64), type: outsideText(64) });

/**
 * Huay HD, a lottery: no withdrawals while bets are open, even of remaining credit. Our reference makes a transfer
 * idempotent and can be inquired about for ever.
 */
export function huayhdDialect({ agent, secret }: ConfigOf<'huayhd'>): Dialect {
  const ask: CallByName = (word, fields, read) => post(`/seamless/${word}`, { agent, ...fields }, read);
  return {
    encoding: 'json',
    verdict(answer) {
      const { data: read } = envelope.safeParse(answer);
      return read && (read.code === DONE ? { data: read.data } : { code: String(read.code) });
    },
    codes: CODES,
    sign: async ({ fields }) => ({ headers: { 'x-signature': await pbkdf2Signature(jsonBody(fields), secret) } }),
    ...plainCalls(ask),
    move: (movement) =>
      ask(
        directionFields(movement),
        { ...movementFields(movement), transactionRef: movement.reference },
        parseReply(moved, (reported): Moved | undefined =>
          isSame(movement, reported) ? { balance: reported.balance.after } : undefined,
        ),
      ),
    check(movement) {
      const { username, direction, reference } = movement;
      const read = parseReply(found, (reported): Moved | undefined => {
        const isOurs = isSame(movement, reported) && isAbout(username, reported) && reported.type === TYPE[direction];
        return isOurs ? { balance: reported.balance.after } : undefined;
      });
      return ask('transaction', { username, transactionRef: reference }, read);
    },
    launch: {
      kind: 'link',
      needsPassword: false,
      ask({ username, game, language, returnUrl }) {
        const fields = { username, language, returnUrl, ...(game === null ? {} : { game }) };
        return ask('launch', fields, readsLink);
      },
    },
  };
}

const isSame = (movement: Movement, { transactionRef, amount, balance }: z.output<typeof moved>): boolean =>
  transactionRef === movement.reference && amount === movement.amount && changedByExactly(movement, balance);
