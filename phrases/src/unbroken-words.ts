/** Thai words and phrases that line breaking splits, because its dictionary has only their parts. */
const SPLIT_WORDS = [
  ['โปร', 'โม', 'ชั่น'],
  ['ไม่', 'กี่', 'นาที'],
  ['ค่า', 'ธรรมเนียม'],
] as const;

/** Character that forbids a line break and has no width. */
const WORD_JOINER = '\u2060';

/** The text with the parts of these words joined, so that no line ends inside them. */
export const joinWords = (text: string): string =>
  SPLIT_WORDS.reduce((joined, parts) => joined.replaceAll(parts.join(''), parts.join(WORD_JOINER)), text);
