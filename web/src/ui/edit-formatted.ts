/**
 * Format of an input field. The draft is the typed text including typed separators. The displayed text has the
 * significant characters of the draft in the same order, plus inserted separators.
 */
export type InputFormat = {
  /** Converts typed text to a draft; keeps typed separators. */
  toDraft: (typed: string) => string;
  /** Converts a draft to displayed text. */
  toDisplay: (draft: string) => string;
  /** Converts a draft to the form value without separators. `toDisplay` gives the same text for draft and value. */
  toValue: (draft: string) => string;
  /** Separator inserted by `toDisplay`. */
  separator: string;
};

/** A draft and the position of the caret in the displayed text. */
export type EditedDraft = { draft: string; caret: number };

/** Position after `count` significant characters, before a separator that follows. */
function positionAfter(text: string, count: number, separator: string): number {
  let position = 0;
  for (let seenCount = 0; position < text.length && seenCount < count; position += 1)
    if (text[position] !== separator) seenCount += 1;
  return position;
}

const significantCount = (text: string, separator: string): number => text.replaceAll(separator, '').length;

/**
 * The prefix of a draft that is displayed as `displayedPrefix`. The draft's last separator counts as the decimal sign.
 */
function draftPrefixOf(draft: string, displayedPrefix: string, separator: string): string {
  const decimalSignIndex = displayedPrefix.includes('.') ? draft.search(/[^\d](?=\d*$)/) : -1;
  const countOf = (text: string): number =>
    text.replaceAll(/\D/g, '').length + (decimalSignIndex >= 0 && text.length > decimalSignIndex ? 1 : 0);
  const shownCount = significantCount(displayedPrefix, separator);
  let prefixLength = 0;
  while (prefixLength < draft.length && countOf(draft.slice(0, prefixLength)) < shownCount) prefixLength += 1;
  return draft.slice(0, prefixLength);
}

/** Range of a displayed text that an edit replaced. Deleting only a separator also deletes the digit beside it. */
function replacedRangeOf(displayed: string, editedText: string, caret: number, inputType: string, separator: string) {
  const textAfterCaret = editedText.slice(caret);
  if (!displayed.endsWith(textAfterCaret)) return undefined;
  let to = displayed.length - textAfterCaret.length;
  let from = 0;
  while (from < Math.min(to, caret) && displayed[from] === editedText[from]) from += 1;
  const insertedText = editedText.slice(from, caret);
  if (insertedText === '' && displayed.slice(from, to) === separator) {
    if (inputType === 'deleteContentForward') to += 1;
    else from -= 1;
  }
  return { from: Math.max(0, from), to, inserted: insertedText };
}

/**
 * Applies an edit of the displayed text to the draft. An edit at the end keeps typed separators; an edit in the middle
 * changes the displayed number.
 * @param editedText displayed text after the edit
 * @param caret position in `editedText`
 * @param inputType of the input event
 */
export function editFormatted(
  format: InputFormat,
  draftBefore: string,
  editedText: string,
  caret: number,
  inputType: string,
): EditedDraft {
  const { separator } = format;
  const displayed = format.toDisplay(draftBefore);
  const range = replacedRangeOf(displayed, editedText, caret, inputType, separator);
  const hasSeparators = displayed !== draftBefore || displayed !== format.toValue(draftBefore);
  let typed = editedText;
  let position = caret;
  if (range && hasSeparators) {
    const textBefore = displayed.slice(0, range.from);
    const textAfter = displayed.slice(range.to);
    const draftPrefix =
      textAfter === '' ? draftPrefixOf(draftBefore, textBefore, separator) : textBefore.replaceAll(separator, '');
    typed = `${draftPrefix}${range.inserted}${textAfter.replaceAll(separator, '')}`;
    position = draftPrefix.length + range.inserted.length;
  } else if (range) {
    typed = `${displayed.slice(0, range.from)}${range.inserted}${displayed.slice(range.to)}`;
    position = range.from + range.inserted.length;
  }
  const draft = format.toDraft(typed);
  const newDisplayed = format.toDisplay(draft);
  if (newDisplayed === draft && draft.length === typed.length) return { draft, caret: position };
  const followingCount = typed.slice(position).replaceAll(separator, '').length;
  return {
    draft,
    caret: positionAfter(
      newDisplayed,
      Math.max(0, significantCount(newDisplayed, separator) - followingCount),
      separator,
    ),
  };
}
