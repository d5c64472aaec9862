import { createPrivateKey, sign as signWith } from 'node:crypto';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { ConfigOf } from '../config.ts';
import { creditsField, isAbout, parseReply, parseEmptyReply, usernameField } from '../replies.ts';
import { writeCredits, type Moved } from '../port.ts';
import { type ProviderCall, type Dialect, type Fields, jsonBody, post } from '../dialect.ts';
import { loginQuery } from '../signing.ts';
import { outsideText } from '../../outside-text.ts';

const DONE = 'RS_OK';
const signText = promisify(signWith);

const envelope = z.looseObject({ status: outsideText(64) });
const named = z.object({ user: usernameField });
const balance = named.extend({ balance: creditsField, outstanding: creditsField, turnover: creditsField });
const moved = named.extend({ transaction_uuid: outsideText(64), amount: creditsField, balance: creditsField });

/**
 * circus: players by name and password, signed in by a link that carries both. Requests are signed with our private
 * key. A transfer carries our reference, which makes it idempotent, but has no status inquiry.
 */
export function circusDialect({ operatorId, privateKey }: ConfigOf<'circus'>): Dialect {
  const key = createPrivateKey(privateKey);
  const ask = <T>(path: string, fields: Fields, read: ProviderCall<T>['read']): ProviderCall<T> =>
    post(path, { operator_id: operatorId, ...fields }, read);
  return {
    encoding: 'json',
    // Its answers are flat: the status is beside the data.
    verdict(answer) {
      const { data: read } = envelope.safeParse(answer);
      if (!read) return undefined;
      return read.status === DONE ? { data: read } : { code: read.status };
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
      // Our reference with other values: this proves nothing about the first call.
      RS_ERROR_DUPLICATE_TRANSACTION: 'unknown',
      RS_ERROR_UNKNOWN: 'unknown',
    },
    async sign({ fields }) {
      const signature = await signText('sha256', Buffer.from(jsonBody(fields)), key);
      return { headers: { 'x-circus-signature': signature.toString('base64') } };
    },
    create: ({ username, password }) =>
      ask(
        '/v2/player/create',
        { user: username, password },
        parseReply(named, ({ user }) => (isAbout(username, { username: user }) ? { username: user } : undefined)),
      ),
    setPassword: ({ username, password }) => ask('/v2/player/password', { user: username, password }, parseEmptyReply),
    balance: (username) =>
      ask(
        '/v2/player/balance',
        { user: username },
        parseReply(balance, ({ user, balance: cash, outstanding, turnover }) =>
          isAbout(username, { username: user }) ? { cash, outstanding, turnover } : undefined,
        ),
      ),
    move({ username, direction, amount, reference }) {
      const read = parseReply(moved, (reported): Moved | undefined => {
        const isSame = isAbout(username, { username: reported.user }) && reported.transaction_uuid === reference;
        return isSame && reported.amount === amount ? { balance: reported.balance } : undefined;
      });
      const fields = { user: username, amount: writeCredits(amount), transaction_uuid: reference };
      return ask(`/v2/transfer/${direction}`, fields, read);
    },
    launch: {
      kind: 'link',
      needsPassword: true,
      build: (options, site) => `${site}/auto-login?${loginQuery(options)}`,
    },
  };
}
