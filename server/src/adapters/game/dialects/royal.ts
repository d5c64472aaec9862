import { z } from 'zod';
import type { ConfigOf } from '../config.ts';
import { type Dialect, post, type CallByName, plainCalls } from '../dialect.ts';
import { md5, sortedText } from '../signing.ts';

const DONE = 0;

const envelope = z.looseObject({ error: z.int() });

/**
 * royal: an agent API, and one site where members log in by hand. A transfer has neither a client reference nor a
 * status inquiry.
 */
export function royalDialect({ agent, key }: ConfigOf<'royal'>): Dialect {
  const ask: CallByName = (word, fields, read) => post(`/agent/${word}`, { agent, ...fields }, read);
  return {
    encoding: 'form',
    // Its answers are flat: the error is beside the data.
    verdict(answer) {
      const { data: read } = envelope.safeParse(answer);
      if (!read) return undefined;
      return read.error === DONE ? { data: read } : { code: String(read.error) };
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
    ...plainCalls(ask),
    launch: { kind: 'fixed', path: '/' },
  };
}
