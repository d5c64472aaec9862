import { z } from 'zod';
import { PAGE_LIMIT_MAX, PAGE_SIZE } from './constants.ts';
import { currencies } from './money.ts';

/** Shapes that several endpoints share. */

/** Text from a form: bounded, without the control characters that no form can type and without halves of a character. */
export const text = (charactersMax: number) =>
  z
    .string()
    .max(charactersMax)
    // oxlint-disable-next-line no-control-regex -- naming them is the point
    .regex(/^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\p{Surrogate}]*$/u);

/**
 * The name of a person or of an account, on one line. Characters that turn the direction of what stands around them, and other
 * control characters, would let it show as another name; those between Thai words and in emoji may stay.
 */
export const optionalName = (charactersMax: number) =>
  z
    .string()
    .max(charactersMax)
    .regex(/^(?:[\u200b-\u200d]|[^\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}])*$/u)
    .default('');

/** A text that may be left out; then it is empty, and the use case says which code that is. */
export const optionalText = (charactersMax: number) => text(charactersMax).default('');

/**
 * An amount as it came. Its own check (`parseAmount`) gives the code of the call, so that any JSON value passes here.
 * The JSON schema tells the truth: a positive number with at most two decimals.
 */
export const amountInput = z.unknown().meta({ type: 'number', exclusiveMinimum: 0, multipleOf: 0.01 });

/** Money that goes out: a number with at most two decimals. */
export const amount = z.number();

export const timestamp = z.iso.datetime();
export const currency = z.enum(currencies);

/** A page of a list, from 1. */
export const pageBody = z.object({
  page: z.int().min(1).max(1_000_000).default(1),
  limit: z.int().min(1).max(PAGE_LIMIT_MAX).default(PAGE_SIZE),
});

/** Nothing but success to tell. */
export const done = z.object({ message: z.literal('OK') });

export const codeParam = text(32).min(1);

/** What a bank is called in each language; the three are never empty. */
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
  /** A short code that can be read out; whoever types it at registration names this member as inviter. */
  memberCode: z.string(),
});
