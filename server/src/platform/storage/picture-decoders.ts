import sharp from 'sharp';

const LOADERS = [
  'VipsForeignLoadJpegBuffer',
  'VipsForeignLoadPngBuffer',
  'VipsForeignLoadWebpBuffer',
  'VipsForeignLoadNsgifBuffer',
];
let areLimited = false;

/**
 * Leaves the few decoders that files of customers need: nothing of theirs reaches for the network or for a decoder that
 * nobody asked for. One picture takes one core. It holds for all threads of the process, so it is done once, before the
 * first of them.
 */
export function limitPictureDecoders(): void {
  if (areLimited) return;
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: LOADERS });
  areLimited = true;
}
