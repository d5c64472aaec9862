import { z } from 'zod';
import { PAGE_LIMIT_MAX, PAGE_SIZE } from './constants.ts';
import { currencies } from './money.ts';
import { trimPasted } from './text/digits.ts';

/** Schemas that several endpoints share. */

/** Text from a form: bounded, without control characters and without lone surrogates. */
export const text = (charactersMax: number) =>
  z
    .string()
    .max(charactersMax)
    // oxlint-disable-next-line no-control-regex -- naming them is the point
    .regex(/^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\p{Surrogate}]*$/u);

/** Text that members paste: loses the blanks and invisible characters at its ends. */
export const pastedText = (charactersMax: number) => text(charactersMax).overwrite(trimPasted);

/**
 * Name of a person or of an account, on one line. Loses invisible characters at its ends; inside, refuses bidirectional
 * and other control characters, which could make it look like another name. Allows those used between Thai words and in
 * emoji.
 */
export const optionalName = (charactersMax: number) =>
  z
    .string()
    .max(charactersMax)
    .overwrite(trimPasted)
    .regex(/^(?:[\u200b-\u200d]|[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}])*$/u)
    .default('');

/** An optional text, empty if missing; the use case decides on the error code. */
export const optionalText = (charactersMax: number) => text(charactersMax).default('');
/** As {@link optionalText}, for what members paste. */
export const optionalPastedText = (charactersMax: number) => pastedText(charactersMax).default('');

/**
 * An amount from a client: a number greater than zero with at most two decimals, as the JSON schema says. The parser
 * accepts every JSON value and returns the number or undefined, so that the call's own check (`parseAmount`) gives its
 * code.
 */
export const amountInput = (
  z.unknown().meta({ type: 'number', exclusiveMinimum: 0, multipleOf: 0.01 }) as z.ZodType<unknown, number>
).transform((value) => (typeof value === 'number' ? value : undefined));

/** An amount in replies: a number with at most two decimals. */
export const amount = z.number();

/** Usual duration of a method. `medianSeconds`: measured; null with too few movements, then `statedMinutes` applies. */
export const usualTime = z.object({ medianSeconds: z.int().nullable(), statedMinutes: z.int() });

/** A moment in UTC with at most nanoseconds, from the year 1000 on: PostgreSQL has no year 0. */
export const timestamp = z.iso
  .datetime()
  .max(30)
  .regex(/^[1-9]/);
export const currency = z.enum(currencies);

/** Page number of a list, from 1. */
export const pageBody = z.object({
  page: z.int().min(1).max(1_000_000).default(1),
  limit: z.int().min(1).max(PAGE_LIMIT_MAX).default(PAGE_SIZE),
});

const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const MICROSECONDS = String.raw`[1-9]\d{0,15}`;

/** Number of a row, as a cursor. */
export const numberCursor = z.string().regex(/^[1-9]\d{0,17}$/);
export const uuidCursor = z.string().regex(new RegExp(`^${UUID}$`));

/** Microseconds since 1970, and the key of a row of that time. */
export const timeCursor = z.string().regex(new RegExp(`^${MICROSECONDS}_(?:${UUID})$`));
export const timesCursor = z.string().regex(new RegExp(`^${MICROSECONDS}_${MICROSECONDS}$`));

/**
 * Body of a list whose pages continue after the last row of an earlier reply. `before`: its `next`. Pages and `total` then
 * begin after that row, whatever has arrived since.
 */
export const cursorPageBody = <C extends z.ZodType<string, string>>(cursor: C) =>
  pageBody.extend({ before: cursor.optional() });

/** A reply without data. */
export const done = z.object({ message: z.literal('OK') });

export const codeParam = text(32).min(1);

/** Code of the bonus to receive when a deposit is credited; empty: none. */
export const bonusChoice = optionalText(32);

/** Name of a bank in each language; never empty. */
export const bankNames = z.object({ nameTH: z.string(), nameEN: z.string(), nameLA: z.string() });
export type BankNames = z.output<typeof bankNames>;

/** The member's bank account. */
export const bankAccount = z.object({
  bankCode: z.string(),
  bankAccountName: z.string(),
  bankAccountNo: z.string(),
  bank: bankNames,
});

export const profile = z.object({
  _id: z.string(),
  name: z.string(),
  username: z.string(),
  createdAt: timestamp,
  currency,
  /** A short code for reading aloud; entered at registration, it names this member as inviter. */
  memberCode: z.string(),
});
