/**
 * Format of a field. The displayed text has the significant characters of the kept text in the same order, plus
 * separators.
 */
export type InputFormat = {
  /** Typed text to kept text, including typed separators. */
  keep: (typed: string) => string;
  /** Kept text to displayed text. */
  show: (kept: string) => string;
  /** Kept text to form value, without separators. `show` gives the same text for both. */
  plain: (kept: string) => string;
  /** Separator that `show` inserts. */
  separator: string;
};

/** A text and the position of the caret in it. */
export type Edited = { kept: string; caret: number };

/** Position after `count` significant characters, before a following separator. */
function positionAfter(text: string, count: number, separator: string): number {
  let at = 0;
  for (let seen = 0; at < text.length && seen < count; at += 1) if (text[at] !== separator) seen += 1;
  return at;
}

const countIn = (text: string, separator: string): number => text.replaceAll(separator, '').length;

/** The prefix of a kept text that is displayed as `shown`; its last sign is the decimal sign. */
function beginningOf(kept: string, shown: string, separator: string): string {
  const decimalAt = shown.includes('.') ? kept.search(/[^\d](?=\d*$)/) : -1;
  const count = (part: string): number =>
    part.replaceAll(/\D/g, '').length + (decimalAt >= 0 && part.length > decimalAt ? 1 : 0);
  const shownCount = countIn(shown, separator);
  let end = 0;
  while (end < kept.length && count(kept.slice(0, end)) < shownCount) end += 1;
  return kept.slice(0, end);
}

/** The replaced range of a displayed text. Deleting only a separator deletes the digit beside it. */
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
 * Applies an edit of the displayed text to the kept text. At the end, typed separators are kept; in the middle, the
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
