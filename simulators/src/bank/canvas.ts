import { crc32, deflateSync } from 'node:zlib';
import { forEachDot } from './glyphs.ts';

export type Color = readonly [red: number, green: number, blue: number];

function chunk(type: string, data: Buffer): Buffer {
  const typedData = Buffer.concat([Buffer.from(type, 'ascii'), data]);
  const lengthField = Buffer.alloc(4);
  lengthField.writeUInt32BE(data.length);
  const checksumField = Buffer.alloc(4);
  checksumField.writeUInt32BE(crc32(typedData));
  return Buffer.concat([lengthField, typedData, checksumField]);
}

/** A small canvas that can be encoded as PNG. */
export class Canvas {
  readonly width: number;
  readonly height: number;
  readonly #pixels: Buffer;

  constructor(width: number, height: number, background: Color) {
    this.width = width;
    this.height = height;
    this.#pixels = Buffer.alloc(width * height * 3);
    this.fill(0, 0, width, height, background);
  }

  fill(left: number, top: number, width: number, height: number, [red, green, blue]: Color): void {
    for (let y = Math.max(top, 0); y < Math.min(top + height, this.height); y++) {
      for (let x = Math.max(left, 0); x < Math.min(left + width, this.width); x++) {
        const byteOffset = (y * this.width + x) * 3;
        this.#pixels[byteOffset] = red;
        this.#pixels[byteOffset + 1] = green;
        this.#pixels[byteOffset + 2] = blue;
      }
    }
  }

  /** Writes capitals and digits with dots of `size` pixels. */
  write(left: number, top: number, text: string, size: number, color: Color): void {
    forEachDot(text, (x, y) => this.fill(left + x * size, top + y * size, size, size, color));
  }

  png(): Buffer {
    const headerData = Buffer.alloc(13);
    headerData.writeUInt32BE(this.width, 0);
    headerData.writeUInt32BE(this.height, 4);
    headerData.set([8, 2, 0, 0, 0], 8);
    const scanlines = Buffer.alloc((this.width * 3 + 1) * this.height);
    for (let y = 0; y < this.height; y++) {
      this.#pixels.copy(scanlines, y * (this.width * 3 + 1) + 1, y * this.width * 3, (y + 1) * this.width * 3);
    }
    const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
    return Buffer.concat([
      signature,
      chunk('IHDR', headerData),
      chunk('IDAT', deflateSync(scanlines)),
      chunk('IEND', Buffer.alloc(0)),
    ]);
  }
}
