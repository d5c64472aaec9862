import { useTranslation } from 'react-i18next';
import { Button } from './core/button.tsx';
import { IconButton } from './core/icon-button.tsx';
import { CopyIcon } from './core/icons.tsx';
import { toast } from './core/toast.tsx';
import { i18n } from '../i18n/i18n.ts';

/** Copies a text and says so: "Copied: …" or "Failed to copy". */
export async function copyText(text: string): Promise<boolean> {
  try {
    await writeClipboard(text);
    toast.success(i18n.t('parts:copied', { text }));
    return true;
  } catch {
    toast.danger(i18n.t('parts:copyFailed'));
    return false;
  }
}

export type CopyButtonProps = {
  text: string;
  /** What is copied, for screen readers and beside the icon. */
  label?: string;
  /** An icon alone, or a button with words. */
  compact?: boolean;
};

/** Copies its text when pressed. */
export function CopyButton({ text, label, compact = false }: CopyButtonProps) {
  const { t } = useTranslation('parts');
  const words = label ?? t('copy');
  if (compact)
    return (
      <IconButton label={words} onClick={() => void copyText(text)}>
        <CopyIcon className="size-5" />
      </IconButton>
    );
  return (
    <Button variant="quiet" size="sm" icon={<CopyIcon className="size-5" />} onClick={() => void copyText(text)}>
      {words}
    </Button>
  );
}

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
