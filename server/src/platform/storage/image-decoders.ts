import { IMAGE_PIXELS_MAX, imageFormatOf } from '@krapao/contract/input/image';
import sharp, { type SharpOptions } from 'sharp';

const ALLOWED_LOADERS = [
  'VipsForeignLoadJpegBuffer',
  'VipsForeignLoadPngBuffer',
  'VipsForeignLoadWebpBuffer',
  'VipsForeignLoadNsgifBuffer',
];
let areDecodersRestricted = false;

/**
 * Disables all image decoders but the few that customers' files need, so that no file can reach the network or an
 * unexpected decoder. One image uses one core. The setting applies to all threads of the process, so it is made once,
 * before they start.
 */
export function restrictImageDecoders(): void {
  if (areDecodersRestricted) return;
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: ALLOWED_LOADERS });
  areDecodersRestricted = true;
}

/**
 * Options to decode a customer's image: at most IMAGE_PIXELS_MAX, undamaged. A JPEG may lack its end marker, because
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
