/**
 * Words of the chat, as the app counts them and the server keeps them. Both use these, so that what the app shows as too
 * long is what the server refuses.
 */

// Everything that can't be seen but changes how what stands around it looks: control characters other than a new line and a
// tab, and what turns the direction of writing.
const UNSEEN = /(?![\n\t])\p{Cc}|\p{Bidi_Control}/gu;
const LINE_ENDS = /\r\n?|[\u2028\u2029\u0085]/g;
const BLANK = /^[\s\p{Z}\p{Cf}]*$/u;

/** A typed text as it is kept: composed, with one kind of line end, without what can't be seen. Its length is what counts. */
export function cleanChatText(typed: string): string {
  return typed.replaceAll(LINE_ENDS, '\n').replaceAll(UNSEEN, '').normalize('NFC');
}

/** Whether a text has nothing to read in it. */
export const isBlankChatText = (text: string): boolean => BLANK.test(text);
