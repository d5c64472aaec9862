import { createHash } from 'node:crypto';

/**
 * Characters of foreign text that are not kept: control characters and lone surrogates, of which PostgreSQL refuses NUL in
 * `text` and both in `jsonb`, and marks that reverse the direction of the text after them.
 */
const UNSTORABLE = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu;
const REPLACEMENT = '\ufffd';
const CUT = '\u2026';
const HASH_CHARACTERS = 32;

/**
 * Makes a text storable and showable: replaces what isn't by U+FFFD.
 * @param charactersMax in code points; a longer text is cut and ends with `…`, so that a cut amount or name equals no other
 */
export function storableText(text: string, charactersMax: number): string {
  // As many code units hold at least as many code points; a huge text is not split into its characters.
  const start = text.slice(0, 2 * charactersMax);
  const characters = Array.from(start);
  const isWhole = start.length === text.length && characters.length <= charactersMax;
  const kept = isWhole ? start : `${characters.slice(0, charactersMax - 1).join('')}${CUT}`;
  return kept.replaceAll(UNSTORABLE, REPLACEMENT);
}

/**
 * The same for identities, without loss: each replaced character is U+FFFD and its code, and a long text ends with its
 * SHA-256. Two different texts stay different, and short visible ASCII stays as it is.
 * @param charactersMax in code units, more than {@link HASH_CHARACTERS}
 */
export function escapeUnstorable(text: string, charactersMax: number): string {
  const escaped = text.replaceAll(
    /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069\ufffd]/gu,
    (one) => `${REPLACEMENT}{${one.charCodeAt(0).toString(16)}}`,
  );
  if (escaped.length <= charactersMax) return escaped;
  const hash = createHash('sha256').update(escaped).digest('hex').slice(0, HASH_CHARACTERS);
  return `${storableText(escaped, charactersMax - HASH_CHARACTERS)}${hash}`;
}
