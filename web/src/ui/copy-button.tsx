import { useTranslation } from 'react-i18next';
import { Button } from './button.tsx';
import { IconButton } from './icon-button.tsx';
import { CopyIcon } from './icons/shell-icons.tsx';
import { toast } from './overlay/toast-store.ts';
import { i18n } from '../i18n/i18n.ts';
import { writeClipboard } from './write-clipboard.ts';

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
