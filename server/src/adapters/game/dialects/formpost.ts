import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../../platform/time.ts';
import type { ConfigOf } from '../config.ts';
import {
  creditsField,
  isAbout,
  changedByExactly,
  parseReply,
  readsCreated,
  readsSet,
  usernameField,
} from '../replies.ts';
import { type ProviderCall, type Dialect, post, type CallByName, movementFields } from '../dialect.ts';
import type { Moved, Movement, Player } from '../port.ts';
import { sortedQuery } from '../signing.ts';
import { outsideText } from '../../outside-text.ts';

const envelope = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), data: z.unknown() }),
  z.object({ ok: z.literal(false), error: outsideText(64) }),
]);
const named = z.object({ username: usernameField });
const credit = named.extend({ credit: creditsField, outstanding: creditsField, turnover: creditsField });
const moved = named.extend({
  ref: outsideText(64),
  direction: z.enum(['in', 'out']),
  amount: creditsField,
  creditBefore: creditsField,
  creditAfter: creditsField,
});

/**
 * Providers whose site takes username and password from a form that the member's browser posts. Our reference makes a
 * transfer idempotent and can be inquired about for ever.
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
      BAD_SIGN: 'declined',
      BAD_FIELD: 'declined',
      REFUSED: 'declined',
      NO_MEMBER: 'no-player',
      NO_TRANSACTION: 'no-transfer',
      EXISTS: 'exists',
      NOT_ENOUGH: 'insufficient',
      CLOSED: 'maintenance',
      // Our reference with other values: this proves nothing about the first call.
      REF_USED: 'unknown',
      INTERNAL: 'unknown',
    },
    sign({ fields }) {
      const all = { ...fields, merchant, time: Math.floor(clock.now().getTime() / 1000) };
      const sign = createHmac('sha256', secret).update(sortedQuery(all), 'utf8').digest('hex');
      return { fields: { ...all, sign } };
    },
    create: (player) => ask('member/create', player, readsCreated(player)),
    setPassword: (player) => ask('member/password', player, readsSet(player)),
    balance: (username) =>
      ask(
        'member/balance',
        { username },
        parseReply(credit, ({ credit: cash, outstanding, turnover, ...reported }) =>
          isAbout(username, reported) ? { cash, outstanding, turnover } : undefined,
        ),
      ),
    move: (movement) =>
      ask(
        `credit/${movement.direction}`,
        { ...movementFields(movement), ref: movement.reference },
        readsMoved(movement),
      ),
    check: (movement) =>
      ask('credit/find', { username: movement.username, ref: movement.reference }, readsMoved(movement)),
    launch: {
      kind: 'form',
      form: ({ username, password }: Player, { language, returnUrl }, site) => ({
        action: `${site}/login`,
        fields: { username: fits(username), password: fits(password), lang: language, return_url: returnUrl },
      }),
    },
  };
}

const ask: CallByName = (word, fields, read) => post(`/api/${word}`, fields, read);

const readsMoved = (movement: Movement): ProviderCall<Moved>['read'] =>
  parseReply(moved, ({ creditBefore, creditAfter, ...reported }): Moved | undefined => {
    const { username, direction, amount, reference } = movement;
    const isOurs =
      reported.ref === reference &&
      isAbout(username, reported) &&
      reported.direction === direction &&
      reported.amount === amount &&
      changedByExactly(movement, { before: creditBefore, after: creditAfter });
    return isOurs ? { balance: creditAfter } : undefined;
  });
