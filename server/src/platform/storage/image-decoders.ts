import { IMAGE_PIXELS_MAX, imageFormatOf } from '@krapao/contract/input/image';
import sharp, { type SharpOptions } from 'sharp';

const LOADERS = [
  'VipsForeignLoadJpegBuffer',
  'VipsForeignLoadPngBuffer',
  'VipsForeignLoadWebpBuffer',
  'VipsForeignLoadNsgifBuffer',
];
let areLimited = false;

/**
 * Disables all picture decoders but the few that customers' files need: no file can reach the network or a decoder that
 * is not expected. One picture takes one core. The setting holds for all threads of the process, so it is made once,
 * before the first of them.
 */
export function restrictImageDecoders(): void {
  if (areLimited) return;
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS });
  areLimited = true;
}

/**
 * Options to decode a customer's image: at most IMAGE_PIXELS_MAX, not damaged. A JPEG may lack its end marker, as
 * cameras and chat apps omit it.
 */
export const decodingOptions = (file: Uint8Array): SharpOptions => ({
  limitInputPixels: IMAGE_PIXELS_MAX,
  failOn: imageFormatOf(file) === 'jpg' ? 'none' : 'error',
  sequentialRead: true,
});

/** Options to read only the metadata of an image: no pixel is decoded, whatever its size. */
export const metadataOptions = (file: Uint8Array): SharpOptions => ({
  ...decodingOptions(file),
  limitInputPixels: false,
});
