import { IMAGE_HEAD_BYTES, IMAGE_PIXELS_MAX, type ImageFormat, imageFormatOf } from '@krapao/contract/input/image';

export type ImageLimits = {
  /** Formats that the server accepts. */
  types: readonly ImageFormat[];
  bytesMax: number;
};

/** Square roots of the target areas in pixels, tried in order until the file is small enough. */
const SIDES = [2_000, 1_400, 1_000];
const QUALITY = 0.85;

/**
 * Prepares an image for upload: unchanged if accepted, else redrawn as a JPEG, resized if it has too many pixels or bytes.
 * The format is read from the bytes; name and declared type are ignored. Browsers that decode HEIC redraw it.
 * @throws when this browser can't decode the file
 */
export async function prepareImage(file: File, { types, bytesMax }: ImageLimits): Promise<File> {
  const type = imageFormatOf(new Uint8Array(await file.slice(0, IMAGE_HEAD_BYTES).arrayBuffer()));
  const fits = type !== undefined && types.includes(type) && file.size <= bytesMax;
  const address = URL.createObjectURL(file);
  try {
    const image = await load(address).catch(() => undefined);
    const pixels = image ? image.naturalWidth * image.naturalHeight : 0;
    // The server may decode an image that this browser can't.
    if (fits && pixels <= IMAGE_PIXELS_MAX) return file;
    if (!image) throw new Error('the browser can not decode the image');
    return await redraw(file.name, image, bytesMax);
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** Loads the metadata of an image; browsers decode it when it is drawn. */
function load(address: string): Promise<HTMLImageElement> {
  const image = new Image();
  return new Promise((resolve, reject) => {
    image.onload = () => resolve(image);
    image.onerror = () => reject(new Error('the image could not be loaded'));
    image.src = address;
  });
}

async function redraw(name: string, image: HTMLImageElement, bytesMax: number): Promise<File> {
  let resized: Blob | undefined;
  for (const side of SIDES) {
    resized = await drawWithin(side * side, image);
    if (resized.size <= bytesMax) break;
  }
  if (!resized) throw new Error('the image could not be encoded');
  return new File([resized], `${name.replace(/\.\w+$/, '')}.jpg`, { type: 'image/jpeg' });
}

/** Limits the area, not a side: a long screenshot stays legible. */
async function drawWithin(pixelsMax: number, image: HTMLImageElement): Promise<Blob> {
  const scale = Math.min(1, Math.sqrt(pixelsMax / (image.naturalWidth * image.naturalHeight)));
  const width = Math.round(image.naturalWidth * scale);
  const height = Math.round(image.naturalHeight * scale);
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d');
  if (!context) throw new Error('canvas 2D is not available');
  // JPEG would render transparent pixels black.
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, width, height);
  context.drawImage(image, 0, 0, width, height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', QUALITY));
  if (!blob) throw new Error('the image could not be encoded');
  return blob;
}
