import { blankDrawing, type Drawing, pictureFile } from '../../../shared/picture.ts';

/** Image width in pixels that bank apps recognise reliably in a photo library. */
const IMAGE_WIDTH_PX = 900;
const QR_SIZE_PX = 720;
const IMAGE_HEIGHT_PX = 1_190;

/**
 * Draws a QR code as an image with its amount below.
 * @param svg markup of the QR code
 * @param texts lines below the code, the first in large letters
 * @param name of the file, without extension
 * @throws if the browser can't draw the image
 */
export async function drawQr(svg: string, texts: readonly string[], name: string): Promise<File> {
  return pictureFile(await drawImage(svg, texts), name);
}

async function drawImage(svg: string, texts: readonly string[]): Promise<Drawing> {
  const image = new Image();
  image.src = `data:image/svg+xml;utf8,${encodeURIComponent(withSize(svg))}`;
  await image.decode();
  const drawing = blankDrawing(IMAGE_WIDTH_PX, IMAGE_HEIGHT_PX);
  const { context, fontFamily } = drawing;
  context.imageSmoothingEnabled = false;
  context.drawImage(image, (IMAGE_WIDTH_PX - QR_SIZE_PX) / 2, 90, QR_SIZE_PX, QR_SIZE_PX);
  context.textAlign = 'center';
  texts.forEach((text, index) => {
    context.font = index === 0 ? `700 84px ${fontFamily}` : `400 34px ${fontFamily}`;
    context.fillText(text, IMAGE_WIDTH_PX / 2, index === 0 ? 930 : 940 + index * 62, IMAGE_WIDTH_PX - 60);
  });
  return drawing;
}

/**
 * Adds a width to the SVG, because some browsers draw no SVG without a size. Edits the text: Trusted Types forbid
 * parsing it as a document.
 */
const withSize = (svg: string): string =>
  svg.replace(/<svg\b(?![^>]*\swidth=)/, `<svg width="${QR_SIZE_PX}" height="${QR_SIZE_PX}"`);
