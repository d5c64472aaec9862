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
export function limitPictureDecoders(): void {
  if (areLimited) return;
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS });
  areLimited = true;
}

/**
 * Options to decode a picture of a customer: none of more than IMAGE_PIXELS_MAX, none that is damaged. A JPEG may lack
 * its end: cameras and chat apps leave out the end marker, and viewers show such files.
 */
export const decodingOptions = (file: Uint8Array): SharpOptions => ({
  limitInputPixels: IMAGE_PIXELS_MAX,
  failOn: imageFormatOf(file) === 'jpg' ? 'none' : 'error',
  sequentialRead: true,
});

/** Options to read the head of a picture alone: no pixel is decoded, however many it claims. */
export const metadataOptions = (file: Uint8Array): SharpOptions => ({
  ...decodingOptions(file),
  limitInputPixels: false,
});
