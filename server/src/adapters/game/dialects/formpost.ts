import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../../platform/time.ts';
import { outsideText } from '../../outside-text.ts';
import type { ConfigOf } from '../config.ts';
import { type ProviderCall, type Dialect, post, type CallByName, movementFields } from '../dialect.ts';
import type { Moved, Movement, Player } from '../port.ts';
import {
  creditsField,
  isAbout,
  changedByExactly,
  parseReply,
  createdParser,
  passwordSetParser,
  usernameField,
} from '../replies.ts';
import { sortedQuery } from '../signing.ts';

const replyEnvelope = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), data: z.unknown() }),
  z.object({ ok: z.literal(false), error: outsideText(64) }),
]);
const nameReply = z.object({ username: usernameField });
const creditReply = nameReply.extend({ credit: creditsField, outstanding: creditsField, turnover: creditsField });
const movedReply = nameReply.extend({
  ref: outsideText(64),
  direction: z.enum(['in', 'out']),
  amount: creditsField,
  creditBefore: creditsField,
  creditAfter: creditsField,
});

/**
 * Providers with a login form that the member's browser posts. Our reference makes a transfer idempotent, and inquiries
 * by reference never expire.
 */
export function formpostDialect({ merchant, secret, formCharacters }: ConfigOf<'formpost'>, clock: Clock): Dialect {
  const truncateForForm = (text: string): string => text.slice(0, formCharacters ?? undefined);
  return {
    encoding: 'form',
    verdict(replyBody) {
      const { data: envelope } = replyEnvelope.safeParse(replyBody);
      return envelope && (envelope.ok ? { data: envelope.data } : { code: envelope.error });
    },
    codes: {
      BAD_SIGN: 'declined',
      BAD_FIELD: 'declined',
      REFUSED: 'declined',
      NO_MEMBER: 'no-player',
      NO_TRANSACTION: 'no-transfer',
      EXISTS: 'exists',
      NOT_ENOUGH: 'insufficient',
      CLOSED: 'maintenance',
      // The reference was used with other values, which proves nothing about the first call.
      REF_USED: 'unknown',
      INTERNAL: 'unknown',
    },
    sign({ fields }) {
      const allFields = { ...fields, merchant, time: Math.floor(clock.now().getTime() / 1000) };
      const sign = createHmac('sha256', secret).update(sortedQuery(allFields), 'utf8').digest('hex');
      return { fields: { ...allFields, sign } };
    },
    create: (player) => callByName('member/create', player, createdParser(player)),
    setPassword: (player) => callByName('member/password', player, passwordSetParser(player)),
    balance: (username) =>
      callByName(
        'member/balance',
        { username },
        parseReply(creditReply, ({ credit: cash, outstanding, turnover, ...reported }) =>
          isAbout(username, reported) ? { cash, outstanding, turnover } : undefined,
        ),
      ),
    move: (movement) =>
      callByName(
        `credit/${movement.direction}`,
        { ...movementFields(movement), ref: movement.reference },
        movedParser(movement),
      ),
    check: (movement) =>
      callByName('credit/find', { username: movement.username, ref: movement.reference }, movedParser(movement)),
    launch: {
      kind: 'form',
      form: ({ username, password }: Player, { language, returnUrl }, site) => ({
        action: `${site}/login`,
        fields: {
          username: truncateForForm(username),
          password: truncateForForm(password),
          lang: language,
          return_url: returnUrl,
        },
      }),
    },
  };
}

const callByName: CallByName = (callName, fields, read) => post(`/api/${callName}`, fields, read);

const movedParser = (movement: Movement): ProviderCall<Moved>['read'] =>
  parseReply(movedReply, ({ creditBefore, creditAfter, ...reported }): Moved | undefined => {
    const { username, direction, amount, reference } = movement;
    const isOurs =
      reported.ref === reference &&
      isAbout(username, reported) &&
      reported.direction === direction &&
      reported.amount === amount &&
      changedByExactly(movement, { before: creditBefore, after: creditAfter });
    return isOurs ? { balance: creditAfter } : undefined;
  });
