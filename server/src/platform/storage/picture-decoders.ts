import sharp from 'sharp';

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
