import { buffer } from 'node:stream/consumers';
import sharp from 'sharp';
import type { ObjectStorage } from '../../platform/storage/port.ts';
import { decodingOptions, restrictImageDecoders } from '../../platform/storage/image-decoders.ts';
import { contentTypeOf } from './files.ts';

const COLUMNS = 48;
const ROWS = 24;
const PIXELS_PER_ROW = 2;
const RESET = '\u001b[0m';

/**
 * Thumbnail of a customer's image for a terminal: half blocks in 24-bit colours.
 * @param key storage key of the file
 * @returns no lines when the file is not an image or can't be read
 */
export async function thumbnailLines(storage: ObjectStorage, key: string): Promise<string[]> {
  if (!contentTypeOf(key)?.startsWith('image/')) return [];
  restrictImageDecoders();
  const object = await storage.get(key).catch(() => undefined);
  if (!object) return [];
  try {
    return linesOf(await decode(await buffer(object.stream)));
  } catch {
    return [];
  }
}

type Pixels = { data: Buffer; width: number; height: number };

async function decode(file: Buffer): Promise<Pixels> {
  const { data, info } = await sharp(file, decodingOptions(file))
    .resize({ width: COLUMNS, height: ROWS * PIXELS_PER_ROW, fit: 'inside', withoutEnlargement: true })
    .flatten({ background: '#ffffff' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

function linesOf({ data, width, height }: Pixels): string[] {
  const colourAt = (x: number, y: number): string => {
    const at = (y * width + x) * 3;
    return [data[at], data[at + 1], data[at + 2]].join(';');
  };
  const cell = (x: number, y: number): string => {
    const below = y + 1 < height ? `\u001b[48;2;${colourAt(x, y + 1)}m` : '';
    return `\u001b[38;2;${colourAt(x, y)}m${below}\u2580`;
  };
  const lines: string[] = [];
  for (let y = 0; y < height; y += PIXELS_PER_ROW)
    lines.push(Array.from({ length: width }, (_, x) => cell(x, y)).join('') + RESET);
  return lines;
}
