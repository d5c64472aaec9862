import { IMAGE_HEAD_BYTES, IMAGE_PIXELS_MAX, type ImageFormat, imageFormatOf } from '@krapao/contract/input/image';

export type ImageLimits = {
  /** Formats that the server accepts. */
  types: readonly ImageFormat[];
  bytesMax: number;
};

/** Side lengths of squares whose areas limit the pixels of the image; tried in order until the file is small enough. */
const TARGET_SIDES_PX = [2_000, 1_400, 1_000];
const JPEG_QUALITY = 0.85;

/**
 * Prepares an image for upload. An accepted image stays unchanged; any other is redrawn as JPEG and reduced to the
 * pixel and byte limits. The format is read from the bytes; file name and MIME type are ignored. HEIC is redrawn if the
 * browser can decode it.
 * @throws if the browser can't decode the file
 */
export async function prepareImage(file: File, { types, bytesMax }: ImageLimits): Promise<File> {
  const type = imageFormatOf(new Uint8Array(await file.slice(0, IMAGE_HEAD_BYTES).arrayBuffer()));
  const isAcceptable = type !== undefined && types.includes(type) && file.size <= bytesMax;
  const objectUrl = URL.createObjectURL(file);
  try {
    const image = await loadImage(objectUrl).catch(() => undefined);
    const pixelCount = image ? image.naturalWidth * image.naturalHeight : 0;
    // An undecodable image of an accepted format is sent unchanged: the server may be able to decode it.
    if (isAcceptable && pixelCount <= IMAGE_PIXELS_MAX) return file;
    if (!image) throw new Error('the browser can not decode the image');
    return await redrawAsJpeg(file.name, image, bytesMax);
  } finally {
    URL.revokeObjectURL(objectUrl);
  }
}

/** Whether the browser can decode a file as an image. */
export async function isDecodable(file: File): Promise<boolean> {
  const objectUrl = URL.createObjectURL(file);
  try {
    return await loadImage(objectUrl).then(
      () => true,
      () => false,
    );
  } finally {
    URL.revokeObjectURL(objectUrl);
  }
}

/** Loads an image until its size is known; browsers decode the pixels when drawing. */
function loadImage(url: string): Promise<HTMLImageElement> {
  const image = new Image();
  return new Promise((resolve, reject) => {
    image.onload = () => resolve(image);
    image.onerror = () => reject(new Error('the image could not be loaded'));
    image.src = url;
  });
}

async function redrawAsJpeg(name: string, image: HTMLImageElement, bytesMax: number): Promise<File> {
  let resized: Blob | undefined;
  for (const sidePx of TARGET_SIDES_PX) {
    resized = await drawWithin(sidePx * sidePx, image);
    if (resized.size <= bytesMax) break;
  }
  if (!resized) throw new Error('the image could not be encoded');
  return new File([resized], `${name.replace(/\.\w+$/, '')}.jpg`, { type: 'image/jpeg' });
}

/**
 * Draws an image with at most `pixelsMax` pixels. Limiting the area instead of one side keeps long screenshots legible.
 */
async function drawWithin(pixelsMax: number, image: HTMLImageElement): Promise<Blob> {
  const scale = Math.min(1, Math.sqrt(pixelsMax / (image.naturalWidth * image.naturalHeight)));
  const width = Math.round(image.naturalWidth * scale);
  const height = Math.round(image.naturalHeight * scale);
  const canvas = Object.assign(document.createElement('canvas'), { width, height });
  const context = canvas.getContext('2d');
  if (!context) throw new Error('canvas 2D is not available');
  // White background, because JPEG would render transparent pixels black.
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, width, height);
  context.drawImage(image, 0, 0, width, height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/jpeg', JPEG_QUALITY));
  if (!blob) throw new Error('the image could not be encoded');
  return blob;
}
