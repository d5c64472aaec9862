import { type ReactNode, useEffect, useState } from 'react';
import { toast } from '../ui/core/toast.tsx';
import { givePicture } from './picture.ts';

export type PictureTexts = {
  /** Alternative text of the picture. */
  alt: string;
  /** Where the browser neither shares nor downloads: how the shown picture is saved. */
  hold: string;
  downloading: string;
  failed: string;
};

export type PictureSaver = {
  isBusy: boolean;
  give: (draw: () => Promise<File>, prefersSharing?: boolean) => Promise<void>;
  /** The picture, where the member can only hold it; undefined elsewhere. */
  picture: ReactNode;
};

/** Shares, downloads or shows a drawn picture. Reports no success, because browsers do not report any. */
export function usePictureSaver({ alt, hold, downloading, failed }: PictureTexts, sizeClass: string): PictureSaver {
  const [isBusy, setBusy] = useState(false);
  const [url, setUrl] = useState<string>();
  useEffect(() => () => void (url && URL.revokeObjectURL(url)), [url]);
  const give: PictureSaver['give'] = async (draw, prefersSharing = false) => {
    setBusy(true);
    try {
      const file = await draw();
      const outcome = await givePicture(file, prefersSharing);
      if (outcome === 'download') toast.info(downloading);
      if (outcome === 'impossible') setUrl(URL.createObjectURL(file));
    } catch {
      toast.danger(failed);
    } finally {
      setBusy(false);
    }
  };
  const picture = url && (
    <figure className="text-center">
      <img src={url} alt={alt} className={`mx-auto h-auto w-full rounded-md bg-paper ${sizeClass}`} />
      <figcaption role="status" className="mt-2 text-sm text-muted">
        {hold}
      </figcaption>
    </figure>
  );
  return { isBusy, give, picture: picture || undefined };
}
