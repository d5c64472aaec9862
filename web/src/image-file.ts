import { IMAGE_HEAD_BYTES, IMAGE_PIXELS_MAX, type ImageFormat, imageFormatOf } from '@krapao/contract/input/image';

export type ImageLimits = {
  /** Types that the server takes. */
  types: readonly ImageFormat[];
  bytesMax: number;
};

/** Root of the area of a picture that is drawn smaller, in pixels: the next one where that is still too large. */
const SIDES = [2_000, 1_400, 1_000];
const QUALITY = 0.85;

/**
 * A picture as the server takes it: unchanged where it can be, else redrawn as a JPEG, smaller where it has too many
 * pixels or bytes. Its type is that of its bytes; the name and the type that the browser tells are ignored. A photo in
 * HEIC is redrawn by browsers that show such photos.
 * @throws when it is no picture that this browser shows
 */
export async function prepareImage(file: File, { types, bytesMax }: ImageLimits): Promise<File> {
  const type = imageFormatOf(new Uint8Array(await file.slice(0, IMAGE_HEAD_BYTES).arrayBuffer()));
  const fits = type !== undefined && types.includes(type) && file.size <= bytesMax;
  const address = URL.createObjectURL(file);
  try {
    const image = await load(address).catch(() => undefined);
    const pixels = image ? image.naturalWidth * image.naturalHeight : 0;
    // What this browser can't show, the server may still read.
    if (fits && pixels <= IMAGE_PIXELS_MAX) return file;
    if (!image) throw new Error('no picture that this browser shows');
    return await redraw(file.name, image, bytesMax);
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** Reads the head of a picture; browsers decode it when it is drawn. */
function load(address: string): Promise<HTMLImageElement> {
  const image = new Image();
  return new Promise((resolve, reject) => {
    image.onload = () => resolve(image);
    image.onerror = () => reject(new Error('the picture could not be loaded'));
    image.src = address;
  });
}

async function redraw(name: string, image: HTMLImageElement, bytesMax: number): Promise<File> {
  let smaller: Blob | undefined;
  for (const side of SIDES) {
    smaller = await drawWithin(side * side, image);
    if (smaller.size <= bytesMax) break;
  }
  if (!smaller) throw new Error('no picture was drawn');
  return new File([smaller], `${name.replace(/\.\w+$/, '')}.jpg`, { type: 'image/jpeg' });
}

/** By its area: a side of its own would leave nothing legible of a long screenshot. */
async function drawWithin(pixelsMax: number, image: HTMLImageElement): Promise<Blob> {
  const scale = Math.min(1, Math.sqrt(pixelsMax / (image.naturalWidth * image.naturalHeight)));
  const width = Math.round(image.naturalWidth * scale);
  const height = Math.round(image.naturalHeight * scale);
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const paper = canvas.getContext('2d');
  if (!paper) throw new Error('no canvas to draw on');
  // Transparent parts would come out black.
  paper.fillStyle = '#ffffff';
  paper.fillRect(0, 0, width, height);
  paper.drawImage(image, 0, 0, width, height);
  const picture = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', QUALITY));
  if (!picture) throw new Error('no picture was drawn');
  return picture;
}
