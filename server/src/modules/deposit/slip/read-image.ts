import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { IMAGE_PIXELS_MAX } from '@krapao/contract/input/image';
import sharp, { type Sharp } from 'sharp';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import { decodingOptions, metadataOptions } from '../../../platform/storage/image-decoders.ts';
import { agreeOnCode, type SlipCode } from './slip-code.ts';

/** Reason why an image identifies no transfer. */
export type UnreadableReason =
  | 'IMG_SIZE_UNABLE_TO_PROCESS'
  | 'CANNOT_READ_CROPPED_IMAGE'
  | 'UNSTABLE_REFNO_ON_SLIP'
  | 'INVALID_SLIP';

/** `image`: a re-encoded JPEG without metadata; undefined when it could not be decoded. */
export type ImageReading = { image: Uint8Array | undefined } & (
  | { code: SlipCode; reason?: never }
  | { reason: UnreadableReason; code?: never }
);

const SIDE_PX_MIN = 300;
const SIDE_PX_MAX = 1_600;
/** The second pass enlarges the image. */
const ENLARGED_SIDE_PX_MAX = 2_600;
const ENLARGEMENT_MAX = 2;
const CODES_MAX = 8;
const DECODE_SECONDS = 15;
const JPEG_QUALITY = 78;

let isReaderPrepared = false;

type Pixels = { data: Buffer; width: number; height: number };

function prepareReader(): void {
  if (isReaderPrepared) return;
  const wasm = readFileSync(createRequire(import.meta.url).resolve('zxing-wasm/reader/zxing_reader.wasm'));
  prepareZXingModule({ overrides: { wasmBinary: new Uint8Array(wasm).buffer } });
  isReaderPrepared = true;
}

/**
 * Reads the QR code of a slip. Checks the size before decoding. CPU-bound: runs in a worker thread, see
 * `read-worker.ts`.
 */
export async function readImage(bytes: Uint8Array): Promise<ImageReading> {
  prepareReader();
  const size = await readSize(bytes);
  if (!size) return { image: undefined, reason: 'CANNOT_READ_CROPPED_IMAGE' };
  if (size.pixels > IMAGE_PIXELS_MAX) return { image: undefined, reason: 'IMG_SIZE_UNABLE_TO_PROCESS' };
  const pixels = await decodePixels(bytes, SIDE_PX_MAX, 1).catch(() => undefined);
  if (!pixels) return { image: undefined, reason: 'CANNOT_READ_CROPPED_IMAGE' };
  const image = await reencode(pixels);
  if (size.shortSide < SIDE_PX_MIN) return { image, reason: 'IMG_SIZE_UNABLE_TO_PROCESS' };
  const firstTexts = await readCodes(await toGrey(pixels));
  const firstAgreement = agreeOnCode(firstTexts);
  if (firstAgreement.verdict === 'slip') return { image, code: firstAgreement.code };
  const secondTexts = await readCodes(await decodeEnlarged(bytes));
  const finalAgreement = agreeOnCode([...firstTexts, ...secondTexts]);
  return finalAgreement.verdict === 'slip'
    ? { image, code: finalAgreement.code }
    : { image, reason: finalAgreement.verdict };
}

async function readSize(bytes: Uint8Array): Promise<{ pixels: number; shortSide: number } | undefined> {
  try {
    const { width, height } = await sharp(bytes, metadataOptions(bytes)).metadata();
    return { pixels: width * height, shortSide: Math.min(width, height) };
  } catch {
    return undefined;
  }
}

async function decodePixels(bytes: Uint8Array, sideMax: number, enlargeMax: number): Promise<Pixels> {
  const options = decodingOptions(bytes);
  const { autoOrient } = await sharp(bytes, options).metadata();
  const scale = Math.min(enlargeMax, sideMax / Math.max(autoOrient.width, autoOrient.height));
  const { data, info } = await sharp(bytes, options)
    .autoOrient()
    .resize({
      width: Math.max(1, Math.round(autoOrient.width * scale)),
      height: Math.max(1, Math.round(autoOrient.height * scale)),
      fit: 'fill',
      kernel: scale > 1 ? 'cubic' : 'lanczos3',
    })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .timeout({ seconds: DECODE_SECONDS })
    .raw()
    .toBuffer({ resolveWithObject: true });
  if (info.channels !== 3) throw new Error(`${info.channels} channels`);
  return { data, width: info.width, height: info.height };
}

const openPixels = ({ data, width, height }: Pixels) => sharp(data, { raw: { width, height, channels: 3 } });

async function reencode(pixels: Pixels): Promise<Buffer> {
  return openPixels(pixels).jpeg({ quality: JPEG_QUALITY }).toBuffer();
}

async function toGrey(pixels: Pixels): Promise<Pixels> {
  return { ...pixels, data: await greyPixels(openPixels(pixels).greyscale()) };
}

async function decodeEnlarged(bytes: Uint8Array): Promise<Pixels> {
  const pixels = await decodePixels(bytes, ENLARGED_SIDE_PX_MAX, ENLARGEMENT_MAX);
  return { ...pixels, data: await greyPixels(openPixels(pixels).greyscale().normalise().sharpen({ sigma: 1.5 })) };
}

const greyPixels = (image: Sharp): Promise<Buffer> => image.toColourspace('b-w').raw().toBuffer();

async function readCodes(grey: Pixels): Promise<string[]> {
  const { width, height } = grey;
  const image = { data: toRgba(grey), width, height, colorSpace: 'srgb' } as Parameters<typeof readBarcodes>[0];
  const barcodes = await readBarcodes(image, {
    formats: ['QRCode'],
    tryHarder: true,
    tryRotate: true,
    tryInvert: true,
    tryDownscale: true,
    maxNumberOfSymbols: CODES_MAX,
  });
  return barcodes.filter(({ isValid }) => isValid).map(({ text }) => text);
}

// The reader expects four bytes per pixel and does not check the length. With fewer bytes it would read memory of the
// previous image, and find the code of another member's slip.
function toRgba({ data, width, height }: Pixels): Uint8ClampedArray {
  if (data.length !== width * height) throw new Error(`${data.length} bytes are not ${width} × ${height} grey pixels`);
  const pixels = new Uint32Array(data.length);
  for (let index = 0; index < data.length; index += 1) pixels[index] = (data[index] ?? 0) * 0x010101 + 0xff000000;
  return new Uint8ClampedArray(pixels.buffer);
}
