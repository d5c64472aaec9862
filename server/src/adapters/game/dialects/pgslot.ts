import { z } from 'zod';
import type { ConfigOf } from '../config.ts';
import { creditsField, parseMovement, passwordField, parseReply, readsLink, usernameField } from '../replies.ts';
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
import { outsideText } from '../../outside-text.ts';

const DONE = 1000;

const envelope = z.object({ status: z.object({ code: z.int() }), data: z.unknown() });
const named = z.object({ username: usernameField });
const created = named.extend({ memberRef: outsideText(64), password: passwordField });
const moved = named.extend({
  amount: creditsField,
  balance: z.object({ before: creditsField, after: creditsField }),
});

/**
 * pgslot: accounts come from a pool, with name and password chosen by the provider; the requested player name only
 * makes the call idempotent. Members enter by a link that the provider creates. A transfer has neither a client
 * reference nor a status inquiry.
 */
export function pgslotDialect({ agent, secret }: ConfigOf<'pgslot'>): Dialect {
  const ask: CallByName = (word, fields, read) => post(`/partner/${word}`, { agent, ...fields }, read);
  return {
    encoding: 'json',
    verdict(answer) {
      const { data: read } = envelope.safeParse(answer);
      if (!read) return undefined;
      const { code } = read.status;
      return code === DONE ? { data: read.data } : { code: String(code) };
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
    ...plainCalls(ask),
    create: ({ username: memberRef }) =>
      ask(
        'create',
        { memberRef },
        parseReply(created, ({ memberRef: reported, username, password }) =>
          reported === memberRef ? { username, password } : undefined,
        ),
      ),
    move: (movement) =>
      ask(
        directionFields(movement),
        movementFields(movement),
        parseReply(moved, ({ balance: there, ...reported }) => parseMovement(movement, { ...reported, ...there })),
      ),
    launch: {
      kind: 'link',
      needsPassword: true,
      ask({ username, password, game, language, returnUrl }) {
        const gameField = game === null ? {} : { gameCode: game };
        return ask('launch', { username, password, language, returnUrl, ...gameField }, readsLink);
      },
    },
  };
}
