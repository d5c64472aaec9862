import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { CHAT_FILE_BYTES_MAX } from '@krapao/contract/constants';
import sharp from 'sharp';
import { type MovableClock, movableClock } from '../harness/movable-clock.ts';
import { setLimits } from '../harness/operator.ts';
import { assertRefused } from '../harness/refused.ts';
import { startSystem, type System } from '../harness/system.ts';
import { chunk } from '../harness/png-chunk.ts';
import { eachKind, historyOf, newMember, newVisitor, type Talker } from './chat-world.ts';
import { box, film, sendFile, TELLING, uploaded, uploadTo } from './file-world.ts';

const HOUR_MS = 60 * 60_000;
const WORDS = 'a place and a name';

let system: System;
let clock: MovableClock;
let talker: Talker;
let png: Buffer;

const blank = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#2060a0' } });

before(async () => {
  clock = movableClock();
  system = await startSystem({ clock });
  talker = await newVisitor(system);
  png = await blank(40, 30).png().toBuffer();
  await setLimits(system, {
    'chat.file.customer': 1_000,
    'chat.file.customer.day': 1_000,
    'chat.file.address': 10_000,
  });
});
after(() => system.stop());

test('an image is re-encoded in its own format: neither its metadata nor hidden data is kept', async () => {
  const { orientation } = await sharp(await blank(4, 3).jpeg().withMetadata({ orientation: 6 }).toBuffer()).metadata();
  assert.equal(orientation, 6);
  const about = { IFD0: { Artist: WORDS } };
  for (const [kind, sent, sizes] of [
    ['jpeg', await blank(60, 40).jpeg().withExif(about).withMetadata({ orientation: 6 }).toBuffer(), [40, 60]],
    ['png', await blank(60, 40).png().withExif(about).toBuffer(), [60, 40]],
    ['gif', await blank(60, 40).gif().toBuffer(), [60, 40]],
    ['jpeg', await blank(5_120, 2_560).jpeg().toBuffer(), [2_560, 1_280]],
  ] as const) {
    const hidden = Buffer.concat([sent, Buffer.from(`<script>alert(1)</script>${WORDS}`)]);
    const { url, path } = await uploaded(system, 'image', talker, hidden);
    const shown = await fetch(url);
    const bytes = Buffer.from(await shown.arrayBuffer());
    const { format, width, height, exif, xmp, icc, ...rest } = await sharp(bytes).metadata();
    assert.deepEqual([format, width, height], [kind, ...sizes]);
    assert.deepEqual([exif, xmp, icc, rest.orientation], [undefined, undefined, undefined, undefined]);
    assert.ok(!bytes.includes('script') && !bytes.includes(WORDS));
    assert.equal(shown.headers.get('content-type'), `image/${kind}`);
    assert.match(path, /^chat-file\/[0-9a-f-]{36}\.(png|jpg|gif)$/);
  }
});

test('an animation goes on moving; one of too many frames stands still', async () => {
  const frames = async (count: number) => {
    const raw = Buffer.alloc(20 * 10 * count * 3, 7);
    for (let frame = 0; frame < count; frame += 1) raw.fill((frame % 2) * 255, frame * 600, frame * 600 + 300);
    const shape = { width: 20, height: 10 * count, channels: 3, pageHeight: 10 } as const;
    return sharp(raw, { raw: shape }).gif({ loop: 0 }).toBuffer();
  };
  const drawn = async (bytes: Buffer) => {
    const { url } = await uploaded(system, 'image', talker, bytes);
    const { format, pages } = await sharp(await (await fetch(url)).arrayBuffer(), { animated: true }).metadata();
    return { format, pages };
  };
  assert.deepEqual(await drawn(await frames(12)), { format: 'gif', pages: 12 });
  const { format, pages = 1 } = await drawn(await frames(240));
  assert.deepEqual({ format, pages }, { format: 'png', pages: 1 });
});

test('what a file is says its content alone: anything else is NO_DATA, however it is called', async () => {
  const wide = await blank(9_000, 8_000).png().toBuffer();
  const ftyp = (...brands: string[]) => box('ftyp', ...brands);
  const wrong: [kind: 'image' | 'video', what: string, bytes: Buffer][] = [
    ['image', 'svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['image', 'html', Buffer.from('<html><script>alert(1)</script>')],
    ['image', 'tiff', await blank(9, 9).tiff().toBuffer()],
    ['image', 'a film', film()],
    ['image', 'a png that ends too early', png.subarray(0, 60)],
    ['image', 'the head of a jpeg', Buffer.from([0xff, 0xd8, 0xff, 0xe0])],
    ['image', 'more pixels than are drawn', wide],
    ['video', 'an image', png],
    ['video', 'a sound', film({ brand: 'M4A ', handler: 'soun' })],
    ['video', 'an image in the same wrapping', film({ brand: 'heic', handler: 'pict' })],
    ['video', 'an unknown container', film({ ftyp: ftyp('zzzz', '\0\0\0\0', 'yyyy') })],
    ['video', 'no wrapping at all', film().subarray(28)],
    ['video', 'a film that ends too early', film().subarray(0, 500)],
    ['video', 'a film that ends in its frames', film().subarray(0, -500)],
    ['image', 'a heic photo', Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic')],
    [
      'video',
      'a box that is larger than it can be',
      Buffer.concat([film(), Buffer.from('\xff\xff\xff\xffmdat', 'latin1')]),
    ],
    ['video', 'webm', Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0, 0, 0, 0])],
  ];
  for (const [kind, what, bytes] of wrong) {
    const name = kind === 'image' ? 'photo.jpg' : 'film.mp4';
    const type = kind === 'image' ? 'image/jpeg' : 'video/mp4';
    const reply = await uploadTo(system, kind, talker, { bytes, name, type });
    assert.equal(reply.body.detail, 'FILE_TYPE', what);
    assertRefused(reply, 'NO_DATA', 'FILE_TYPE', 400);
  }
  const named = await uploadTo(system, 'image', talker, { bytes: png, name: '../../x.svg', type: 'image/svg+xml' });
  assert.equal(named.status, 200);
  assert.match(named.body.path, /\.png$/);
});

test('an image is what its bytes say: a JPEG without its end, progressive, CMYK, a WebP, an APNG are all drawn', async () => {
  const jpeg = await blank(60, 40).jpeg().toBuffer();
  const clear = sharp({ create: { width: 60, height: 40, channels: 4, background: '#2060a080' } });
  // An APNG is a PNG whose further frames are in chunks that other programs ignore.
  const still = await blank(60, 40).png().toBuffer();
  const apng = Buffer.concat([still.subarray(0, 33), chunk('acTL', Buffer.alloc(8, 1)), still.subarray(33)]);
  const large = await blank(9_200, 6_900).jpeg().toBuffer();
  for (const [what, sent, format, mimeType] of [
    ['a jpeg without its end marker', jpeg.subarray(0, -2), 'jpeg', 'image/jpg'],
    ['a jpeg that ends too early', jpeg.subarray(0, -20), 'jpeg', ''],
    ['a progressive jpeg', await blank(60, 40).jpeg({ progressive: true }).toBuffer(), 'jpeg', 'image/pjpeg'],
    ['a jpeg in CMYK', await blank(60, 40).toColourspace('cmyk').jpeg().toBuffer(), 'jpeg', 'image/jpeg'],
    ['a jpeg in grey', await blank(60, 40).greyscale().jpeg().toBuffer(), 'jpeg', 'image/jpeg'],
    ['a photo of 63 million pixels', large, 'jpeg', 'image/jpeg'],
    ['a webp called jpg', await blank(60, 40).webp().toBuffer(), 'jpeg', 'image/jpeg'],
    ['a webp that is seen through', await clear.webp().toBuffer(), 'png', 'image/webp'],
    ['an apng', apng, 'png', 'image/apng'],
  ] as const) {
    const reply = await uploadTo(system, 'image', talker, { bytes: sent, name: 'PHOTO.JPG', type: mimeType });
    assert.equal(reply.status, 200, what);
    const shown = await sharp(await (await fetch(reply.body.url)).arrayBuffer()).metadata();
    assert.deepEqual([shown.format, shown.space], [format, 'srgb'], what);
    assert.equal(shown.width > shown.height, true, what);
  }
});

test('a video is recognised by its boxes: every common brand, fillers first, no ftyp; trailing bytes are removed', async () => {
  const of = (brand: string) => film({ ftyp: box('ftyp', brand, '\0\0\0\0') });
  const filler = (type: string) => Buffer.concat([box(type, Buffer.alloc(24)), film()]);
  const old = Buffer.concat([box('wide'), film({ ftyp: Buffer.alloc(0) })]);
  const mp4 = ['isom', 'mp41', 'mp42', 'avc1', '3gp4', '3gp5', '3gp6', '3g2a', 'MSNV', 'M4V ', 'iso6', 'hvc1', 'XAVC'];
  const plain = film();
  const seen = (bytes: Buffer, length = bytes.length, type = 'video/mp4') => ({ bytes, length, type });
  const videos = [
    ...mp4.map((brand) => [brand, seen(of(brand))] as const),
    ['qt  ', seen(of('qt  '), undefined, 'video/quicktime')],
    ['QuickTime without ftyp', seen(old, undefined, 'video/quicktime')],
    ...['free', 'wide', 'uuid', 'skip'].map((type) => [`${type} first`, seen(filler(type))] as const),
    ['a trailer of a phone', seen(Buffer.concat([plain, Buffer.from('SEFT trailer of the phone')]), plain.length)],
    ['three bytes', seen(Buffer.concat([plain, Buffer.from('\r\n\0')]), plain.length)],
    ['padding', seen(Buffer.concat([plain, Buffer.alloc(4_096)]), plain.length)],
    ['a zip after it', seen(Buffer.concat([plain, Buffer.from('PK\x03\x04 and more of a zip')]), plain.length)],
  ] as const;
  for (const [what, { bytes, length, type }] of videos) {
    const reply = await uploadTo(system, 'video', talker, { bytes, name: 'CLIP.MOV', type: '' });
    assert.equal(reply.status, 200, what);
    const shown = await fetch(reply.body.url);
    assert.equal(shown.headers.get('content-type'), type, what);
    const kept = Buffer.from(await shown.arrayBuffer());
    assert.equal(kept.length, length, what);
    assert.ok(kept.includes('frames of the film') && TELLING.every((words) => !kept.includes(words)), what);
  }
});

test('no file, several, one byte too many and a broken form have codes of their own, and no body of a stranger is read', async () => {
  assertRefused(await uploadTo(system, 'image', talker), 'NO_DATA', undefined, 400);
  assertRefused(await uploadTo(system, 'image', talker, { field: 'x', bytes: png }), 'NO_DATA', 'FILE_MISSING', 400);
  assertRefused(await uploadTo(system, 'video', talker, { bytes: Buffer.alloc(0) }), 'NO_DATA', 'FILE_MISSING', 400);
  assertRefused(await uploadTo(system, 'image', talker, { bytes: png }, { bytes: png }), 'NO_DATA', 'ONE_FILE', 400);
  const path = 'POST /api/chat/upload-image';
  const { authorization } = talker;
  const form = { authorization, 'content-type': 'multipart/form-data; boundary=a' };
  assertRefused(await system.api(path, { headers: form, body: 'no boundary' }), 'NO_DATA', 'MALFORMED', 400);
  assertRefused(await system.api(path, { headers: { authorization }, body: {} }), 'NO_DATA', 'FILE_MISSING', 400);
  for (const kind of ['image', 'video'] as const) {
    const bytes = Buffer.alloc(CHAT_FILE_BYTES_MAX[kind] + 1, kind === 'image' ? png : film());
    assertRefused(await uploadTo(system, kind, talker, { bytes }), 'NO_DATA', 'FILE_TOO_LARGE', 400);
  }
  const whole = film({ bytes: CHAT_FILE_BYTES_MAX.video - film({ bytes: 0 }).length });
  assert.equal(whole.length, CHAT_FILE_BYTES_MAX.video);
  assert.equal((await uploadTo(system, 'video', talker, { bytes: whole })).status, 200);
  assertRefused(await uploadTo(system, 'image', undefined, { bytes: png }), 'KEY_MISSING');
  const guessed = { authorization: `Guest ${talker.guestId}.guessed` };
  assertRefused(await uploadTo(system, 'image', guessed, { bytes: png }), 'KEY_INVALID');
});

test('a video is kept as it is, without metadata of its author, and with its offsets intact', async () => {
  for (const [sent, type] of [
    [film(), 'video/mp4'],
    [film({ isLong: true }), 'video/mp4'],
    [film({ brand: 'qt  ' }), 'video/quicktime'],
  ] as const) {
    const { url } = await uploaded(system, 'video', talker, sent);
    const shown = await fetch(url);
    assert.equal(shown.headers.get('content-type'), type);
    const bytes = Buffer.from(await shown.arrayBuffer());
    assert.equal(bytes.length, sent.length);
    for (const words of [...TELLING, 'MADE', 'EDIT']) assert.ok(sent.includes(words) && !bytes.includes(words), words);
    assert.equal(bytes.indexOf('frames of the film'), sent.indexOf('frames of the film'));
    const frames = sent.indexOf('frames of the film');
    assert.deepEqual(bytes.subarray(frames), sent.subarray(frames));
  }
});

test('a file is seen under an address that stays the same for an hour, ends, and lets nothing in it run', async () => {
  const leftOfHour = () => HOUR_MS - (clock.now().getTime() % HOUR_MS);
  clock.advance(leftOfHour());
  const { path, url } = await uploaded(system, 'image', talker, png);
  assert.equal((await sendFile(system, talker, path)).status, 200);
  const urlNow = async () => (await historyOf(system, talker)).body[0].message.payload.url as string;
  // Real time passes too, on a busy machine for seconds.
  clock.advance(leftOfHour() - 60_000);
  assert.equal(await urlNow(), url);
  const shown = await fetch(url);
  assert.equal(shown.status, 200);
  for (const [name, value] of [
    ['content-type', 'image/png'],
    ['x-content-type-options', 'nosniff'],
    ['content-disposition', `inline; filename="${path.replace('chat-file/', '')}"`],
    ['accept-ranges', 'bytes'],
    ['cross-origin-resource-policy', 'cross-origin'],
  ] as const) {
    assert.equal(shown.headers.get(name), value);
  }
  assert.match(shown.headers.get('content-security-policy') ?? '', /default-src 'none'.*sandbox/);
  assert.match(shown.headers.get('cache-control') ?? '', /^private, max-age=\d+$/);
  clock.advance(leftOfHour() + 1_000);
  const next = await urlNow();
  assert.notEqual(next, url);
  assert.equal((await fetch(url)).status, 200, 'what a page shows goes on working for a while');
  clock.advance(HOUR_MS);
  assert.equal((await fetch(url)).status, 404);
  assert.equal((await fetch(next)).status, 200);
  assert.equal((await fetch(`${next.slice(0, -2)}AA`)).status, 404);
  assert.equal((await fetch(`${system.url}/api/chat-file/x`)).status, 404);
});

test('a part of a file comes when it is asked for, as players of videos do', async () => {
  const sent = film();
  const { url } = await uploaded(system, 'video', talker, sent);
  const whole = Buffer.from(await (await fetch(url)).arrayBuffer());
  const size = whole.length;
  const ask = async (range: string, more: Record<string, string> = {}) => {
    const reply = await fetch(url, { headers: { range, ...more } });
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
    const { status, range: contentRange, bytes } = await ask(range);
    assert.deepEqual([status, contentRange], [206, `bytes ${from}-${to}/${size}`], range);
    assert.deepEqual(bytes, whole.subarray(from, to + 1), range);
  }
  for (const range of ['bytes=0-1,5-6', 'bytes=9-3', 'bytes=-', 'lines=1-2', 'bytes=a-b']) {
    const { status, bytes } = await ask(range);
    assert.deepEqual([status, bytes.length], [200, size], range);
  }
  for (const range of [`bytes=${size}-`, 'bytes=-0']) {
    const { status, range: contentRange } = await ask(range);
    assert.deepEqual([status, contentRange], [416, `bytes */${size}`], range);
  }
  const { etag } = await ask('bytes=0-1');
  assert.equal((await ask('bytes=0-1', { 'if-range': etag ?? '' })).status, 206);
  assert.equal((await ask('bytes=0-1', { 'if-range': '"another"' })).status, 200);
});

test('a path names a file of its own conversation only, of its kind, and only while it is there [R-CHAT-07]', async () => {
  const [member, visitor] = await eachKind(system);
  const stranger = await newMember(system);
  const { path } = await uploaded(system, 'image', member, png);
  for (const other of [visitor, stranger]) {
    assertRefused(await sendFile(system, other, path), 'NO_DATA', 'NO_FILE', 400);
    assert.deepEqual((await historyOf(system, other)).body, []);
  }
  assertRefused(await sendFile(system, member, path, { fileType: 'video' }), 'NO_DATA', 'NO_FILE', 400);
  assertRefused(await sendFile(system, member, path, { fileType: 'file' }), 'NO_DATA', 'NO_FILE', 400);
  for (const made of ['', 'x', path.replace('.png', '.gif'), `../${path}`, 'slip/a.jpg']) {
    assertRefused(await sendFile(system, member, made), 'NO_DATA', 'NO_FILE', 400);
  }
  const elsewhere = 'https://elsewhere.example/x.png';
  assert.equal((await sendFile(system, member, path, { url: elsewhere, message: 'look' })).status, 200);
  const [{ message }] = (await historyOf(system, member)).body;
  const { url, ...payload } = message.payload;
  assert.deepEqual(payload, { message: 'look', fileType: 'image', filePath: path });
  assert.ok(url.startsWith(`${system.url}/api/chat-file/`) && (await fetch(url)).ok);
  const old = await uploaded(system, 'image', member, png);
  await system.database.query(`update chat_file set created_at = now() - interval '23 hours'`);
  assertRefused(await sendFile(system, member, old.path), 'NO_DATA', 'NO_FILE', 400);
  assert.equal((await sendFile(system, member, path)).status, 200, 'one that a message has named may be named again');
});

test('uploads are limited for a customer by the minute and by the day', async () => {
  const [member, visitor] = await eachKind(system);
  await setLimits(system, { 'chat.file.customer': 2 });
  for (const each of [member, visitor]) {
    assert.equal((await uploadTo(system, 'image', each, { bytes: png })).status, 200);
    assertRefused(await uploadTo(system, 'image', each), 'NO_DATA', undefined, 400);
    const refused = await uploadTo(system, 'image', each, { bytes: png });
    assertRefused(refused, 'REQUEST_LIMIT_1MIN');
    assert.ok(Number(refused.headers.get('retry-after')) > 0);
  }
  await setLimits(system, { 'chat.file.customer': 1_000, 'chat.file.customer.day': 1 });
  assertRefused(await uploadTo(system, 'image', member, { bytes: png }), 'REQUEST_LIMIT');
  await setLimits(system, { 'chat.file.customer.day': 1_000 });
});

test('all visitors together have one daily quota of files, under any guest-id; members are not affected', async () => {
  await setLimits(system, { 'chat.file.visitors.day': 1 });
  const member = await newMember(system);
  const visitors = [await newVisitor(system), await newVisitor(system)];
  const tried = await Promise.all(visitors.map((visitor) => uploadTo(system, 'image', visitor, { bytes: png })));
  for (const refused of tried) assertRefused(refused, 'REQUEST_LIMIT');
  assert.equal((await uploadTo(system, 'image', member, { bytes: png })).status, 200);
  await setLimits(system, { 'chat.file.visitors.day': 1_000 });
});
