import { hasTabs, isIos } from './open-tab.ts';

/** An image being drawn. */
export type Drawing = { canvas: HTMLCanvasElement; context: CanvasRenderingContext2D; fontFamily: string };

export const TEXT_COLOUR = '#150a14';

/** A white canvas with the fonts of the page. @throws if the browser can't draw */
export function blankDrawing(width: number, height: number): Drawing {
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d');
  if (!context) throw new Error('no canvas to draw on');
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, width, height);
  context.fillStyle = TEXT_COLOUR;
  return { canvas, context, fontFamily: getComputedStyle(document.body).fontFamily };
}

/** The drawing as a PNG file. @param name without extension @throws if the browser can't encode it */
export async function pictureFile({ canvas }: Pick<Drawing, 'canvas'>, name: string): Promise<File> {
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!blob) throw new Error('no picture came');
  return new File([blob], `${name}.png`, { type: 'image/png' });
}

/** Whether the share sheet accepts the file. */
export const canShare = (file: File): boolean => navigator.canShare?.({ files: [file] }) ?? false;

/** Opens the share sheet. @returns false if the member closed it @throws if the browser refuses it */
export async function shareFile(file: File): Promise<boolean> {
  try {
    await navigator.share({ files: [file] });
    return true;
  } catch (failure) {
    if (failure instanceof DOMException && failure.name === 'AbortError') return false;
    throw failure;
  }
}

/** `share_sheet`: the member has seen it. `download`: started, without a sign that it works. */
export type PictureOutcome = 'share_sheet' | 'download' | 'impossible';

/**
 * Gives an image to the member. On iPhones and iPads the share sheet saves it to the photo library, because bank apps
 * can't open downloads. In-app browsers ignore downloads. Other browsers download the image.
 * @param prefersSharing also on other devices
 */
export async function givePicture(file: File, prefersSharing: boolean): Promise<PictureOutcome> {
  if ((prefersSharing || isIos()) && canShare(file)) {
    const isShown = await shareFile(file).then(
      () => true,
      () => false,
    );
    return isShown ? 'share_sheet' : 'impossible';
  }
  if (!hasTabs()) return 'impossible';
  download(file);
  return 'download';
}

const REVOKED_AFTER_MS = 60_000;

function download(file: File): void {
  const objectUrl = URL.createObjectURL(file);
  const link = Object.assign(document.createElement('a'), { href: objectUrl, download: file.name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(objectUrl), REVOKED_AFTER_MS);
}
