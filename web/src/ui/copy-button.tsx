import { useTranslation } from 'react-i18next';
import { i18n } from '../i18n/i18n.ts';
import { Button } from './core/button.tsx';
import { IconButton } from './core/icon-button.tsx';
import { CopyIcon } from './core/icons.tsx';
import { toast } from './core/toast.tsx';

/**
 * Copies a text and shows a toast about success or failure.
 * @param shown text in the toast, if the copied one is too long
 * @returns whether the text was copied
 */
export async function copyText(text: string, shown = text): Promise<boolean> {
  try {
    await writeClipboard(text);
    toast.success(i18n.t('parts:copied', { text: shown }));
    return true;
  } catch {
    toast.danger(i18n.t('parts:copyFailed'));
    return false;
  }
}

export type CopyButtonProps = {
  text: string;
  /** Name of the copied text, for screen readers and beside the icon. */
  label?: string;
  /** Shows only an icon instead of an icon with text. */
  compact?: boolean;
};

export function CopyButton({ text, label, compact = false }: CopyButtonProps) {
  const { t } = useTranslation('parts');
  const labelText = label ?? t('copy');
  if (compact)
    return (
      <IconButton label={labelText} onClick={() => void copyText(text)}>
        <CopyIcon className="size-5" />
      </IconButton>
    );
  return (
    <Button variant="quiet" size="sm" icon={<CopyIcon className="size-5" />} onClick={() => void copyText(text)}>
      {labelText}
    </Button>
  );
}

/**
 * Writes a text to the clipboard. Falls back to `execCommand` where the clipboard API is missing (plain http) or
 * refused (web views of LINE and Facebook).
 * @throws if both fail
 */
export async function writeClipboard(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    copyBySelection(text);
  }
}

function copyBySelection(text: string): void {
  const { activeElement } = document;
  const textarea = document.createElement('textarea');
  textarea.value = text;
  textarea.readOnly = true;
  textarea.className = 'sr-only';
  // In an open modal dialog, only elements inside the dialog can be selected.
  ([...document.querySelectorAll('dialog[open]')].at(-1) ?? document.body).append(textarea);
  textarea.focus({ preventScroll: true });
  // On iOS `select()` alone selects nothing.
  textarea.setSelectionRange(0, text.length);
  try {
    // oxlint-disable-next-line typescript/no-deprecated -- the only way where the clipboard refuses
    if (!document.execCommand('copy')) throw new Error('the browser refused to copy');
  } finally {
    textarea.remove();
    if (activeElement instanceof HTMLElement) activeElement.focus({ preventScroll: true });
  }
}
