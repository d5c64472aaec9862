import { plainDigits } from './digits.ts';

/**
 * What a text says about a one-time code. `partial`: fewer digits than a code, as while typing. `unclear`: no code, or
 * several that it could be.
 */
export type ReadCode = { kind: 'code' | 'partial'; digits: string } | { kind: 'unclear' };

/** Longest text that is read: several messages that were copied together. */
const TEXT_MAX = 2_000;
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** Separators within a number; a line break separates numbers. */
const NUMBER_ONLY = /^[\d\p{Zs}\p{Pd}.\t]*$/u;
/** Six digits in one run, or in groups: `123 456`, `12-34-56`, `1 2 3 4 5 6`. */
const CODE_RUN = /\d{6}/;
const CODE_GROUPS = /\d{3}[\p{Zs}\p{Pd}]\d{3}|\d{2}\p{Zs}\d{2}\p{Zs}\d{2}|\d(?:[\p{Zs}\p{Pd}]\d){5}/u;
/** Last line of a message to one site's page: `@play.example.com #123456`. */
const BOUND_CODE = /(?:^|\s)@[\w.-]+\s+#(\d{6})(?!\d)/u;
/** Before a part of a longer number, an amount, a masked account, a name such as `LUCKY888888`. */
const PART_BEFORE = /(?:[\d\p{Sc}\p{Script=Latin}_/@*•+]|\d[\p{Pd}.,:]|(?<!\d)0\d{1,2}\p{Zs}|[xX*•][\p{Zs}\p{Pd}]+)$/u;
const PART_AFTER = /^(?:[\d\p{Script=Latin}_@]|[\p{Pd}.,:/]\d|\p{Zs}*(?:\p{Sc}|บาท|ບາດ|ກີບ|กีบ|THB|BAHT|LAK|KIP))/iu;
/** Names another number before it: a reference, a telephone number, an account, a balance. */
const OTHER_NUMBER =
  /(?:\b(?:ref(?:erence)?(?:[\p{Zs}.]*(?:no|code|id|number))?|tel|call|id|acc(?:oun)?t|line)|อ้างอิง|ອ້າງອີງ|เลขที่|ເລກທີ|โทร|ໂທ|เบอร์|ເບີ|บัญชี|ບັນຊີ|ยอด|ຍອດ)[\p{Zs}\p{P}\p{S}]*$/iu;

type Found = { digits: string; before: string; after: string };

function findAll(text: string, pattern: RegExp): Found[] {
  return [...text.matchAll(new RegExp(pattern, 'gu'))].map(({ 0: match, index }) => ({
    digits: match.replaceAll(/\D/gu, ''),
    before: text.slice(Math.max(0, index - 40), index),
    after: text.slice(index + match.length, index + match.length + 20),
  }));
}

const isCode = ({ before, after }: Found): boolean =>
  !PART_BEFORE.test(before) && !PART_AFTER.test(after) && !OTHER_NUMBER.test(before);

const isWholeGroup = ({ before, after }: Found): boolean => !/\d\p{Zs}$/u.test(before) && !/^\p{Zs}\d/u.test(after);

/** The codes that a message may mean, each once. Groups of digits are a code only where no run is. */
function codesIn(message: string): Set<string> {
  const runs = findAll(message, CODE_RUN).filter(isCode);
  const found =
    runs.length > 0 ? runs : findAll(message, CODE_GROUPS).filter((group) => isCode(group) && isWholeGroup(group));
  return new Set(found.map(({ digits }) => digits));
}

/**
 * Reads a code of six digits that was typed, or pasted with its message, in digits of any script. Other numbers of the
 * message are no code: the site's name, a reference, telephone numbers, amounts.
 */
export function readOneTimeCode(text: string): ReadCode {
  const plain = plainDigits(text.slice(0, TEXT_MAX)).replaceAll(INVISIBLE, '').trim();
  const digits = plain.replaceAll(/\D/gu, '');
  if (NUMBER_ONLY.test(plain) && digits.length <= 6) return { kind: digits.length === 6 ? 'code' : 'partial', digits };
  const bound = BOUND_CODE.exec(plain)?.[1];
  if (bound !== undefined) return { kind: 'code', digits: bound };
  const [code, ...others] = codesIn(plain);
  if (code !== undefined) return others.length === 0 ? { kind: 'code', digits: code } : { kind: 'unclear' };
  return digits.length < 6 ? { kind: 'partial', digits } : { kind: 'unclear' };
}
