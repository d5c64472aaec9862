import { z } from 'zod';
import { outsideText } from '../../outside-text.ts';
import type { ConfigOf } from '../config.ts';
import { type Dialect, post, type CallByName, plainCalls } from '../dialect.ts';
import { linkParser } from '../replies.ts';
import { md5, sortedText } from '../signing.ts';

const SUCCESS_CODE = '0';

const replyEnvelope = z.object({ code: outsideText(64), data: z.unknown() });

/**
 * Area Slot: forms signed by an MD5 over their fields. A transfer has neither a client reference nor a status inquiry:
 * without a reply only the balance before and after proves the outcome.
 */
export function areaslotDialect({ agent, key }: ConfigOf<'areaslot'>): Dialect {
  const callByName: CallByName = (callName, fields, read) =>
    post(`/api/player/${callName}`, { agent, ...fields }, read);
  return {
    encoding: 'json',
    verdict(replyBody) {
      const { data: envelope } = replyEnvelope.safeParse(replyBody);
      return envelope && (envelope.code === SUCCESS_CODE ? { data: envelope.data } : { code: envelope.code });
    },
    codes: {
      E101: 'declined',
      E102: 'declined',
      E103: 'no-player',
      E104: 'exists',
      E105: 'insufficient',
      E106: 'declined',
      E190: 'maintenance',
      E199: 'declined',
      E500: 'unknown',
    },
    sign: ({ fields }) => ({ fields: { sign: md5(`${sortedText(fields)}&key=${key}`) } }),
    ...plainCalls(callByName),
    launch: {
      kind: 'link',
      needsPassword: false,
      ask({ username, game, language, returnUrl }) {
        const fields = { username, lang: language, returnUrl, ...(game === null ? {} : { game }) };
        return callByName('login', fields, linkParser);
      },
    },
  };
}
