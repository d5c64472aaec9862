import sharp, { type Sharp } from 'sharp';
import { qrImage, slipText } from './slip-fixtures.ts';

// Fast compression: optimal compression took most of the test's time.
const FAST_PNG = { compressionLevel: 1 };

const PHOTO_WIDTH = 1080;
const PHOTO_HEIGHT = 1600;

/** A drawn slip: header, text-like marks, and a code of `codePx` at one of the positions used by banks. */
async function drawnSlip(text: string, seed: number): Promise<Buffer> {
  const codePx = [200, 240, 280, 320][seed % 4] ?? 240;
  const hue = (seed * 47) % 255;
  const pixels = Buffer.alloc(PHOTO_WIDTH * PHOTO_HEIGHT * 3, 255);
  const drawBar = (leftPx: number, top: number, width: number, height: number, inkColour: readonly number[]): void => {
    const row = Buffer.from(Array.from({ length: width }, () => inkColour).flat());
    for (let y = top; y < top + height; y += 1) row.copy(pixels, (y * PHOTO_WIDTH + leftPx) * 3);
  };
  drawBar(0, 0, PHOTO_WIDTH, 180, [hue, 90, 255 - hue]);
  for (let barIndex = 0; barIndex < 44; barIndex += 1)
    drawBar(
      80 + (barIndex % 8) * 110,
      240 + Math.floor(barIndex / 8) * 130,
      12 + ((seed * 31 + barIndex * 17) % 60),
      22,
      [30, 30, 40],
    );
  const code = await qrImage(text, codePx);
  const [left, top] = seed % 2 === 0 ? [PHOTO_WIDTH - codePx - 60, 1560 - codePx] : [60, 1560 - codePx];
  return sharp(pixels, { raw: { width: PHOTO_WIDTH, height: PHOTO_HEIGHT, channels: 3 } })
    .composite([{ input: code, left, top }])
    .png(FAST_PNG)
    .toBuffer();
}

/** A photographed slip on a larger background of another colour. */
const placeOnTable = (slip: Sharp, width: number, height: number): Sharp =>
  slip.resize({ width, height, fit: 'contain', background: '#5a5048' });

/** Distortions by phones, cameras and chat apps. */
export const imageDistortions: Readonly<Record<string, (slip: Buffer) => Promise<Buffer>>> = {
  'as it is': (slip) => sharp(slip).jpeg({ quality: 90 }).toBuffer(),
  'as PNG': (slip) => Promise.resolve(slip),
  'as WebP': (slip) => sharp(slip).webp({ quality: 70 }).toBuffer(),
  'JPEG of quality 40': (slip) => sharp(slip).jpeg({ quality: 40 }).toBuffer(),
  '720 px wide': (slip) => sharp(slip).resize(720).jpeg({ quality: 75 }).toBuffer(),
  '480 px wide': (slip) => sharp(slip).resize(480).jpeg({ quality: 75 }).toBuffer(),
  'turned by 10°': (slip) => sharp(slip).rotate(10, { background: '#777777' }).jpeg({ quality: 75 }).toBuffer(),
  'turned by -25°': (slip) => sharp(slip).rotate(-25, { background: '#777777' }).jpeg({ quality: 75 }).toBuffer(),
  'turned by 90°, as the camera says': (slip) =>
    sharp(slip).rotate(270).withMetadata({ orientation: 6 }).jpeg().toBuffer(),
  'turned by 180°': (slip) => sharp(slip).rotate(180).jpeg({ quality: 75 }).toBuffer(),
  dim: (slip) => sharp(slip).linear(0.3, 15).jpeg({ quality: 70 }).toBuffer(),
  glaring: (slip) => sharp(slip).linear(0.5, 125).jpeg({ quality: 70 }).toBuffer(),
  noisy: async (slip) => {
    const gaussianNoise = { type: 'gaussian', mean: 128, sigma: 35 } as const;
    const size = { width: PHOTO_WIDTH, height: PHOTO_HEIGHT, channels: 3 } as const;
    const grainLayer = await sharp({ create: { ...size, background: '#000', noise: gaussianNoise } })
      .raw()
      .toBuffer();
    return sharp(slip)
      .composite([{ input: grainLayer, raw: size, blend: 'overlay' }])
      .jpeg({ quality: 60 })
      .toBuffer();
  },
  'a little blurred': (slip) => sharp(slip).blur(1.2).jpeg({ quality: 70 }).toBuffer(),
  'seen from the side': (slip) =>
    sharp(slip).affine([1, 0.12, 0.06, 0.92], { background: '#777777' }).jpeg({ quality: 75 }).toBuffer(),
  'a phone’s photo of 3000 px': (slip) => placeOnTable(sharp(slip), 2250, 3000).jpeg({ quality: 80 }).toBuffer(),
  'turned, small and blurred': async (slip) => {
    const turnedImage = await sharp(slip).rotate(7, { background: '#777777' }).png(FAST_PNG).toBuffer();
    return sharp(turnedImage).resize(760).blur(0.7).jpeg({ quality: 60 }).toBuffer();
  },
};

const BANKS = ['014', '004', '002', '006', '025', '030'];

/** The n-th slip, its text and its distortion. */
export async function distortedSlip(
  seed: number,
): Promise<{ sendingBank: string; transRef: string; distortion: string; bytes: Buffer }> {
  const names = Object.keys(imageDistortions);
  const distortionName = names[seed % names.length] ?? '';
  const sendingBank = BANKS[seed % BANKS.length] ?? '014';
  const transRef = `2026${String(seed).padStart(4, '0')}aBcDeFgHiJ${(seed * 7919).toString(36)}`.slice(0, 25);
  const slip = await drawnSlip(slipText(sendingBank, transRef), seed);
  const bytes = (await imageDistortions[distortionName]?.(slip)) ?? slip;
  return { sendingBank, transRef, distortion: distortionName, bytes };
}
