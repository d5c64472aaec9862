import { z } from 'zod';
import { outsideText } from '../../outside-text.ts';
import type { ConfigOf } from '../config.ts';
import { type Dialect, post, type CallByName } from '../dialect.ts';
import { balanceChange, writeCredits, type Moved } from '../port.ts';
import {
  changeField,
  creditsField,
  isAbout,
  parseReply,
  balanceParser,
  createdParser,
  passwordSetParser,
  tokenField,
  usernameField,
} from '../replies.ts';

const SUCCESS_CODE = 0;

const replyEnvelope = z.object({ error_code: z.int(), data: z.unknown() });
const nameReply = z.object({ username: usernameField });
const movedReply = nameReply.extend({
  ref: outsideText(64),
  amount: changeField,
  balance_before: creditsField,
  balance: creditsField,
});
const session = z.object({ login_token: tokenField });

/**
 * Betflix: keys in headers, one call for both directions, negative takes out. A repeated reference is refused without
 * the outcome of the first call, and there is no status inquiry: only the balance before and after proves the outcome.
 */
export function betflixDialect({ apiKey, apiCat }: ConfigOf<'betflix'>): Dialect {
  const callByName: CallByName = (callName, fields, read) => post(`/v4/${callName}`, fields, read);
  return {
    encoding: 'form',
    verdict(replyBody) {
      const { data: envelope } = replyEnvelope.safeParse(replyBody);
      return (
        envelope &&
        (envelope.error_code === SUCCESS_CODE ? { data: envelope.data } : { code: String(envelope.error_code) })
      );
    },
    codes: {
      1001: 'declined',
      1002: 'declined',
      1003: 'no-player',
      1004: 'exists',
      1006: 'insufficient',
      1008: 'unknown',
      1009: 'declined',
      1090: 'maintenance',
      1099: 'declined',
      1500: 'unknown',
    },
    sign: () => ({ headers: { 'x-api-key': apiKey, 'x-api-cat': apiCat } }),
    create: (player) => callByName('user/register', player, createdParser(player)),
    setPassword: (player) => callByName('user/reset-password', player, passwordSetParser(player)),
    balance: (username) => callByName('user/balance', { username }, balanceParser(username)),
    move(movement) {
      const { username, reference } = movement;
      const change = balanceChange(movement);
      const read = parseReply(
        movedReply,
        ({ balance_before: before, balance: after, ...reported }): Moved | undefined => {
          const isOurs = reported.ref === reference && isAbout(username, reported) && reported.amount === change;
          return isOurs && after - before === change ? { balance: after } : undefined;
        },
      );
      return callByName('user/transfer', { username, amount: writeCredits(change), ref: reference }, read);
    },
    launch: {
      kind: 'link',
      needsPassword: false,
      ask({ username, game, language, returnUrl }, site) {
        const fields = { username, lang: language, return_url: returnUrl, ...(game === null ? {} : { game }) };
        return callByName(
          'play/login',
          fields,
          parseReply(session, (reported) => ({ link: `${site}/play/login?token=${reported.login_token}` })),
        );
      },
    },
  };
}
