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

/**
 * Saves an image. On iPhones and iPads the share sheet saves it to the photo library, because bank apps can't open
 * downloads. Other devices download the image.
 * @returns false if the member closed the share sheet
 */
export async function savePicture(file: File): Promise<boolean> {
  if (isApplePhone() && canShare(file)) return sharePicture(file);
  download(file);
  return true;
}

/** Whether the share sheet accepts the image. */
export const canShare = (file: File): boolean => navigator.canShare?.({ files: [file] }) ?? false;

/** Opens the share sheet. @returns false if the member closed it */
export async function sharePicture(file: File): Promise<boolean> {
  try {
    await navigator.share({ files: [file] });
    return true;
  } catch (failure) {
    if (failure instanceof DOMException && failure.name === 'AbortError') return false;
    throw failure;
  }
}

const REVOKED_AFTER_MS = 60_000;

function download(file: File): void {
  const objectUrl = URL.createObjectURL(file);
  const link = Object.assign(document.createElement('a'), { href: objectUrl, download: file.name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(objectUrl), REVOKED_AFTER_MS);
}

const isApplePhone = (): boolean =>
  /iP(?:hone|ad|od)/.test(navigator.userAgent) || (navigator.userAgent.includes('Mac') && navigator.maxTouchPoints > 1);
