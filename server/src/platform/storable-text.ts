import { createHash } from 'node:crypto';

/**
 * Replaced characters of external text: control characters and lone surrogates (PostgreSQL refuses NUL in `text`, both in
 * `jsonb`), and bidirectional control marks.
 */
const UNSTORABLE_CHARACTERS = /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/gu;
const REPLACEMENT = '\ufffd';
const ELLIPSIS = '\u2026';
const HASH_CHARACTERS = 32;

/**
 * Makes a text storable and displayable: replaces unstorable characters with U+FFFD.
 * @param charactersMax in code points; a longer text is truncated and ends with `…`, so that it never equals a complete
 *   one
 */
export function storableText(text: string, charactersMax: number): string {
  // Bounds the split: a code point has at most two code units.
  const prefix = text.slice(0, 2 * charactersMax);
  const characters = Array.from(prefix);
  const isWhole = prefix.length === text.length && characters.length <= charactersMax;
  const shortened = isWhole ? prefix : `${characters.slice(0, charactersMax - 1).join('')}${ELLIPSIS}`;
  return shortened.replaceAll(UNSTORABLE_CHARACTERS, REPLACEMENT);
}

/**
 * As {@link storableText}, but injective, for identities: an unstorable character becomes U+FFFD and its code, and a long
 * text ends with its SHA-256. Short visible ASCII is unchanged.
 * @param charactersMax in code units, more than {@link HASH_CHARACTERS}
 */
export function escapeUnstorable(text: string, charactersMax: number): string {
  const escaped = text.replaceAll(
    /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069\ufffd]/gu,
    (character) => `${REPLACEMENT}{${character.charCodeAt(0).toString(16)}}`,
  );
  if (escaped.length <= charactersMax) return escaped;
  const hash = createHash('sha256').update(escaped).digest('hex').slice(0, HASH_CHARACTERS);
  return `${storableText(escaped, charactersMax - HASH_CHARACTERS)}${hash}`;
}
