import { type Currency, parseDecimal, smallestUnit, toDecimal } from '@krapao/contract/money';
import { z } from 'zod';
import type { DocumentPath, Problem } from './subject.ts';

const TEXT_MAX = 20_000;
const NAME_MAX = 200;
const LINK_MAX = 2_000;
const AMOUNT_MESSAGE = 'must be an amount as text, such as "100.00": digits 0-9, at most 13, and at most two decimals';
const ISO_YEARS = /^2\d{3}-/;

/** Decimal text of an amount, zero or more, with two decimals. */
export const amountShape = z.string(AMOUNT_MESSAGE).transform((text, context) => {
  const amount = parseDecimal(text);
  if (amount !== undefined && amount >= 0n && !text.startsWith('-')) return toDecimal(amount);
  context.addIssue({ code: 'custom', message: AMOUNT_MESSAGE });
  return z.NEVER;
});
/** As {@link amountShape}, more than zero. */
export const positiveAmountShape = amountShape.refine((text) => decimalToMinor(text) > 0n, 'must be more than 0.00');

/** Minor units of a validated amount. @throws for any other text */
export function decimalToMinor(text: string): bigint {
  const amount = parseDecimal(text);
  if (amount === undefined) throw new Error(`"${text}" is not an amount`);
  return amount;
}
export const decimalToMinorOrNull = (text: string | null): bigint | null =>
  text === null ? null : decimalToMinor(text);

/** Decimal text of a column's minor units, which come as text in JSON. */
export const minorToDecimalOrNull = (minorText: string | null): string | null =>
  minorText === null ? null : toDecimal(BigInt(minorText));

export const isWholeUnit = (text: string, currency: Currency): boolean =>
  decimalToMinor(text) % smallestUnit(currency) === 0n;
export const WHOLE_KIP_MESSAGE = 'must be whole kip';

/** A text in all languages. */
export const textsShape = z.strictObject({
  th: z.string().max(TEXT_MAX),
  la: z.string().max(TEXT_MAX),
  en: z.string().max(TEXT_MAX),
});
export const nameShape = z.string().max(NAME_MAX).regex(/\S/, 'must not be blank');
/** An image: a path of the site or an address; may be empty. */
export const imageShape = z
  .string()
  .max(LINK_MAX)
  .regex(/^$|^\/(?!\/)[!-~]*$|^https:\/\/[!-~]+$/, 'must be a path of the site (/…), an https address, or empty');
/** A percentage with at most two decimals. */
export const percentShape = z.number().min(0).max(100_000).multipleOf(0.01);
/** An instant, in UTC. A document may state another offset. */
export const instantShape = z.iso
  .datetime({ offset: true })
  .regex(ISO_YEARS, 'must be in the years 2000 to 2999')
  .transform((text) => new Date(text).toISOString());

/**
 * Schema of a document that is stored as written, because its module parses it again. Only the order of keys changes.
 * Refuses unknown fields, negative amounts and fractions of a kip.
 * @param check further rules for the parsed document
 */
export function asWrittenShape(shape: z.ZodType, check: (parsed: never) => Problem[] = () => []): z.ZodType {
  return z.unknown().transform((input, context) => {
    const result = shape.safeParse(input);
    if (!result.success) {
      context.issues.push(...result.error.issues.map((issue) => ({ ...issue, input }) as never));
      return z.NEVER;
    }
    const problems = [...findWrittenProblems(input, result.data, []), ...check(result.data as never)];
    for (const { path, message } of problems) context.addIssue({ code: 'custom', path: [...path], message });
    return problems.length > 0 ? z.NEVER : orderKeysAs(input, result.data);
  });
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Problems of the text that parsing hides: dropped fields, and amounts of either sign. */
function findWrittenProblems(input: unknown, parsed: unknown, path: DocumentPath): Problem[] {
  if (typeof parsed === 'bigint') return findAmountProblems(String(input), path);
  if (!isObject(input) || !isObject(parsed)) return [];
  return Object.entries(input).flatMap(([key, value]) => {
    const childPath = [...path, Array.isArray(input) ? Number(key) : key];
    return Object.hasOwn(parsed, key)
      ? findWrittenProblems(value, parsed[key], childPath)
      : [{ path: childPath, message: 'unknown field' }];
  });
}

function findAmountProblems(text: string, path: DocumentPath): Problem[] {
  if (text.startsWith('-')) return [{ path, message: AMOUNT_MESSAGE }];
  return path.includes('LAK') && !isWholeUnit(text, 'LAK') ? [{ path, message: WHOLE_KIP_MESSAGE }] : [];
}

function orderKeysAs(input: unknown, parsed: unknown): unknown {
  if (!isObject(input) || !isObject(parsed)) return input;
  if (Array.isArray(input))
    return input.map((item, index) => orderKeysAs(item, (parsed as unknown as unknown[])[index]));
  return Object.fromEntries(
    Object.keys(parsed)
      .filter((key) => Object.hasOwn(input, key))
      .map((key) => [key, orderKeysAs(input[key], parsed[key])]),
  );
}

/** Zod check: elements of an array differ in their key. */
export function uniqueBy<Item>(keyOf: (item: Item) => string | null, label: string) {
  return (context: z.core.ParsePayload<Item[]>): void => {
    const seen = new Set<string>();
    for (const [index, item] of context.value.entries()) {
      const key = keyOf(item);
      if (key !== null && seen.has(key)) {
        context.issues.push({ code: 'custom', path: [index], message: `${label} ${key} twice`, input: item });
      }
      if (key !== null) seen.add(key);
    }
  };
}
