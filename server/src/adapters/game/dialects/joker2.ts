import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../../platform/time.ts';
import { outsideText } from '../../outside-text.ts';
import type { ConfigOf } from '../config.ts';
import { type ProviderCall, type Dialect, type Fields, type ReplyMeaning, post } from '../dialect.ts';
import { balanceChange, writeCredits, type LaunchOptions, type Moved, type Movement } from '../port.ts';
import { changeField, creditsField, isAbout, changedByExactly, parseReply, tokenField } from '../replies.ts';
import { sortedText } from '../signing.ts';

const CREATED_STATUS = 201;
const EXISTS_CODE = 'exists';

/** Meanings of messages. An unlisted message proves nothing, and its text is not passed on. */
const MESSAGE_MEANINGS: ReadonlyMap<string, ReplyMeaning> = new Map<string, ReplyMeaning>([
  ['Invalid parameter', 'declined'],
  ['Invalid AppID', 'declined'],
  ['Invalid signature', 'declined'],
  ['Operation refused', 'declined'],
  ['User not found', 'no-player'],
  ['Transaction not found', 'no-transfer'],
  ['Insufficient credit', 'insufficient'],
  ['Under maintenance', 'maintenance'],
  // The number was used before, which proves nothing about the first movement.
  ['Duplicate RequestID', 'unknown'],
  ['Internal error', 'unknown'],
]);

const refusalReply = z.object({ Message: outsideText(64) });
const status = z.object({ Status: z.enum(['Created', 'OK']) });
const creditReply = z.object({
  Username: outsideText(64),
  Credit: creditsField,
  OutstandingCredit: creditsField,
  Turnover: creditsField,
});
const transferReply = z.object({
  Username: outsideText(64),
  RequestID: outsideText(64),
  BeforeCredit: creditsField,
  Credit: creditsField,
});
const checkReply = z.object({ RequestID: outsideText(64), Username: outsideText(64), Amount: changeField });
const session = z.object({ Token: tokenField });

const method = <T>(name: string, fields: Fields, read: ProviderCall<T>['read']): ProviderCall<T> =>
  post('/', { Method: name, ...fields }, read);

/**
 * Joker: one URL for all calls, signed over the sorted form. Our number makes a movement idempotent, and inquiries by
 * number never expire. A player is created without a password.
 */
export function joker2Dialect({ appId, secret }: ConfigOf<'joker2'>, clock: Clock): Dialect {
  return {
    encoding: 'form',
    statuses: [200, CREATED_STATUS, 400, 403, 404, 409],
    verdict(replyBody, httpStatus, { fields }) {
      if (httpStatus >= 400) {
        const { data: envelope } = refusalReply.safeParse(replyBody);
        return envelope && { code: MESSAGE_MEANINGS.has(envelope.Message) ? envelope.Message : `HTTP ${httpStatus}` };
      }
      // The call succeeds for an existing name too, but replies HTTP 201 only for a new one.
      return fields['Method'] === 'CU' && httpStatus !== CREATED_STATUS ? { code: EXISTS_CODE } : { data: replyBody };
    },
    codes: { ...Object.fromEntries(MESSAGE_MEANINGS), [EXISTS_CODE]: 'exists' },
    sign({ fields }) {
      const Timestamp = Math.floor(clock.now().getTime() / 1000);
      const text = sortedText({ ...fields, Timestamp });
      const Signature = createHmac('sha1', secret).update(text, 'utf8').digest('base64');
      return { fields: { Timestamp }, query: { AppID: appId, Signature } };
    },
    isPasswordApart: true,
    create: ({ username }) =>
      method(
        'CU',
        { Username: username },
        parseReply(status, () => ({ username })),
      ),
    setPassword: ({ username, password }) =>
      method(
        'SP',
        { Username: username, Password: password },
        parseReply(status, () => true as const),
      ),
    balance: (username) =>
      method(
        'GC',
        { Username: username },
        parseReply(creditReply, ({ Username, Credit: cash, OutstandingCredit: outstanding, Turnover: turnover }) =>
          isAbout(username, { username: Username }) ? { cash, outstanding, turnover } : undefined,
        ),
      ),
    move: moveCall,
    check: checkCall,
    launch: { kind: 'link', needsPassword: false, ask: launchCall },
  };
}

function moveCall(movement: Movement): ProviderCall<Moved> {
  const { username, reference } = movement;
  const fields = { Username: username, Amount: writeCredits(balanceChange(movement)), RequestID: reference };
  const read = parseReply(transferReply, (reported): Moved | undefined => {
    const isOurs =
      reported.RequestID === reference &&
      isAbout(username, { username: reported.Username }) &&
      changedByExactly(movement, { before: reported.BeforeCredit, after: reported.Credit });
    return isOurs ? { balance: reported.Credit } : undefined;
  });
  return method('TC', fields, read);
}

function checkCall(movement: Movement): ProviderCall<Moved> {
  const { username, reference } = movement;
  // The reply lacks the balance after the movement.
  const read = parseReply(checkReply, (reported): Moved | undefined => {
    const isOurs =
      reported.RequestID === reference &&
      isAbout(username, { username: reported.Username }) &&
      reported.Amount === balanceChange(movement);
    return isOurs ? { balance: null } : undefined;
  });
  return method('TCH', { RequestID: reference }, read);
}

function launchCall(
  { username, game, language, returnUrl }: LaunchOptions,
  site: string,
): ProviderCall<{ link: string }> {
  const linkQuery = { ...(game === null ? {} : { game }), redirectURL: returnUrl, lang: language };
  return method(
    'PLAY',
    { Username: username },
    parseReply(session, ({ Token: token }) => ({
      link: `${site}/launch?${new URLSearchParams({ token, ...linkQuery }).toString()}`,
    })),
  );
}
