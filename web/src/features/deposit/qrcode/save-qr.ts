/** Width in pixels that bank apps read reliably from a photo library. */
const WIDTH = 900;
const QR = 720;
const HEIGHT = 1_120;
const INK = '#150a14';

/**
 * Saves a QR as a picture with the amount under it: to the photos through the share sheet on iPhones and iPads, where a
 * download would land out of the bank app's sight, else as a download.
 * @param svg markup of the QR · @param lines words under it, the first one large · @param name of the file
 * @returns whether it was saved; false when the person closed the share sheet
 * @throws when the browser can't draw it
 */
export async function saveQr(svg: string, lines: readonly string[], name: string): Promise<boolean> {
  const picture = await draw(svg, lines);
  const file = new File([picture], `${name}.png`, { type: 'image/png' });
  if (isApplePhone() && navigator.canShare?.({ files: [file] })) return share(file);
  const address = URL.createObjectURL(file);
  const link = Object.assign(document.createElement('a'), { href: address, download: file.name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
  return true;
}

const isApplePhone = (): boolean =>
  /iP(?:hone|ad|od)/.test(navigator.userAgent) || (navigator.userAgent.includes('Mac') && navigator.maxTouchPoints > 1);

async function share(file: File): Promise<boolean> {
  try {
    await navigator.share({ files: [file] });
    return true;
  } catch (reason) {
    if (reason instanceof DOMException && reason.name === 'AbortError') return false;
    throw reason;
  }
}

async function draw(svg: string, lines: readonly string[]): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;utf8,${encodeURIComponent(withSize(svg))}`;
  await image.decode();
  const canvas = Object.assign(document.createElement('canvas'), { width: WIDTH, height: HEIGHT });
  const paper = canvas.getContext('2d');
  if (!paper) throw new Error('no canvas to draw on');
  paper.fillStyle = '#ffffff';
  paper.fillRect(0, 0, WIDTH, HEIGHT);
  paper.imageSmoothingEnabled = false;
  paper.drawImage(image, (WIDTH - QR) / 2, 90, QR, QR);
  const { fontFamily } = getComputedStyle(document.body);
  paper.fillStyle = INK;
  paper.textAlign = 'center';
  lines.forEach((line, index) => {
    paper.font = index === 0 ? `700 84px ${fontFamily}` : `400 34px ${fontFamily}`;
    paper.fillText(line, WIDTH / 2, index === 0 ? 930 : 940 + index * 62, WIDTH - 60);
  });
  const picture = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!picture) throw new Error('no picture came');
  return picture;
}

/** Some browsers draw no SVG without a size. (As text: trusted types forbid parsing it as a document.) */
const withSize = (svg: string): string => svg.replace(/<svg\b(?![^>]*\swidth=)/, `<svg width="${QR}" height="${QR}"`);
