import { IMAGE_PIXELS_MAX, type ImageFormat } from '@krapao/contract/input/image';
import sharp, { type Sharp } from 'sharp';
import { decodingOptions, metadataOptions } from '../../platform/storage/image-decoders.ts';

export type ImageType = Exclude<ImageFormat, 'webp'>;
/** `type` is what it was drawn as. `unreadable`: no image, a broken one, or one of more pixels than are drawn. */
export type ReencodedImage = { outcome: 'drawn'; type: ImageType; bytes: Uint8Array } | { outcome: 'unreadable' };

/** What is drawn is a picture to look at on a screen. */
const SIDE_PX_MAX = 2_560;
/** A larger animation, or one that takes longer to draw, is reduced to its first frame as a PNG. */
const ANIMATION = { pixelsMax: 10_000_000, framesMax: 200, seconds: 20 };
const STILL_SECONDS = 15;
const JPEG_QUALITY = 82;
/** Of 1 to 10: an animation is not worth more of a processor. */
const GIF_EFFORT = 2;

type Size = { pixels: number; frames: number; hasAlpha: boolean };

/**
 * Re-encodes an image in its own format without metadata; a WebP as JPEG, or as PNG if it is transparent. Dimensions are
 * checked before anything is decoded.
 * Runs in a process part of its own (see `redraw-worker.ts`): it takes a core for as long as it takes.
 */
export async function reencodeImage(file: Uint8Array, type: ImageFormat): Promise<ReencodedImage> {
  const size = await sizeOf(file);
  if (!size || size.pixels > IMAGE_PIXELS_MAX) return { outcome: 'unreadable' };
  const { pixels, frames, hasAlpha } = size;
  const mayMove = type === 'gif' && frames > 1;
  try {
    if (mayMove && frames <= ANIMATION.framesMax && pixels * frames <= ANIMATION.pixelsMax) {
      const animation = await drawAnimation(file).catch(nothingWhenLate);
      if (animation) return { outcome: 'drawn', type: 'gif', bytes: animation };
    }
    const stillType = type === 'webp' ? (hasAlpha ? 'png' : 'jpg') : type;
    const drawnAs = mayMove ? 'png' : stillType;
    return { outcome: 'drawn', type: drawnAs, bytes: await drawStill(file, drawnAs) };
  } catch (error) {
    // What takes too long says nothing of the image: the machine may be busy.
    if (isLate(error)) throw error;
    return { outcome: 'unreadable' };
  }
}

/** `pixels` are those of one frame. */
async function sizeOf(file: Uint8Array): Promise<Size | undefined> {
  try {
    const image = sharp(file, { ...metadataOptions(file), animated: true });
    const { width, height, pageHeight, pages, hasAlpha } = await image.metadata();
    return { pixels: width * (pageHeight ?? height), frames: pages ?? 1, hasAlpha };
  } catch {
    return undefined;
  }
}

const isLate = (error: unknown): boolean => error instanceof Error && error.message.startsWith('timeout');

function nothingWhenLate(error: unknown): undefined {
  if (!isLate(error)) throw error;
}

async function drawAnimation(file: Uint8Array): Promise<Uint8Array> {
  return open(file, true).gif({ effort: GIF_EFFORT }).timeout({ seconds: ANIMATION.seconds }).toBuffer();
}

async function drawStill(file: Uint8Array, type: ImageType): Promise<Uint8Array> {
  const image = open(file, false).autoOrient().resize({
    width: SIDE_PX_MAX,
    height: SIDE_PX_MAX,
    fit: 'inside',
    withoutEnlargement: true,
  });
  return encode(image, type).timeout({ seconds: STILL_SECONDS }).toBuffer();
}

const open = (file: Uint8Array, animated: boolean): Sharp =>
  sharp(file, { ...decodingOptions(file), animated }).toColourspace('srgb');

function encode(image: Sharp, type: ImageType): Sharp {
  if (type === 'png') return image.png();
  return type === 'gif' ? image.gif({ effort: GIF_EFFORT }) : image.jpeg({ quality: JPEG_QUALITY });
}
