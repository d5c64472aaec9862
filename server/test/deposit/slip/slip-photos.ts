import sharp, { type Sharp } from 'sharp';
import { codeImage, slipText } from './slip-fixtures.ts';

// Fast compression: optimal compression took most of the test's time.
const QUICKLY = { compressionLevel: 1 };

const WIDTH = 1080;
const HEIGHT = 1600;

/** A drawn slip: header, text-like marks, and a code of `codePx` at one of the positions used by banks. */
async function drawnSlip(text: string, seed: number): Promise<Buffer> {
  const codePx = [200, 240, 280, 320][seed % 4] ?? 240;
  const hue = (seed * 47) % 255;
  const pixels = Buffer.alloc(WIDTH * HEIGHT * 3, 255);
  const bar = (left: number, top: number, width: number, height: number, ink: readonly number[]): void => {
    const row = Buffer.from(Array.from({ length: width }, () => ink).flat());
    for (let y = top; y < top + height; y += 1) row.copy(pixels, (y * WIDTH + left) * 3);
  };
  bar(0, 0, WIDTH, 180, [hue, 90, 255 - hue]);
  for (let at = 0; at < 44; at += 1)
    bar(80 + (at % 8) * 110, 240 + Math.floor(at / 8) * 130, 12 + ((seed * 31 + at * 17) % 60), 22, [30, 30, 40]);
  const code = await codeImage(text, codePx);
  const [left, top] = seed % 2 === 0 ? [WIDTH - codePx - 60, 1560 - codePx] : [60, 1560 - codePx];
  return sharp(pixels, { raw: { width: WIDTH, height: HEIGHT, channels: 3 } })
    .composite([{ input: code, left, top }])
    .png(QUICKLY)
    .toBuffer();
}

/** A photographed slip on a larger background of another colour. */
const onTable = (slip: Sharp, width: number, height: number): Sharp =>
  slip.resize({ width, height, fit: 'contain', background: '#5a5048' });

/** Distortions by phones, cameras and chat apps. */
export const treatments: Readonly<Record<string, (slip: Buffer) => Promise<Buffer>>> = {
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
    const noise = { type: 'gaussian', mean: 128, sigma: 35 } as const;
    const size = { width: WIDTH, height: HEIGHT, channels: 3 } as const;
    const grain = await sharp({ create: { ...size, background: '#000', noise } })
      .raw()
      .toBuffer();
    return sharp(slip)
      .composite([{ input: grain, raw: size, blend: 'overlay' }])
      .jpeg({ quality: 60 })
      .toBuffer();
  },
  'a little blurred': (slip) => sharp(slip).blur(1.2).jpeg({ quality: 70 }).toBuffer(),
  'seen from the side': (slip) =>
    sharp(slip).affine([1, 0.12, 0.06, 0.92], { background: '#777777' }).jpeg({ quality: 75 }).toBuffer(),
  'a phone’s photo of 3000 px': (slip) => onTable(sharp(slip), 2250, 3000).jpeg({ quality: 80 }).toBuffer(),
  'turned, small and blurred': async (slip) => {
    const turned = await sharp(slip).rotate(7, { background: '#777777' }).png(QUICKLY).toBuffer();
    return sharp(turned).resize(760).blur(0.7).jpeg({ quality: 60 }).toBuffer();
  },
};

const BANKS = ['014', '004', '002', '006', '025', '030'];

/** The n-th slip, its text and its distortion. */
export async function slipPhoto(
  seed: number,
): Promise<{ sendingBank: string; transRef: string; treatment: string; bytes: Buffer }> {
  const names = Object.keys(treatments);
  const treatment = names[seed % names.length] ?? '';
  const sendingBank = BANKS[seed % BANKS.length] ?? '014';
  const transRef = `2026${String(seed).padStart(4, '0')}aBcDeFgHiJ${(seed * 7919).toString(36)}`.slice(0, 25);
  const slip = await drawnSlip(slipText(sendingBank, transRef), seed);
  const bytes = (await treatments[treatment]?.(slip)) ?? slip;
  return { sendingBank, transRef, treatment, bytes };
}
