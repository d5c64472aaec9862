import { z } from 'zod';
import { outsideText } from '../../outside-text.ts';
import type { ConfigOf } from '../config.ts';
import {
  type Dialect,
  jsonBody,
  post,
  type CallByName,
  movementFields,
  plainCalls,
  directionFields,
} from '../dialect.ts';
import type { Moved, Movement } from '../port.ts';
import { creditsField, isAbout, changedByExactly, parseReply, linkParser } from '../replies.ts';
import { pbkdf2Signature } from '../signing.ts';

const SUCCESS_CODE = 0;
const TYPE_OF_DIRECTION = { in: 'DEPOSIT', out: 'WITHDRAW' } as const;

const REPLY_MEANINGS: Dialect['codes'] = {
  4001: 'declined',
  4002: 'declined',
  4003: 'no-player',
  4004: 'exists',
  4005: 'insufficient',
  4006: 'declined',
  // The reference was used with other values, which proves nothing about the first call.
  4009: 'unknown',
  4020: 'open-bets',
  4040: 'no-transfer',
  4099: 'declined',
  5030: 'maintenance',
  9999: 'unknown',
};

const replyEnvelope = z.object({ code: z.int(), data: z.unknown() });
const movedReply = z.object({
  transactionRef: outsideText(64),
  amount: creditsField,
  balance: z.object({ before: creditsField, after: creditsField }),
});
const checkReply = z.object({ ...movedReply.shape, username: outsideText(64), type: outsideText(64) });

/**
 * Huay HD, a lottery: no withdrawals while bets are open, even of remaining credit. Our reference makes a transfer
 * idempotent, and inquiries by reference never expire.
 */
export function huayhdDialect({ agent, secret }: ConfigOf<'huayhd'>): Dialect {
  const callByName: CallByName = (callName, fields, read) => post(`/seamless/${callName}`, { agent, ...fields }, read);
  return {
    encoding: 'json',
    verdict(replyBody) {
      const { data: envelope } = replyEnvelope.safeParse(replyBody);
      return envelope && (envelope.code === SUCCESS_CODE ? { data: envelope.data } : { code: String(envelope.code) });
    },
    codes: REPLY_MEANINGS,
    sign: async ({ fields }) => ({ headers: { 'x-signature': await pbkdf2Signature(jsonBody(fields), secret) } }),
    ...plainCalls(callByName),
    move: (movement) =>
      callByName(
        directionFields(movement),
        { ...movementFields(movement), transactionRef: movement.reference },
        parseReply(movedReply, (reported): Moved | undefined =>
          matchesMovement(movement, reported) ? { balance: reported.balance.after } : undefined,
        ),
      ),
    check(movement) {
      const { username, direction, reference } = movement;
      const read = parseReply(checkReply, (reported): Moved | undefined => {
        const isOurs =
          matchesMovement(movement, reported) &&
          isAbout(username, reported) &&
          reported.type === TYPE_OF_DIRECTION[direction];
        return isOurs ? { balance: reported.balance.after } : undefined;
      });
      return callByName('transaction', { username, transactionRef: reference }, read);
    },
    launch: {
      kind: 'link',
      needsPassword: false,
      ask({ username, game, language, returnUrl }) {
        const fields = { username, language, returnUrl, ...(game === null ? {} : { game }) };
        return callByName('launch', fields, linkParser);
      },
    },
  };
}

const matchesMovement = (
  movement: Movement,
  { transactionRef, amount, balance }: z.output<typeof movedReply>,
): boolean =>
  transactionRef === movement.reference && amount === movement.amount && changedByExactly(movement, balance);
