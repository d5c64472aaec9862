import { z } from 'zod';
import { escapeUnstorable, storableText } from '../platform/storable-text.ts';

// The schemas of all text that comes from counterparties. None lets through what the database refuses, and none makes two
// different identities equal.

/** Text to be stored, shown, or compared with a text of ours: a character that can't be stored is U+FFFD, a long text is cut. */
export const outsideText = (charactersMax: number) => z.string().transform((text) => storableText(text, charactersMax));

/** The same for text that nothing depends on, such as a payer's name: `''` when it is missing or not a text. */
export const optionalText = (charactersMax: number) =>
  z
    .string()
    .catch('')
    .transform((text) => storableText(text, charactersMax));

/** An identity, such as a bank's reference: visible ASCII. Anything else is refused: a change could make it another's. */
export const outsideIdentity = (charactersMax: number) => z.string().regex(new RegExp(`^[!-~]{1,${charactersMax}}$`));

const IDENTITY_CHARACTERS_MAX = 120;

/** An identity that is only compared and shown: what can't be stored is escaped, so that different ones stay different. */
export const escapedIdentity = () => z.string().transform((text) => escapeUnstorable(text, IDENTITY_CHARACTERS_MAX));

/** Where a list continues: sent back as it came. Undefined when it can't be stored; then the list is read from the same place again. */
export const storableCursor = z
  .string()
  .regex(/^[ -~]{0,200}$/)
  .optional()
  .catch(undefined);

/** A value of an unreadable answer as text for an operator; different values stay different. */
export function evidenceOf(value: unknown, charactersMax: number): string {
  try {
    return escapeUnstorable(JSON.stringify(value) ?? String(value), charactersMax);
  } catch (error) {
    // Nested too deeply.
    return storableText(String(error), charactersMax);
  }
}
