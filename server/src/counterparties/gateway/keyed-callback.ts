import { timingSafeEqual } from 'node:crypto';
import { hashToken } from '../../platform/ids.ts';
import { parseJson } from '../../platform/parse-json.ts';
import type { CallbackCall, CallbackReading } from './port.ts';

/**
 * Reads a callback that nobody signs: a key in the query of its address is all that tells the gateway from others.
 * @param referenceOf finds our reference in the parsed body, and nothing else in it is looked at
 * @param parse reads the body; undefined when it can't
 */
export function readKeyedCallback(
  { query, body }: CallbackCall,
  callbackKey: string,
  referenceOf: (body: unknown) => string | undefined,
  parse: (text: string) => unknown = parseJson,
): CallbackReading {
  const { key } = query;
  if (key === undefined || key === '') return { reading: 'KEY_MISSING' };
  // Hashes have one length: the comparison takes the same time however much of the key is right.
  if (typeof key !== 'string' || !timingSafeEqual(hashToken(key), hashToken(callbackKey))) {
    return { reading: 'KEY_INVALID' };
  }
  const reference = referenceOf(parse(body));
  return reference === undefined ? { reading: 'MALFORMED' } : { reading: 'CLAIM', reference };
}
