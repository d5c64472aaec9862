/**
 * How a field displays what is typed into it. Displayed text has the significant characters of what is kept, in the same
 * order, with separators set between them.
 */
export type InputFormat = {
  /** What is kept of a typed text, the person's own separators included. */
  keep: (typed: string) => string;
  /** What is kept, as it is displayed. */
  show: (kept: string) => string;
  /** What the form gets: without separators. `show` displays it as it displays what is kept. */
  plain: (kept: string) => string;
  /** The separator that `show` sets. */
  separator: string;
};

/** A text and the position of the caret in it. */
export type Edited = { kept: string; caret: number };

/** Position after so many significant characters, before a separator that follows them. */
function positionAfter(text: string, count: number, separator: string): number {
  let at = 0;
  for (let seen = 0; at < text.length && seen < count; at += 1) if (text[at] !== separator) seen += 1;
  return at;
}

const countIn = (text: string, separator: string): number => text.replaceAll(separator, '').length;

/** The beginning of a kept text that is displayed as `shown`: its digits, and the last of its signs as the decimal sign. */
function beginningOf(kept: string, shown: string, separator: string): string {
  const decimalAt = shown.includes('.') ? kept.search(/[^\d](?=\d*$)/) : -1;
  const count = (part: string): number =>
    part.replaceAll(/\D/g, '').length + (decimalAt >= 0 && part.length > decimalAt ? 1 : 0);
  const wanted = countIn(shown, separator);
  let end = 0;
  while (end < kept.length && count(kept.slice(0, end)) < wanted) end += 1;
  return kept.slice(0, end);
}

/** What was replaced in a displayed text. A separator that was deleted alone stands for the digit beside it. */
function changeOf(shown: string, next: string, caret: number, inputType: string, separator: string) {
  const after = next.slice(caret);
  if (!shown.endsWith(after)) return undefined;
  let to = shown.length - after.length;
  let from = 0;
  while (from < Math.min(to, caret) && shown[from] === next[from]) from += 1;
  const inserted = next.slice(from, caret);
  if (inserted === '' && shown.slice(from, to) === separator) {
    if (inputType === 'deleteContentForward') to += 1;
    else from -= 1;
  }
  return { from: Math.max(0, from), to, inserted };
}

/**
 * Applies an edit of the displayed text to what is kept. At its end the text goes on as it was typed; in its middle the
 * displayed number is edited.
 * @param next the displayed text after the edit @param caret in `next` @param inputType of the input event
 */
export function editFormatted(
  format: InputFormat,
  before: string,
  next: string,
  caret: number,
  inputType: string,
): Edited {
  const { separator } = format;
  const shown = format.show(before);
  const change = changeOf(shown, next, caret, inputType, separator);
  const hasSeparators = shown !== before || shown !== format.plain(before);
  let typed = next;
  let position = caret;
  if (change && hasSeparators) {
    const head = shown.slice(0, change.from);
    const tail = shown.slice(change.to);
    const beginning = tail === '' ? beginningOf(before, head, separator) : head.replaceAll(separator, '');
    typed = `${beginning}${change.inserted}${tail.replaceAll(separator, '')}`;
    position = beginning.length + change.inserted.length;
  } else if (change) {
    typed = `${shown.slice(0, change.from)}${change.inserted}${shown.slice(change.to)}`;
    position = change.from + change.inserted.length;
  }
  const kept = format.keep(typed);
  const display = format.show(kept);
  if (display === kept && kept.length === typed.length) return { kept, caret: position };
  const following = typed.slice(position).replaceAll(separator, '').length;
  return { kept, caret: positionAfter(display, Math.max(0, countIn(display, separator) - following), separator) };
}
