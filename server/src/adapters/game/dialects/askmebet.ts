import { z } from 'zod';
import type { ConfigOf } from '../config.ts';
import { creditsField, changedByExactly, parseReply, parseEmptyReply, usernameField } from '../replies.ts';
import { writeCredits, type Moved } from '../port.ts';
import { type ProviderCall, type Dialect, type Fields, callPath, directionFields } from '../dialect.ts';
import { loginQuery, md5 } from '../signing.ts';

const DONE = 0;

const CODES: Dialect['codes'] = {
  999: 'unknown',
  1001: 'declined',
  1002: 'declined',
  1003: 'no-player',
  1004: 'exists',
  1005: 'insufficient',
  1006: 'declined',
  1098: 'maintenance',
  1099: 'declined',
};

const envelope = z.object({ code: z.int(), result: z.unknown() });
const created = z.object({ username: usernameField });
const moved = z.object({ before: creditsField, after: creditsField, amount: creditsField });
const credit = z.object({ credit: creditsField, outstanding: creditsField, turnover: creditsField.optional() });

/**
 * askmebet: players by name and password, signed in by a link that carries both. A transfer has neither a client
 * reference nor a status inquiry: without a reply only the balance before and after proves the outcome.
 */
export function askmebetDialect({ agent, key }: ConfigOf<'askmebet'>): Dialect {
  const signature = (...parts: string[]): string => md5([...parts, agent].join(':'));
  const member = (word: string, username?: string): string =>
    `/v0.1/partner/member${callPath(word, key, ...(username === undefined ? [] : [username]))}`;
  const send = <T>(
    method: 'POST' | 'PUT',
    path: string,
    fields: Fields,
    read: ProviderCall<T>['read'],
  ): ProviderCall<T> => ({
    method,
    path,
    fields,
    read,
  });
  return {
    encoding: 'json',
    verdict(answer) {
      const { data: read } = envelope.safeParse(answer);
      if (!read) return undefined;
      return read.code === DONE ? { data: read.result } : { code: String(read.code) };
    },
    codes: CODES,
    // Each call signs its own selection of its fields.
    sign: () => ({}),
    create: ({ username, password }) =>
      send(
        'POST',
        member('create'),
        { memberLoginName: username, memberLoginPass: password, signature: signature(username, password) },
        parseReply(created, (reported) => reported),
      ),
    setPassword: ({ username, password }) =>
      send('PUT', member('reset-password', username), { password, signature: signature(password) }, parseEmptyReply),
    balance: (username) => ({
      method: 'GET',
      path: member('credit', username),
      read: parseReply(credit, (reported) => ({
        cash: reported.credit,
        outstanding: reported.outstanding,
        turnover: reported.turnover ?? null,
      })),
    }),
    move(movement) {
      const { username, amount } = movement;
      const text = writeCredits(amount);
      const read = parseReply(moved, (reported): Moved | undefined =>
        reported.amount === amount && changedByExactly(movement, reported) ? { balance: reported.after } : undefined,
      );
      return send(
        'POST',
        member(directionFields(movement), username),
        { amount: text, signature: signature(text, username) },
        read,
      );
    },
    launch: {
      kind: 'link',
      needsPassword: true,
      build(options, site) {
        const hash = signature(options.username, options.password);
        return `${site}/login/auto/?${loginQuery(options)}&hash=${hash}`;
      },
    },
  };
}
