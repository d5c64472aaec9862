import jsqr from 'jsqr';
import sharp from 'sharp';

/** Text of the QR in an image, read by an independent decoder. */
export async function readQr(image: Buffer): Promise<string | undefined> {
  const { data, info } = await sharp(image).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return jsqr.default(new Uint8ClampedArray(data), info.width, info.height)?.data;
}
