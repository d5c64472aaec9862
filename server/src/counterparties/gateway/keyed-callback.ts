import { timingSafeEqual } from 'node:crypto';
import { hashToken } from '../../platform/ids.ts';
import { parseJson, decodeBody } from '../../platform/parse-json.ts';
import type { CallbackCall, CallbackReading } from './port.ts';

/**
 * Reads an unsigned callback: a key in the query of its address is its only authentication. @param referenceOf finds
 * our reference in the parsed body, the rest of which is ignored @param parse parses the body; undefined when it is
 * malformed
 */
export function readKeyedCallback(
  { query, body }: CallbackCall,
  callbackKey: string,
  referenceOf: (body: unknown) => string | undefined,
  parse: (text: string) => unknown = parseJson,
): CallbackReading {
  const { key } = query;
  if (key === undefined || key === '') return { reading: 'KEY_MISSING' };
  // Hashes have equal length: the comparison takes constant time.
  if (typeof key !== 'string' || !timingSafeEqual(hashToken(key), hashToken(callbackKey))) {
    return { reading: 'KEY_INVALID' };
  }
  const reference = referenceOf(parse(decodeBody(body)));
  return reference === undefined ? { reading: 'MALFORMED' } : { reading: 'CLAIM', reference };
}
