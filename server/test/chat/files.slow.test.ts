import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { assertRefused } from '../harness/assert-refused.ts';
import { otherSpellings } from '../harness/hostile-text.ts';
import { type MovableClock, movableClock } from '../harness/movable-clock.ts';
import { setRateLimits } from '../harness/operator.ts';
import { pngChunk } from '../harness/png-chunk.ts';
import { startSystem, type System } from '../harness/system.ts';
import {
  newVisitorAndMember,
  readHistory,
  newMemberCustomer,
  newVisitorCustomer,
  type ChatCustomer,
} from './chat-fixtures.ts';
import { mp4Box, mp4Film, sendFileMessage, IDENTIFYING_TEXTS, uploadFile, uploadFiles } from './file-fixtures.ts';

const HOUR_MS = 60 * 60_000;
const MEGABYTE = 1024 * 1024;
const BYTES_MAX = { image: 10 * MEGABYTE, video: 20 * MEGABYTE };
const METADATA_TEXT = 'a place and a name';

let system: System;
let clock: MovableClock;
let customer: ChatCustomer;
let pngImage: Buffer;

const blankImage = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#2060a0' } });

before(async () => {
  clock = movableClock();
  system = await startSystem({ clock });
  customer = await newVisitorCustomer(system);
  pngImage = await blankImage(40, 30).png().toBuffer();
  await setRateLimits(system, {
    'chat.file.customer': 1_000,
    'chat.file.customer.day': 1_000,
    'chat.file.address': 10_000,
  });
});
after(() => system.stop());

test('an uploaded image is re-encoded in its own format, without metadata or hidden data', async () => {
  const { orientation } = await sharp(
    await blankImage(4, 3).jpeg().withMetadata({ orientation: 6 }).toBuffer(),
  ).metadata();
  assert.equal(orientation, 6);
  const metadata = { IFD0: { Artist: METADATA_TEXT } };
  for (const [kind, sentBytes, sizes] of [
    ['jpeg', await blankImage(60, 40).jpeg().withExif(metadata).withMetadata({ orientation: 6 }).toBuffer(), [40, 60]],
    ['png', await blankImage(60, 40).png().withExif(metadata).toBuffer(), [60, 40]],
    ['gif', await blankImage(60, 40).gif().toBuffer(), [60, 40]],
    ['jpeg', await blankImage(5_120, 2_560).jpeg().toBuffer(), [2_560, 1_280]],
  ] as const) {
    const hiddenBytes = Buffer.concat([sentBytes, Buffer.from(`<script>alert(1)</script>${METADATA_TEXT}`)]);
    const { url, path } = await uploadFile(system, 'image', customer, hiddenBytes);
    const fileReply = await fetch(url);
    const bytes = Buffer.from(await fileReply.arrayBuffer());
    const { format, width, height, exif, xmp, icc, ...rest } = await sharp(bytes).metadata();
    assert.deepEqual([format, width, height], [kind, ...sizes]);
    assert.deepEqual([exif, xmp, icc, rest.orientation], [undefined, undefined, undefined, undefined]);
    assert.ok(!bytes.includes('script') && !bytes.includes(METADATA_TEXT));
    assert.equal(fileReply.headers.get('content-type'), `image/${kind}`);
    assert.match(path, /^chat-file\/[0-9a-f-]{36}\.(png|jpg|gif)$/);
  }
});

test('an animation stays animated; one with too many frames becomes a still image', async () => {
  const imageWithFrames = async (count: number) => {
    const rawPixels = Buffer.alloc(20 * 10 * count * 3, 7);
    for (let frame = 0; frame < count; frame += 1) rawPixels.fill((frame % 2) * 255, frame * 600, frame * 600 + 300);
    const shape = { width: 20, height: 10 * count, channels: 3, pageHeight: 10 } as const;
    return sharp(rawPixels, { raw: shape }).gif({ loop: 0 }).toBuffer();
  };
  const readPixels = async (bytes: Buffer) => {
    const { url } = await uploadFile(system, 'image', customer, bytes);
    const { format, pages } = await sharp(await (await fetch(url)).arrayBuffer(), { animated: true }).metadata();
    return { format, pages };
  };
  assert.deepEqual(await readPixels(await imageWithFrames(12)), { format: 'gif', pages: 12 });
  const { format, pages = 1 } = await readPixels(await imageWithFrames(240));
  assert.deepEqual({ format, pages }, { format: 'png', pages: 1 });
});

test('the type of a file is determined by its content alone; any other content is NO_DATA, whatever its name', async () => {
  const wideImage = await blankImage(9_000, 8_000).png().toBuffer();
  const fileTypeBox = (...brands: string[]) => mp4Box('ftyp', ...brands);
  const invalidValues: [kind: 'image' | 'video', what: string, bytes: Buffer][] = [
    ['image', 'svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['image', 'html', Buffer.from('<html><script>alert(1)</script>')],
    ['image', 'tiff', await blankImage(9, 9).tiff().toBuffer()],
    ['image', 'a film', mp4Film()],
    ['image', 'a png that ends too early', pngImage.subarray(0, 60)],
    ['image', 'the head of a jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
    ['image', 'more pixels than are drawn', wideImage],
    ['video', 'an image', pngImage],
    ['video', 'a sound', mp4Film({ brand: 'M4A ', handler: 'soun' })],
    ['video', 'an image in the same wrapping', mp4Film({ brand: 'heic', handler: 'pict' })],
    ['video', 'an unknown container', mp4Film({ ftyp: fileTypeBox('zzzz', '\0\0\0\0', 'yyyy') })],
    ['video', 'no wrapping at all', mp4Film().subarray(28)],
    ['video', 'a film that ends too early', mp4Film().subarray(0, 500)],
    ['video', 'a film that ends in its frames', mp4Film().subarray(0, -500)],
    ['image', 'a heic photo', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic')],
    [
      'video',
      'a box that is larger than it can be',
      Buffer.concat([mp4Film(), Buffer.from('\xff\xff\xff\xffmdat', 'latin1')]),
    ],
    ['video', 'webm', Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0, 0, 0, 0])],
  ];
  for (const [kind, description, bytes] of invalidValues) {
    const name = kind === 'image' ? 'photo.jpg' : 'film.mp4';
    const type = kind === 'image' ? 'image/jpeg' : 'video/mp4';
    const reply = await uploadFiles(system, kind, customer, { bytes, name, type });
    assert.equal(reply.body.detail, 'FILE_TYPE', description);
    assertRefused(reply, 'NO_DATA', 'FILE_TYPE', 400);
  }
  const namedReply = await uploadFiles(system, 'image', customer, {
    bytes: pngImage,
    name: '../../x.svg',
    type: 'image/svg+xml',
  });
  assert.equal(namedReply.status, 200);
  assert.match(namedReply.body.path, /\.png$/);
});

test('a JPEG without its end, a progressive or CMYK one, a WebP and an APNG are all decoded', async () => {
  const jpeg = await blankImage(60, 40).jpeg().toBuffer();
  const transparentImage = sharp({ create: { width: 60, height: 40, channels: 4, background: '#2060a080' } });
  // An APNG is a PNG whose other frames are in chunks that other decoders ignore.
  const stillImage = await blankImage(60, 40).png().toBuffer();
  const animatedPng = Buffer.concat([
    stillImage.subarray(0, 33),
    pngChunk('acTL', Buffer.alloc(8, 1)),
    stillImage.subarray(33),
  ]);
  const largeImage = await blankImage(9_200, 6_900).jpeg().toBuffer();
  for (const [title, sentBytes, format, mimeType] of [
    ['a jpeg without its end marker', jpeg.subarray(0, -2), 'jpeg', 'image/jpg'],
    ['a jpeg that ends too early', jpeg.subarray(0, -20), 'jpeg', ''],
    ['a progressive jpeg', await blankImage(60, 40).jpeg({ progressive: true }).toBuffer(), 'jpeg', 'image/pjpeg'],
    ['a jpeg in CMYK', await blankImage(60, 40).toColourspace('cmyk').jpeg().toBuffer(), 'jpeg', 'image/jpeg'],
    ['a jpeg in grey', await blankImage(60, 40).greyscale().jpeg().toBuffer(), 'jpeg', 'image/jpeg'],
    ['a photo of 63 million pixels', largeImage, 'jpeg', 'image/jpeg'],
    ['a webp called jpg', await blankImage(60, 40).webp().toBuffer(), 'jpeg', 'image/jpeg'],
    ['a webp that is seen through', await transparentImage.webp().toBuffer(), 'png', 'image/webp'],
    ['an apng', animatedPng, 'png', 'image/apng'],
  ] as const) {
    const reply = await uploadFiles(system, 'image', customer, { bytes: sentBytes, name: 'PHOTO.JPG', type: mimeType });
    assert.equal(reply.status, 200, title);
    const imageMetadata = await sharp(await (await fetch(reply.body.url)).arrayBuffer()).metadata();
    assert.deepEqual([imageMetadata.format, imageMetadata.space], [format, 'srgb'], title);
    assert.equal(imageMetadata.width > imageMetadata.height, true, title);
  }
});

test('a video is recognised by its boxes: every common brand, leading fillers, no ftyp; trailing bytes are removed', async () => {
  const filmOfBrand = (brand: string) => mp4Film({ ftyp: mp4Box('ftyp', brand, '\0\0\0\0') });
  const filmAfterBox = (type: string) => Buffer.concat([mp4Box(type, Buffer.alloc(24)), mp4Film()]);
  const filmWithoutBrand = Buffer.concat([mp4Box('wide'), mp4Film({ ftyp: Buffer.alloc(0) })]);
  const MP4_BRANDS = [
    'isom',
    'mp41',
    'mp42',
    'avc1',
    '3gp4',
    '3gp5',
    '3gp6',
    '3g2a',
    'MSNV',
    'M4V ',
    'iso6',
    'hvc1',
    'XAVC',
  ];
  const plainFilm = mp4Film();
  const videoCase = (bytes: Buffer, length = bytes.length, type = 'video/mp4') => ({ bytes, length, type });
  const videoCases = [
    ...MP4_BRANDS.map((brand) => [brand, videoCase(filmOfBrand(brand))] as const),
    ['qt  ', videoCase(filmOfBrand('qt  '), undefined, 'video/quicktime')],
    ['QuickTime without ftyp', videoCase(filmWithoutBrand, undefined, 'video/quicktime')],
    ...['free', 'wide', 'uuid', 'skip'].map((type) => [`${type} first`, videoCase(filmAfterBox(type))] as const),
    [
      'a trailer of a phone',
      videoCase(Buffer.concat([plainFilm, Buffer.from('SEFT trailer of the phone')]), plainFilm.length),
    ],
    ['three bytes', videoCase(Buffer.concat([plainFilm, Buffer.from('\r\n\0')]), plainFilm.length)],
    ['padding', videoCase(Buffer.concat([plainFilm, Buffer.alloc(4_096)]), plainFilm.length)],
    [
      'a zip after it',
      videoCase(Buffer.concat([plainFilm, Buffer.from('PK\x03\x04 and more of a zip')]), plainFilm.length),
    ],
  ] as const;
  for (const [title, { bytes, length, type }] of videoCases) {
    const reply = await uploadFiles(system, 'video', customer, { bytes, name: 'CLIP.MOV', type: '' });
    assert.equal(reply.status, 200, title);
    const fileReply = await fetch(reply.body.url);
    assert.equal(fileReply.headers.get('content-type'), type, title);
    const storedBytes = Buffer.from(await fileReply.arrayBuffer());
    assert.equal(storedBytes.length, length, title);
    assert.ok(
      storedBytes.includes('frames of the film') &&
        IDENTIFYING_TEXTS.every((identifyingText) => !storedBytes.includes(identifyingText)),
      title,
    );
  }
});

test("no file, several files, a byte too many or a malformed form have their own codes; a stranger's body is not read", async () => {
  assertRefused(await uploadFiles(system, 'image', customer), 'NO_DATA', undefined, 400);
  assertRefused(
    await uploadFiles(system, 'image', customer, { field: 'x', bytes: pngImage }),
    'NO_DATA',
    'FILE_MISSING',
    400,
  );
  assertRefused(
    await uploadFiles(system, 'video', customer, { bytes: Buffer.alloc(0) }),
    'NO_DATA',
    'FILE_MISSING',
    400,
  );
  assertRefused(
    await uploadFiles(system, 'image', customer, { bytes: pngImage }, { bytes: pngImage }),
    'NO_DATA',
    'ONE_FILE',
    400,
  );
  const path = 'POST /api/chat/upload-image';
  const { authorization } = customer;
  const form = { authorization, 'content-type': 'multipart/form-data; boundary=a' };
  assertRefused(await system.api(path, { headers: form, body: 'no boundary' }), 'NO_DATA', 'MALFORMED', 400);
  assertRefused(await system.api(path, { headers: { authorization }, body: {} }), 'NO_DATA', 'FILE_MISSING', 400);
  for (const kind of ['image', 'video'] as const) {
    const bytes = Buffer.alloc(BYTES_MAX[kind] + 1, kind === 'image' ? pngImage : mp4Film());
    assertRefused(await uploadFiles(system, kind, customer, { bytes }), 'NO_DATA', 'FILE_TOO_LARGE', 400);
  }
  const largestFilm = mp4Film({ bytes: BYTES_MAX.video - mp4Film({ bytes: 0 }).length });
  assert.equal(largestFilm.length, BYTES_MAX.video);
  assert.equal((await uploadFiles(system, 'video', customer, { bytes: largestFilm })).status, 200);
  assertRefused(await uploadFiles(system, 'image', undefined, { bytes: pngImage }), 'KEY_MISSING');
  const guessedAuthorization = { authorization: `Guest ${customer.guestId}.guessed` };
  assertRefused(await uploadFiles(system, 'image', guessedAuthorization, { bytes: pngImage }), 'KEY_INVALID');
});

test("a video keeps its data, without its author's metadata, and with correct offsets", async () => {
  for (const [sentBytes, type] of [
    [mp4Film(), 'video/mp4'],
    [mp4Film({ isLong: true }), 'video/mp4'],
    [mp4Film({ brand: 'qt  ' }), 'video/quicktime'],
  ] as const) {
    const { url } = await uploadFile(system, 'video', customer, sentBytes);
    const fileReply = await fetch(url);
    assert.equal(fileReply.headers.get('content-type'), type);
    const bytes = Buffer.from(await fileReply.arrayBuffer());
    assert.equal(bytes.length, sentBytes.length);
    for (const identifyingText of [...IDENTIFYING_TEXTS, 'MADE', 'EDIT'])
      assert.ok(sentBytes.includes(identifyingText) && !bytes.includes(identifyingText), identifyingText);
    assert.equal(bytes.indexOf('frames of the film'), sentBytes.indexOf('frames of the film'));
    const frames = sentBytes.indexOf('frames of the film');
    assert.deepEqual(bytes.subarray(frames), sentBytes.subarray(frames));
  }
});

test('the address of a file is constant for an hour, then expires, and its reply executes nothing', async () => {
  const msLeftOfHour = () => HOUR_MS - (clock.now().getTime() % HOUR_MS);
  clock.advance(msLeftOfHour());
  const { path, url } = await uploadFile(system, 'image', customer, pngImage);
  assert.equal((await sendFileMessage(system, customer, path)).status, 200);
  const readCurrentUrl = async () => (await readHistory(system, customer)).body[0].message.payload.url as string;
  // Real time passes too, on a busy machine for seconds.
  clock.advance(msLeftOfHour() - 60_000);
  assert.equal(await readCurrentUrl(), url);
  const fileReply = await fetch(url);
  assert.equal(fileReply.status, 200);
  for (const [name, value] of [
    ['content-type', 'image/png'],
    ['x-content-type-options', 'nosniff'],
    ['content-disposition', `inline; filename="${path.replace('chat-file/', '')}"`],
    ['accept-ranges', 'bytes'],
    ['cross-origin-resource-policy', 'cross-origin'],
  ] as const) {
    assert.equal(fileReply.headers.get(name), value);
  }
  assert.match(fileReply.headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/);
  assert.match(fileReply.headers.get('cache-control') ?? '', /^private, max-age=\d+$/);
  const headReply = await fetch(url, { method: 'HEAD' });
  assert.deepEqual(
    ['content-type', 'content-length', 'etag'].map((name) => headReply.headers.get(name)),
    ['content-type', 'content-length', 'etag'].map((name) => fileReply.headers.get(name)),
  );
  assert.deepEqual([headReply.status, await headReply.text()], [200, '']);
  clock.advance(msLeftOfHour() + 1_000);
  const nextUrl = await readCurrentUrl();
  assert.notEqual(nextUrl, url);
  assert.equal((await fetch(url)).status, 200, 'what a page shows goes on working for a while');
  clock.advance(HOUR_MS);
  assert.equal((await fetch(url)).status, 404);
  assert.equal((await fetch(nextUrl)).status, 200);
  assert.equal((await fetch(`${nextUrl.slice(0, -4)}AAAA`)).status, 404);
  for (const spelling of otherSpellings(nextUrl.slice(nextUrl.lastIndexOf('/') + 1)))
    assert.equal((await fetch(`${system.url}/api/chat-file/${spelling}`)).status, 404, spelling);
  assert.equal((await fetch(`${system.url}/api/chat-file/x`)).status, 404);
});

test('a range request for a file returns that range, as video players need', async () => {
  const sentBytes = mp4Film();
  const { url } = await uploadFile(system, 'video', customer, sentBytes);
  const storedBytes = Buffer.from(await (await fetch(url)).arrayBuffer());
  const size = storedBytes.length;
  const fetchRange = async (range: string, extraHeaders: Record<string, string> = {}) => {
    const reply = await fetch(url, { headers: { range, ...extraHeaders } });
    const bytes = Buffer.from(await reply.arrayBuffer());
    return { status: reply.status, range: reply.headers.get('content-range'), etag: reply.headers.get('etag'), bytes };
  };
  for (const [range, from, to] of [
    ['bytes=0-1', 0, 1],
    ['bytes=100-', 100, size - 1],
    ['bytes=-7', size - 7, size - 1],
    [`bytes=${size - 1}-${size + 100}`, size - 1, size - 1],
    [`bytes=-${size + 5}`, 0, size - 1],
  ] as const) {
    const { status, range: contentRange, bytes } = await fetchRange(range);
    assert.deepEqual([status, contentRange], [206, `bytes ${from}-${to}/${size}`], range);
    assert.deepEqual(bytes, storedBytes.subarray(from, to + 1), range);
  }
  for (const range of ['bytes=0-1,5-6', 'bytes=9-3', 'bytes=-', 'lines=1-2', 'bytes=a-b']) {
    const { status, bytes } = await fetchRange(range);
    assert.deepEqual([status, bytes.length], [200, size], range);
  }
  for (const range of [`bytes=${size}-`, 'bytes=-0']) {
    const { status, range: contentRange } = await fetchRange(range);
    assert.deepEqual([status, contentRange], [416, `bytes */${size}`], range);
  }
  const { etag } = await fetchRange('bytes=0-1');
  assert.equal((await fetchRange('bytes=0-1', { 'if-range': etag ?? '' })).status, 206);
  assert.equal((await fetchRange('bytes=0-1', { 'if-range': '"another"' })).status, 200);
});

test('a path names only an existing file of its own conversation and kind [R-CHAT-07]', async () => {
  const [member, visitor] = await newVisitorAndMember(system);
  const otherMember = await newMemberCustomer(system);
  const { path } = await uploadFile(system, 'image', member, pngImage);
  for (const otherCustomer of [visitor, otherMember]) {
    assertRefused(await sendFileMessage(system, otherCustomer, path), 'NO_DATA', 'NO_FILE', 400);
    assert.deepEqual((await readHistory(system, otherCustomer)).body, []);
  }
  assertRefused(await sendFileMessage(system, member, path, { fileType: 'video' }), 'NO_DATA', 'NO_FILE', 400);
  assertRefused(await sendFileMessage(system, member, path, { fileType: 'file' }), 'NO_DATA', 'NO_FILE', 400);
  for (const inventedPath of ['', 'x', path.replace('.png', '.gif'), `../${path}`, 'slip/a.jpg']) {
    assertRefused(await sendFileMessage(system, member, inventedPath), 'NO_DATA', 'NO_FILE', 400);
  }
  const foreignUrl = 'https://elsewhere.example/x.png';
  assert.equal((await sendFileMessage(system, member, path, { url: foreignUrl, message: 'look' })).status, 200);
  const [{ message }] = (await readHistory(system, member)).body;
  const { url, ...payload } = message.payload;
  assert.deepEqual(payload, { message: 'look', fileType: 'image', filePath: path });
  assert.ok(url.startsWith(`${system.url}/api/chat-file/`) && (await fetch(url)).ok);
  const oldFile = await uploadFile(system, 'image', member, pngImage);
  await system.database.query(`update chat_file set created_at = now() - interval '23 hours'`);
  assertRefused(await sendFileMessage(system, member, oldFile.path), 'NO_DATA', 'NO_FILE', 400);
  assert.equal(
    (await sendFileMessage(system, member, path)).status,
    200,
    'one that a message has named may be named again',
  );
});

test('uploads of a customer are limited per minute and per day', async () => {
  const [member, visitor] = await newVisitorAndMember(system);
  await setRateLimits(system, { 'chat.file.customer': 2 });
  for (const customer of [member, visitor]) {
    assert.equal((await uploadFiles(system, 'image', customer, { bytes: pngImage })).status, 200);
    assertRefused(await uploadFiles(system, 'image', customer), 'NO_DATA', undefined, 400);
    const refusedReply = await uploadFiles(system, 'image', customer, { bytes: pngImage });
    assertRefused(refusedReply, 'REQUEST_LIMIT_1MIN');
    assert.ok(Number(refusedReply.headers.get('retry-after')) > 0);
  }
  await setRateLimits(system, { 'chat.file.customer': 1_000, 'chat.file.customer.day': 1 });
  for (const customer of [member, visitor]) {
    assertRefused(await uploadFiles(system, 'image', customer, { bytes: pngImage }), 'REQUEST_LIMIT');
  }
  await setRateLimits(system, { 'chat.file.customer.day': 1_000 });
});

test('all visitors together have one daily quota of files, under any guest-id; members are not affected', async () => {
  await setRateLimits(system, { 'chat.file.visitors.day': 1 });
  const member = await newMemberCustomer(system);
  const visitors = [await newVisitorCustomer(system), await newVisitorCustomer(system)];
  const uploadReplies = await Promise.all(
    visitors.map((visitor) => uploadFiles(system, 'image', visitor, { bytes: pngImage })),
  );
  for (const refusedReply of uploadReplies) assertRefused(refusedReply, 'REQUEST_LIMIT');
  assert.equal((await uploadFiles(system, 'image', member, { bytes: pngImage })).status, 200);
  await setRateLimits(system, { 'chat.file.visitors.day': 1_000 });
});
