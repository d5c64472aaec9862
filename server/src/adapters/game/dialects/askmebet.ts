import { z } from 'zod';
import type { ConfigOf } from '../config.ts';
import { type ProviderCall, type Dialect, type Fields, callPath, directionFields } from '../dialect.ts';
import { writeCredits, type Moved } from '../port.ts';
import { creditsField, changedByExactly, parseReply, parseEmptyReply, usernameField } from '../replies.ts';
import { loginQuery, md5 } from '../signing.ts';

const SUCCESS_CODE = 0;

const REPLY_MEANINGS: Dialect['codes'] = {
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

const replyEnvelope = z.object({ code: z.int(), result: z.unknown() });
const createdReply = z.object({ username: usernameField });
const movedReply = z.object({ before: creditsField, after: creditsField, amount: creditsField });
const creditReply = z.object({ credit: creditsField, outstanding: creditsField, turnover: creditsField.optional() });

/**
 * askmebet: players by name and password, signed in by a link that carries both. A transfer has neither a client
 * reference nor a status inquiry: without a reply only the balance before and after proves the outcome.
 */
export function askmebetDialect({ agent, key }: ConfigOf<'askmebet'>): Dialect {
  const signature = (...signedParts: string[]): string => md5([...signedParts, agent].join(':'));
  const memberPath = (callName: string, username?: string): string =>
    `/v0.1/partner/member${callPath(callName, key, ...(username === undefined ? [] : [username]))}`;
  const signedPost = <T>(
    method: 'POST' | 'PUT',
    path: string,
    fields: Fields,
    read: ProviderCall<T>['read'],
  ): ProviderCall<T> => ({ method, path, fields, read });
  return {
    encoding: 'json',
    unprobed: 'agent',
    verdict(replyBody) {
      const { data: envelope } = replyEnvelope.safeParse(replyBody);
      if (!envelope) return undefined;
      return envelope.code === SUCCESS_CODE ? { data: envelope.result } : { code: String(envelope.code) };
    },
    codes: REPLY_MEANINGS,
    // Each call signs its own selection of its fields.
    sign: () => ({}),
    create: ({ username, password }) =>
      signedPost(
        'POST',
        memberPath('create'),
        { memberLoginName: username, memberLoginPass: password, signature: signature(username, password) },
        parseReply(createdReply, (reported) => reported),
      ),
    setPassword: ({ username, password }) =>
      signedPost(
        'PUT',
        memberPath('reset-password', username),
        { password, signature: signature(password) },
        parseEmptyReply,
      ),
    balance: (username) => ({
      method: 'GET',
      path: memberPath('credit', username),
      read: parseReply(creditReply, (reported) => ({
        cash: reported.credit,
        outstanding: reported.outstanding,
        turnover: reported.turnover ?? null,
      })),
    }),
    move(movement) {
      const { username, amount } = movement;
      const text = writeCredits(amount);
      const read = parseReply(movedReply, (reported): Moved | undefined =>
        reported.amount === amount && changedByExactly(movement, reported) ? { balance: reported.after } : undefined,
      );
      return signedPost(
        'POST',
        memberPath(directionFields(movement), username),
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
