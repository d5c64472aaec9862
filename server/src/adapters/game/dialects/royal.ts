import { z } from 'zod';
import type { ConfigOf } from '../config.ts';
import { type Dialect, post, type CallByName, plainCalls } from '../dialect.ts';
import { md5, sortedText } from '../signing.ts';

const SUCCESS_CODE = 0;

const replyEnvelope = z.looseObject({ error: z.int() });

/**
 * royal: an agent API, and one site where members log in by hand. A transfer has neither a client reference nor a
 * status inquiry.
 */
export function royalDialect({ agent, key }: ConfigOf<'royal'>): Dialect {
  const callByName: CallByName = (callName, fields, read) => post(`/agent/${callName}`, { agent, ...fields }, read);
  return {
    encoding: 'form',
    // Replies are flat: the error is next to the data.
    verdict(replyBody) {
      const { data: envelope } = replyEnvelope.safeParse(replyBody);
      if (!envelope) return undefined;
      return envelope.error === SUCCESS_CODE ? { data: envelope } : { code: String(envelope.error) };
    },
    codes: {
      1: 'declined',
      2: 'declined',
      3: 'declined',
      4: 'no-player',
      5: 'exists',
      6: 'insufficient',
      90: 'maintenance',
      91: 'declined',
      99: 'unknown',
    },
    sign: ({ fields }) => ({ fields: { sign: md5(`${sortedText(fields)}&key=${key}`) } }),
    ...plainCalls(callByName),
    launch: { kind: 'fixed', path: '/' },
  };
}
