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
import { creditsField, parseMovement, passwordField, parseReply, linkParser, usernameField } from '../replies.ts';
import { pbkdf2Signature } from '../signing.ts';

const SUCCESS_CODE = 1000;

const replyEnvelope = z.object({ status: z.object({ code: z.int() }), data: z.unknown() });
const nameReply = z.object({ username: usernameField });
const createdReply = nameReply.extend({ memberRef: outsideText(64), password: passwordField });
const movedReply = nameReply.extend({
  amount: creditsField,
  balance: z.object({ before: creditsField, after: creditsField }),
});

/**
 * pgslot: accounts come from a pool, with name and password chosen by the provider; the requested player name only
 * makes the call idempotent. Members enter by a link that the provider creates. A transfer has neither a client
 * reference nor a status inquiry.
 */
export function pgslotDialect({ agent, secret }: ConfigOf<'pgslot'>): Dialect {
  const callByName: CallByName = (callName, fields, read) => post(`/partner/${callName}`, { agent, ...fields }, read);
  return {
    encoding: 'json',
    verdict(replyBody) {
      const { data: envelope } = replyEnvelope.safeParse(replyBody);
      if (!envelope) return undefined;
      const { code } = envelope.status;
      return code === SUCCESS_CODE ? { data: envelope.data } : { code: String(code) };
    },
    codes: {
      1401: 'declined',
      1402: 'declined',
      1403: 'declined',
      1404: 'no-player',
      1405: 'pool-empty',
      1406: 'insufficient',
      1407: 'declined',
      1498: 'maintenance',
      1499: 'declined',
      9999: 'unknown',
    },
    async sign({ fields }) {
      return { headers: { 'x-amb-signature': await pbkdf2Signature(jsonBody(fields), secret) } };
    },
    ...plainCalls(callByName),
    create: ({ username: memberRef }) =>
      callByName(
        'create',
        { memberRef },
        parseReply(createdReply, ({ memberRef: reported, username, password }) =>
          reported === memberRef ? { username, password } : undefined,
        ),
      ),
    move: (movement) =>
      callByName(
        directionFields(movement),
        movementFields(movement),
        parseReply(movedReply, ({ balance: there, ...reported }) => parseMovement(movement, { ...reported, ...there })),
      ),
    launch: {
      kind: 'link',
      needsPassword: true,
      ask({ username, password, game, language, returnUrl }) {
        const gameField = game === null ? {} : { gameCode: game };
        return callByName('launch', { username, password, language, returnUrl, ...gameField }, linkParser);
      },
    },
  };
}
