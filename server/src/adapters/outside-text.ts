import { type Minor, parseDecimal } from '@krapao/contract/money';
import { z } from 'zod';
import { escapeUnstorable, storableText } from '../platform/storable-text.ts';

// Schemas for all text of counterparties. They accept only storable text, and never make two different identities equal.

/** Text to store, show or compare: unstorable characters become U+FFFD, long text is truncated. */
export const outsideText = (charactersMax: number) => z.string().transform((text) => storableText(text, charactersMax));

/** Informational text, such as a payer's name: `''` when missing or not a string. */
export const optionalText = (charactersMax: number) =>
  z
    .string()
    .catch('')
    .transform((text) => storableText(text, charactersMax));

/**
 * An identity, such as a bank's reference: visible ASCII. Refuses anything else, because a replacement could equal
 * another identity.
 */
export const outsideIdentity = (charactersMax: number) => z.string().regex(new RegExp(`^[!-~]{1,${charactersMax}}$`));

const IDENTITY_CHARACTERS_MAX = 120;

/** An identity that is only compared and shown: unstorable characters are escaped without collisions. */
export const escapedIdentity = () => z.string().transform((text) => escapeUnstorable(text, IDENTITY_CHARACTERS_MAX));

const OUTSIDE_TIME_MIN = Date.UTC(2000, 0);
const OUTSIDE_TIME_MAX = Date.UTC(2100, 0);
const OUTSIDE_TIME_CHARACTERS_MAX = 40;

const isOutsideTime = (moment: Date): boolean =>
  moment.getTime() >= OUTSIDE_TIME_MIN && moment.getTime() < OUTSIDE_TIME_MAX;

/** A moment of this century with its offset. Others can't be stored or shown, or are a fault of the party. */
export const outsideTime = z.iso
  .datetime({ offset: true })
  .max(OUTSIDE_TIME_CHARACTERS_MAX)
  .transform((text) => new Date(text))
  .refine(isOutsideTime);

/** As {@link outsideTime}, from milliseconds since 1970. */
export const outsideTimeMs = z
  .int()
  .transform((ms) => new Date(ms))
  .refine(isOutsideTime);

/** Cursor of a list, sent back unchanged. Undefined when it can't be stored: the same page is read again. */
export const storableCursor = z
  .string()
  .regex(/^[ -~]{0,200}$/)
  .optional()
  .catch(undefined);

/** A value of an unreadable reply as text for an operator; different values stay different. */
export function evidenceText(value: unknown, charactersMax: number): string {
  try {
    return escapeUnstorable(JSON.stringify(value) ?? String(value), charactersMax);
  } catch (error) {
    // The value is nested too deeply for JSON.
    return storableText(String(error), charactersMax);
  }
}

const GROUPED_DECIMAL = /^\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?$/;

/** Parses a decimal text with optional thousands commas ("1,000.00") as hundredths; undefined for anything else. */
export const parseGrouped = (text: string): Minor | undefined =>
  parseDecimal(GROUPED_DECIMAL.test(text) ? text.replaceAll(',', '') : text);
