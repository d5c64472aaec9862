import { createPrivateKey, sign as signWith } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';
import { outsideText } from '../../outside-text.ts';
import type { ConfigOf } from '../config.ts';
import { type ProviderCall, type Dialect, type Fields, jsonBody, post } from '../dialect.ts';
import { writeCredits, type Moved } from '../port.ts';
import { creditsField, isAbout, parseReply, parseEmptyReply, usernameField } from '../replies.ts';
import { loginQuery } from '../signing.ts';

const SUCCESS_STATUS = 'RS_OK';
const signText = promisify(signWith);

const replyEnvelope = z.looseObject({ status: outsideText(64) });
const nameReply = z.object({ user: usernameField });
const balanceReply = nameReply.extend({ balance: creditsField, outstanding: creditsField, turnover: creditsField });
const movedReply = nameReply.extend({ transaction_uuid: outsideText(64), amount: creditsField, balance: creditsField });

/**
 * circus: players by name and password, signed in by a link that carries both. Requests are signed with our private
 * key. A transfer carries our reference, which makes it idempotent, but has no status inquiry.
 */
export function circusDialect({ operatorId, privateKey }: ConfigOf<'circus'>): Dialect {
  const key = createPrivateKey(privateKey);
  const signedPost = <T>(path: string, fields: Fields, read: ProviderCall<T>['read']): ProviderCall<T> =>
    post(path, { operator_id: operatorId, ...fields }, read);
  return {
    encoding: 'json',
    // Replies are flat: the status is next to the data.
    verdict(replyBody) {
      const { data: envelope } = replyEnvelope.safeParse(replyBody);
      if (!envelope) return undefined;
      return envelope.status === SUCCESS_STATUS ? { data: envelope } : { code: envelope.status };
    },
    codes: {
      RS_ERROR_INVALID_SIGNATURE: 'declined',
      RS_ERROR_INVALID_PARTNER: 'declined',
      RS_ERROR_WRONG_SYNTAX: 'declined',
      RS_ERROR_REFUSED: 'declined',
      RS_ERROR_USER_DOES_NOT_EXIST: 'no-player',
      RS_ERROR_USER_EXISTS: 'exists',
      RS_ERROR_NOT_ENOUGH_MONEY: 'insufficient',
      RS_ERROR_MAINTENANCE: 'maintenance',
      // The reference was used with other values, which proves nothing about the first call.
      RS_ERROR_DUPLICATE_TRANSACTION: 'unknown',
      RS_ERROR_UNKNOWN: 'unknown',
    },
    async sign({ fields }) {
      const signature = await signText('sha256', Buffer.from(jsonBody(fields)), key);
      return { headers: { 'x-circus-signature': signature.toString('base64') } };
    },
    create: ({ username, password }) =>
      signedPost(
        '/v2/player/create',
        { user: username, password },
        parseReply(nameReply, ({ user }) => (isAbout(username, { username: user }) ? { username: user } : undefined)),
      ),
    setPassword: ({ username, password }) =>
      signedPost('/v2/player/password', { user: username, password }, parseEmptyReply),
    balance: (username) =>
      signedPost(
        '/v2/player/balance',
        { user: username },
        parseReply(balanceReply, ({ user, balance: cash, outstanding, turnover }) =>
          isAbout(username, { username: user }) ? { cash, outstanding, turnover } : undefined,
        ),
      ),
    move({ username, direction, amount, reference }) {
      const read = parseReply(movedReply, (reported): Moved | undefined => {
        const isSame = isAbout(username, { username: reported.user }) && reported.transaction_uuid === reference;
        return isSame && reported.amount === amount ? { balance: reported.balance } : undefined;
      });
      const fields = { user: username, amount: writeCredits(amount), transaction_uuid: reference };
      return signedPost(`/v2/transfer/${direction}`, fields, read);
    },
    launch: {
      kind: 'link',
      needsPassword: true,
      build: (options, site) => `${site}/auto-login?${loginQuery(options)}`,
    },
  };
}
