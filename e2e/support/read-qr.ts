import jsqr from 'jsqr';
import sharp from 'sharp';

/** What is written in the QR of a picture, read by a decoder that isn't ours. */
export async function readQr(picture: Buffer): Promise<string | undefined> {
  const { data, info } = await sharp(picture).ensureAlpha().raw().toBuffer({ resolveWithObject: true });
  return jsqr.default(new Uint8ClampedArray(data), info.width, info.height)?.data;
}
