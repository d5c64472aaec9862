import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { crc16 } from '../../../src/adapters/gateway/emv.ts';
import type { ImageReading } from '../../../src/modules/deposit/slip/read-image.ts';
import { readSlipCode } from '../../../src/modules/deposit/slip/slip-code.ts';
import { createWorkerPool, PoolFull, WorkerDied } from '../../../src/platform/jobs/worker-pool.ts';
import { restrictImageDecoders } from '../../../src/platform/storage/image-decoders.ts';
import { pngChunk } from '../../harness/png-chunk.ts';
import { slipImage, slipText } from './slip-fixtures.ts';
import { distortedSlip } from './slip-photos.ts';

// The limits that the server sets at its start.
restrictImageDecoders();
const WORKER_PATH = new URL('../../../src/modules/deposit/slip/read-worker.ts', import.meta.url);
const pool = createWorkerPool<Uint8Array, ImageReading>({
  program: WORKER_PATH,
  size: 1,
  queueMax: 4,
  timeoutMs: 120_000,
  heapMb: 128,
});
after(() => pool.close());

const PHOTO_COUNT = 102;
const MEGABYTE_BYTES = 1024 * 1024;

describe("the text of a slip's code", () => {
  test("a slip's code is parsed as banks write it, case-sensitive, without leading zeros of the checksum", () => {
    for (const [text, sendingBank, transRef] of [
      ['004000060000010103002021900021231231212000115102TH91049C30', '002', '0002123123121200011'],
      ['004100060000010103014022000111222233344ABCD125102TH910417DF', '014', '00111222233344ABCD12'],
      ['0041000600000101030040220013071152533APM077365102TH91048134', '004', '013071152533APM07736'],
      ['004600060000010103014022520201107013FsG6joxJrXDrbJ5102TH910437B6', '014', '20201107013FsG6joxJrXDrbJ'],
      ['0034000600000101039990213mamauishigure5102TH91046B93', '999', 'mamauishigure'],
    ] as const) {
      assert.deepEqual(readSlipCode(text), { kind: 'bank', sendingBank, transRef });
    }
    for (const [transRef, lostDigits] of [
      ['T00000086', '539'],
      ['T00000178', 'C3'],
      ['T00003342', '4'],
    ] as const) {
      const text = slipText('014', transRef);
      assert.equal(text.slice(-4), lostDigits.padStart(4, '0'));
      assert.deepEqual(readSlipCode(text.slice(0, -4) + lostDigits), { kind: 'bank', sendingBank: '014', transRef });
    }
  });

  test("a slip's code of the wallet app is recognised", () => {
    for (const [text, transactionId] of [
      ['00480002010102010203P2P0313TXN00012345670408250120249104b425', 'TXN0001234567'],
      ['00490002010102010203P2P0314TXID12345678900408310520269104f05e', 'TXID1234567890'],
    ] as const) {
      assert.deepEqual(readSlipCode(text), { kind: 'wallet-app', eventType: 'P2P', transactionId });
    }
  });

  test("a slip's code is damaged if any character differs, and unrecognised if its layout differs", () => {
    const text = slipText('014', '20201107013FsG6joxJrXDrbJ');
    for (let position = 0; position < text.length; position += 1) {
      const alteredText = `${text.slice(0, position)}${text[position] === '7' ? '8' : '7'}${text.slice(position + 1)}`;
      assert.equal(typeof readSlipCode(alteredText), 'string', alteredText);
    }
    const withCrc = (body: string) => `${body}9104${crc16(`${body}9104`)}`;
    for (const [body, reason] of [
      ['', 'nothing'],
      ['0099abc', 'a length past the end'],
      ['00180006000001010301402015102TH', 'a reference without a character'],
      ['003800060000020103014021220201107013F5102TH', 'another kind of code'],
      ['003800060000010103014021220201107013F5102LA', 'another country'],
      ['003700060000010102140213 20201107013F5102TH', 'a bank of two digits'],
      ['003800060000010103014021220201107013F', 'no country'],
      ['003800060000010103014021220201107013F5102TH5303764', 'more than a slip has'],
    ] as const) {
      assert.equal(readSlipCode(withCrc(body)), 'other', reason);
    }
    assert.equal(readSlipCode(`${text}0`), 'other');
    assert.equal(readSlipCode(`${text}\n`), 'other');
    assert.equal(readSlipCode('0'.repeat(100_000)), 'other');
  });
});

test(`of ${PHOTO_COUNT} photographed slips at least 95 % are decoded, and none to another code`, async (context) => {
  const unreadPhotos: string[] = [];
  const readTimesMs: number[] = [];
  for (let seed = 0; seed < PHOTO_COUNT; seed += 1) {
    const { sendingBank, transRef, distortion, bytes } = await distortedSlip(seed);
    const start = performance.now();
    const reading = await pool.run(bytes);
    readTimesMs.push(performance.now() - start);
    if (reading.code) assert.deepEqual(reading.code, { kind: 'bank', sendingBank, transRef }, `${seed} ${distortion}`);
    else unreadPhotos.push(`${seed} ${distortion} ${reading.reason}`);
  }
  const sortedTimes = readTimesMs.toSorted((a, b) => a - b);
  const percentileMs = (fraction: number) =>
    Math.round(sortedTimes[Math.floor(fraction * (sortedTimes.length - 1))] ?? 0);
  context.diagnostic(
    `read ${PHOTO_COUNT - unreadPhotos.length} of ${PHOTO_COUNT}; ms per slip: median ${percentileMs(0.5)}, 95th ${percentileMs(0.95)}, longest ${percentileMs(1)}`,
  );
  for (const unreadPhoto of unreadPhotos) context.diagnostic(`not read: ${unreadPhoto}`);
  assert.ok(unreadPhotos.length <= PHOTO_COUNT * 0.05, unreadPhotos.join(', '));
});

test('an image without a code is not read as the previous image', async () => {
  const slip = await slipImage(slipText('014', 'THEPICTUREBEFORE01'));
  const blankImage = await sharp({ create: { width: 720, height: 1040, channels: 3, background: '#fafafa' } })
    .jpeg()
    .toBuffer();
  for (let round = 0; round < 3; round += 1) {
    assert.equal((await pool.run(slip)).code?.kind, 'bank');
    assert.equal((await pool.run(blankImage)).reason, 'CANNOT_READ_CROPPED_IMAGE');
  }
});

test('decompression bombs and files of two formats are refused with a reason, in bounded memory', async () => {
  const before = process.memoryUsage().rss;
  const largePng = (sidePx: number) =>
    sharp({ create: { width: sidePx, height: sidePx, channels: 3, background: '#ffffff' }, limitInputPixels: false })
      .png({ compressionLevel: 9 })
      .toBuffer();
  const hugePng = pngHeader(30_000, 30_000);
  assert.equal((await pool.run(hugePng)).reason, 'IMG_SIZE_UNABLE_TO_PROCESS');
  const realLargePng = await largePng(8_100);
  assert.equal((await pool.run(realLargePng)).reason, 'IMG_SIZE_UNABLE_TO_PROCESS');
  const frames = Buffer.concat([
    Buffer.from('GIF89a\x90\x01\x90\x01\x80\0\0\0\0\0\xff\xff\xff', 'latin1'),
    Buffer.alloc(400_000, 0x2c),
  ]);
  const svgImage = Buffer.from(
    '<svg xmlns="http://www.w3.org/2000/svg" width="900" height="900"><rect width="900" height="900"/></svg>',
  );
  for (const bytes of [
    frames,
    svgImage,
    Buffer.from('%PDF-1.7'),
    Buffer.from('PK\x03\x04'),
    Buffer.alloc(0),
    Buffer.alloc(64),
  ]) {
    const { image, reason } = await pool.run(bytes);
    assert.deepEqual({ image, reason }, { image: undefined, reason: 'CANNOT_READ_CROPPED_IMAGE' });
  }
  assert.ok(process.memoryUsage().rss - before < 700 * MEGABYTE_BYTES);
});

test('a slip is decoded from any JPEG, PNG or WebP: truncated, progressive, CMYK, 16-bit, of 48 and 63 megapixels', async () => {
  const slip = await slipImage(slipText('014', 'ANYKINDOFPICTURE01'));
  const jpeg = await sharp(slip).jpeg().toBuffer();
  const photoOf = (width: number, height: number) =>
    sharp(slip).resize({ width, height, fit: 'contain', background: '#5a5048' });
  for (const [description, bytes] of [
    ['a JPEG without its end marker', jpeg.subarray(0, -2)],
    ['a JPEG that ends too early, below the code', jpeg.subarray(0, -150)],
    ['a progressive JPEG', await sharp(slip).jpeg({ progressive: true }).toBuffer()],
    ['a JPEG in CMYK', await sharp(slip).toColourspace('cmyk').jpeg().toBuffer()],
    ['a JPEG in grey', await sharp(slip).greyscale().jpeg().toBuffer()],
    [
      'a mirrored and turned JPEG',
      await sharp(slip).flop().rotate(90).withMetadata({ orientation: 7 }).jpeg().toBuffer(),
    ],
    ['a PNG of 16 bits', await sharp(slip).toColourspace('rgb16').png().toBuffer()],
    ['a PNG with a palette', await sharp(slip).png({ palette: true }).toBuffer()],
    ['a WebP', await sharp(slip).webp().toBuffer()],
    ['a photo of 48 megapixels', await photoOf(8_000, 6_000).jpeg().toBuffer()],
    ['a progressive photo of 63 megapixels', await photoOf(6_900, 9_200).jpeg({ progressive: true }).toBuffer()],
  ] as const) {
    const { code, reason } = await pool.run(bytes);
    assert.deepEqual(code ?? reason, { kind: 'bank', sendingBank: '014', transRef: 'ANYKINDOFPICTURE01' }, description);
  }
});

test('a decoding worker that takes too long is killed and replaced, and an overfull queue is reported', async () => {
  const impatientPool = createWorkerPool<Uint8Array, ImageReading>({
    program: WORKER_PATH,
    size: 1,
    queueMax: 1,
    timeoutMs: 1,
    heapMb: 64,
  });
  const slip = await slipImage(slipText('014', 'TOOLONGFORAMOMENT1'));
  try {
    const [first, second, third] = await Promise.allSettled([
      impatientPool.run(slip),
      impatientPool.run(slip),
      impatientPool.run(slip),
    ]);
    assert.ok(first.status === 'rejected' && first.reason instanceof WorkerDied);
    assert.ok(second.status === 'rejected' && second.reason instanceof WorkerDied);
    assert.ok(third.status === 'rejected' && third.reason instanceof PoolFull);
    await assert.rejects(impatientPool.run(slip), WorkerDied);
  } finally {
    await impatientPool.close();
  }
});

/** A PNG whose header claims a size that its data lacks. */
function pngHeader(width: number, height: number): Buffer {
  const size = Buffer.alloc(13);
  size.writeUInt32BE(width, 0);
  size.writeUInt32BE(height, 4);
  size.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    pngChunk('IHDR', size),
    pngChunk('IDAT', deflateSync(Buffer.alloc(1000))),
    pngChunk('IEND'),
  ]);
}
