import { IMAGE_PIXELS_MAX, type ImageFormat } from '@krapao/contract/input/image';
import sharp, { type Sharp } from 'sharp';
import { decodingOptions, metadataOptions } from '../../platform/storage/image-decoders.ts';

export type ImageType = Exclude<ImageFormat, 'webp'>;
/** `type` is the output format. `unreadable`: no image, a broken one, or one with too many pixels. */
export type ReencodedImage = { outcome: 'drawn'; type: ImageType; bytes: Uint8Array } | { outcome: 'unreadable' };

/** Enough for display on a screen. */
const SIDE_PX_MAX = 2_560;
/** An animation beyond these limits is reduced to its first frame as a PNG. */
const ANIMATION_LIMITS = { pixelsMax: 10_000_000, framesMax: 200, seconds: 20 };
const STILL_SECONDS = 15;
const JPEG_QUALITY = 82;
/** On a scale of 1 to 10: low, because a higher effort costs too much CPU time. */
const GIF_EFFORT = 2;

type ImageMetadata = { pixels: number; frames: number; hasAlpha: boolean };

/**
 * Re-encodes an image in its own format without metadata; a WebP as JPEG, or as PNG if it is transparent. Dimensions
 * are checked before anything is decoded. CPU-bound: runs in a worker thread, see `reencode-worker.ts`.
 */
export async function reencodeImage(file: Uint8Array, type: ImageFormat): Promise<ReencodedImage> {
  const metadata = await readMetadata(file);
  if (!metadata || metadata.pixels > IMAGE_PIXELS_MAX) return { outcome: 'unreadable' };
  const { pixels, frames, hasAlpha } = metadata;
  const isAnimated = type === 'gif' && frames > 1;
  try {
    if (isAnimated && frames <= ANIMATION_LIMITS.framesMax && pixels * frames <= ANIMATION_LIMITS.pixelsMax) {
      const animation = await encodeAnimation(file).catch(ignoreTimeout);
      if (animation) return { outcome: 'drawn', type: 'gif', bytes: animation };
    }
    const stillType = type === 'webp' ? (hasAlpha ? 'png' : 'jpg') : type;
    const outputType = isAnimated ? 'png' : stillType;
    return { outcome: 'drawn', type: outputType, bytes: await encodeStill(file, outputType) };
  } catch (error) {
    // A timeout is no fault of the image: the machine may be busy.
    if (isTimeout(error)) throw error;
    return { outcome: 'unreadable' };
  }
}

/** `pixels` counts one frame. */
async function readMetadata(file: Uint8Array): Promise<ImageMetadata | undefined> {
  try {
    const image = sharp(file, { ...metadataOptions(file), animated: true });
    const { width, height, pageHeight, pages, hasAlpha } = await image.metadata();
    return { pixels: width * (pageHeight ?? height), frames: pages ?? 1, hasAlpha };
  } catch {
    return undefined;
  }
}

const isTimeout = (error: unknown): boolean => error instanceof Error && error.message.startsWith('timeout');

function ignoreTimeout(error: unknown): undefined {
  if (!isTimeout(error)) throw error;
}

async function encodeAnimation(file: Uint8Array): Promise<Uint8Array> {
  return openImage(file, true).gif({ effort: GIF_EFFORT }).timeout({ seconds: ANIMATION_LIMITS.seconds }).toBuffer();
}

async function encodeStill(file: Uint8Array, type: ImageType): Promise<Uint8Array> {
  const image = openImage(file, false).autoOrient().resize({
    width: SIDE_PX_MAX,
    height: SIDE_PX_MAX,
    fit: 'inside',
    withoutEnlargement: true,
  });
  return encodeAs(image, type).timeout({ seconds: STILL_SECONDS }).toBuffer();
}

const openImage = (file: Uint8Array, animated: boolean): Sharp =>
  sharp(file, { ...decodingOptions(file), animated }).toColourspace('srgb');

function encodeAs(image: Sharp, type: ImageType): Sharp {
  if (type === 'png') return image.png();
  return type === 'gif' ? image.gif({ effort: GIF_EFFORT }) : image.jpeg({ quality: JPEG_QUALITY });
}
