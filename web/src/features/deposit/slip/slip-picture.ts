/** What the server reads. */
export const PICTURE_TYPES = ['image/jpeg', 'image/png', 'image/webp'];

/** Longest side of a picture that had to be made smaller, in pixels: the next one where that is still too large. */
const SIDES = [2_000, 1_400, 1_000];
const QUALITY = 0.85;

/**
 * A picture as it can be sent: as it is, unless it is larger than the limit. Then it is drawn again, smaller: a code on it
 * can still be read.
 * @param bytesMax how large it may be
 * @throws when the browser can't read it as a picture
 */
export async function fitPicture(file: File, bytesMax: number): Promise<File> {
  if (file.size <= bytesMax) return file;
  const bitmap = await createImageBitmap(file);
  let smaller: Blob | undefined;
  for (const side of SIDES) {
    smaller = await drawWithin(side, bitmap);
    if (smaller.size <= bytesMax) break;
  }
  bitmap.close();
  if (!smaller) throw new Error('no picture came');
  return new File([smaller], `${file.name.replace(/\.\w+$/, '')}.jpg`, { type: 'image/jpeg' });
}

async function drawWithin(side: number, bitmap: ImageBitmap): Promise<Blob> {
  const scale = Math.min(1, side / Math.max(bitmap.width, bitmap.height));
  const width = Math.round(bitmap.width * scale);
  const height = Math.round(bitmap.height * scale);
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const paper = canvas.getContext('2d');
  if (!paper) throw new Error('no canvas to draw on');
  // What is seen through on a picture would come out black.
  paper.fillStyle = '#ffffff';
  paper.fillRect(0, 0, width, height);
  paper.drawImage(bitmap, 0, 0, width, height);
  const picture = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', QUALITY));
  if (!picture) throw new Error('no picture came');
  return picture;
}
