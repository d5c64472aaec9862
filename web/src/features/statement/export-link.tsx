import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { failureText } from '../../api/error-text.ts';
import { hasTabs } from '../../shared/open-tab.ts';
import { canShare, shareFile } from '../../shared/picture.ts';
import { copyText } from '../../ui/copy-button.tsx';
import { Button, buttonClass } from '../../ui/core/button.tsx';
import { CopyIcon, ShareIcon } from '../../ui/core/icons.tsx';
import { toast } from '../../ui/core/toast.tsx';

const contentTypes = { csv: 'text/csv', pdf: 'application/pdf' } as const;

export type ExportLinkProps = {
  url: string;
  format: keyof typeof contentTypes;
  /** Number of the file if the statement has several, as in " · part 1 of 2"; else empty. */
  part: string;
};

/**
 * Link of a file. An installed iPhone app would show the file in place of the app, without a way back, so it shares the
 * file. In-app browsers that can't share ignore downloads, so they copy the link.
 */
export function ExportLink({ url, format, part }: ExportLinkProps) {
  const { t } = useTranslation('money');
  const [file, setFile] = useState<File>();
  const [isLoading, setLoading] = useState(false);
  const name = { format: format.toUpperCase() };
  if (hasTabs())
    return (
      <a href={url} download rel="noopener" className={`${buttonClass('gold')} mb-2 w-full`}>
        {t('export.download', name) + part}
      </a>
    );
  if (!canShare(new File([''], `file.${format}`, { type: contentTypes[format] })))
    return (
      <div className="mb-2 grid gap-2">
        <p className="text-sm text-amber">{t('export.inApp')}</p>
        <Button variant="gold" icon={<CopyIcon className="size-5" />} onClick={() => void copyText(url, name.format)}>
          {t('export.copyLink', name) + part}
        </Button>
      </div>
    );
  const share = async (): Promise<void> => {
    setLoading(true);
    try {
      const loadedFile = file ?? (await loadFile(url, format));
      setFile(loadedFile);
      await shareFile(loadedFile);
    } catch (failure) {
      // Browsers share only shortly after a press.
      const isTooLate = failure instanceof DOMException && failure.name === 'NotAllowedError';
      if (isTooLate) toast.info(t('export.loaded'));
      else toast.danger(failureText(failure));
    } finally {
      setLoading(false);
    }
  };
  return (
    <Button
      variant="gold"
      className="mb-2"
      wide
      busy={isLoading && t('export.loading')}
      icon={<ShareIcon className="size-5" />}
      onClick={() => void share()}
    >
      {t('export.share', name) + part}
    </Button>
  );
}

/** Downloads a file, with the name that the server gives it. @throws if the server refuses or does not reply */
async function loadFile(url: string, format: keyof typeof contentTypes): Promise<File> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the file has status ${response.status}`);
  const [, name = `statement.${format}`] =
    /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '') ?? [];
  return new File([await response.blob()], name, { type: contentTypes[format] });
}
