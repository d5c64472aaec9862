import { formatMemberCode } from '@krapao/contract/rules';

const NAME_CHARACTERS_MAX = 24;
/** A letter that can begin a word in speech: Thai and Lao vowels that are written first are skipped. */
const INITIAL = /(?![\u0e40-\u0e44\u0ec0-\u0ec4])\p{L}/u;
/** Words, with the marks of their letters. Names with anything else may hold a phone number or an address. */
const PLAIN_WORD = /^[\p{L}\p{M}\u200b-\u200d'’-]+$/u;

/** How an inviter is named to people who aren't members: "Jane D.", or the member code if that isn't possible. */
export function inviterName({ name, memberCode }: { name: string; memberCode: string }): string {
  const [first = '', ...others] = name.trim().split(/\s+/);
  if (!PLAIN_WORD.test(first) || first.length > NAME_CHARACTERS_MAX) return formatMemberCode(memberCode);
  const initial = INITIAL.exec(others.at(-1) ?? '')?.[0];
  return initial === undefined ? first : `${first} ${initial}.`;
}
