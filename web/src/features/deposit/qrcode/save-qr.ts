/** Image width in pixels that bank apps recognise reliably in a photo library. */
const IMAGE_WIDTH_PX = 900;
const QR_SIZE_PX = 720;
const IMAGE_HEIGHT_PX = 1_120;
const TEXT_COLOUR = '#150a14';

/**
 * Saves a QR code as an image with its amount below. On iPhones and iPads the share sheet saves it to the photo
 * library, because bank apps can't open downloads. Other devices download the image.
 * @param svg markup of the QR code
 * @param texts lines below the code, the first in large letters
 * @param name of the file, without extension
 * @returns false if the member closed the share sheet
 * @throws if the browser can't draw the image
 */
export async function saveQr(svg: string, texts: readonly string[], name: string): Promise<boolean> {
  const imageBlob = await drawImage(svg, texts);
  const file = new File([imageBlob], `${name}.png`, { type: 'image/png' });
  if (isApplePhone() && navigator.canShare?.({ files: [file] })) return shareFile(file);
  const objectUrl = URL.createObjectURL(file);
  const link = Object.assign(document.createElement('a'), { href: objectUrl, download: file.name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(objectUrl), 60_000);
  return true;
}

const isApplePhone = (): boolean =>
  /iP(?:hone|ad|od)/.test(navigator.userAgent) || (navigator.userAgent.includes('Mac') && navigator.maxTouchPoints > 1);

async function shareFile(file: File): Promise<boolean> {
  try {
    await navigator.share({ files: [file] });
    return true;
  } catch (failure) {
    if (failure instanceof DOMException && failure.name === 'AbortError') return false;
    throw failure;
  }
}

async function drawImage(svg: string, texts: readonly string[]): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;utf8,${encodeURIComponent(withSize(svg))}`;
  await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), { width: IMAGE_WIDTH_PX, height: IMAGE_HEIGHT_PX });
  const context = canvas.getContext('2d');
  if (!context) throw new Error('no canvas to draw on');
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, IMAGE_WIDTH_PX, IMAGE_HEIGHT_PX);
  context.imageSmoothingEnabled = false;
  context.drawImage(image, (IMAGE_WIDTH_PX - QR_SIZE_PX) / 2, 90, QR_SIZE_PX, QR_SIZE_PX);
  const { fontFamily } = getComputedStyle(document.body);
  context.fillStyle = TEXT_COLOUR;
  context.textAlign = 'center';
  texts.forEach((text, index) => {
    context.font = index === 0 ? `700 84px ${fontFamily}` : `400 34px ${fontFamily}`;
    context.fillText(text, IMAGE_WIDTH_PX / 2, index === 0 ? 930 : 940 + index * 62, IMAGE_WIDTH_PX - 60);
  });
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!blob) throw new Error('no picture came');
  return blob;
}

/**
 * Adds a width to the SVG, because some browsers draw no SVG without a size. Edits the text: Trusted Types forbid
 * parsing it as a document.
 */
const withSize = (svg: string): string =>
  svg.replace(/<svg\b(?![^>]*\swidth=)/, `<svg width="${QR_SIZE_PX}" height="${QR_SIZE_PX}"`);
