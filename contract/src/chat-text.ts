/** Text rules of the chat, shared by app and server, so that both apply the same length limit. */

// Invisible characters that change the look of the surrounding text: control characters other than newline and tab, and
// bidirectional controls.
const INVISIBLE_CHARACTERS = /(?![\n\t])\p{Cc}|\p{Bidi_Control}/gu;
const LINE_ENDS = /\r\n?|[\u2028\u2029\u0085]/g;
const BLANK_TEXT = /^[\s\p{Z}\p{Cf}]*$/u;

/**
 * The stored form of a typed text: normalised, with one kind of line end, without invisible characters. The limit
 * applies to its length.
 */
export function cleanChatText(text: string): string {
  return text.replaceAll(LINE_ENDS, '\n').replaceAll(INVISIBLE_CHARACTERS, '').normalize('NFC');
}

/** Whether a text is blank. */
export const isBlankChatText = (text: string): boolean => BLANK_TEXT.test(text);
