/**
 * Text rules of the chat, shared by app and server, so that the app marks exactly those texts as too long that the
 * server refuses.
 */

// Invisible characters that change how the text around them looks: control characters other than newline and tab, and
// bidirectional controls.
const UNSEEN = /(?![\n\t])\p{Cc}|\p{Bidi_Control}/gu;
const LINE_ENDS = /\r\n?|[\u2028\u2029\u0085]/g;
const BLANK = /^[\s\p{Z}\p{Cf}]*$/u;

/**
 * A typed text as it is stored: normalised, with one kind of line end, without invisible characters. Its length is what
 * the limit applies to.
 */
export function cleanChatText(typed: string): string {
  return typed.replaceAll(LINE_ENDS, '\n').replaceAll(UNSEEN, '').normalize('NFC');
}

/** Whether a text is blank. */
export const isBlankChatText = (text: string): boolean => BLANK.test(text);
