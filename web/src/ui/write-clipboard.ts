/**
 * Puts a text on the clipboard. Where the page came over plain http from another machine there is no clipboard to write
 * to, and the old command copies what is selected.
 * @throws when neither works
 */
export async function writeClipboard(text: string): Promise<void> {
  if (navigator.clipboard === undefined) copySelected(text);
  else await navigator.clipboard.writeText(text);
}

function copySelected(text: string): void {
  const { activeElement } = document;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = 'sr-only';
  // Only what is inside an open dialog can be selected.
  ([...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body).append(field);
  field.select();
  // The only way there is where it is needed.
  // oxlint-disable-next-line typescript/no-deprecated
  const isCopied = document.execCommand('copy');
  field.remove();
  if (activeElement instanceof HTMLElement) activeElement.focus({ preventScroll: true });
  if (!isCopied) throw new Error('the browser does not copy');
}
