/**
 * Writes a text to the clipboard. Falls back to `execCommand` over plain http, which lacks the clipboard API, and in web
 * views (LINE, Facebook), which refuse it.
 * @throws when neither works
 */
export async function writeClipboard(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copySelected(text);
  }
}

function copySelected(text: string): void {
  const { activeElement } = document;
  const field = document.createElement('textarea');
  field.value = text;
  field.readOnly = true;
  field.className = 'sr-only';
  // Only what is inside an open dialog can be selected.
  ([...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body).append(field);
  field.focus({ preventScroll: true });
  // `select()` alone selects nothing on iOS.
  field.setSelectionRange(0, text.length);
  try {
    // oxlint-disable-next-line typescript/no-deprecated -- the only way where the clipboard refuses
    if (!document.execCommand('copy')) throw new Error('the browser refused to copy');
  } finally {
    field.remove();
    if (activeElement instanceof HTMLElement) activeElement.focus({ preventScroll: true });
  }
}
