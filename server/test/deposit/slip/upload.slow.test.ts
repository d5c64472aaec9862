import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import sharp from 'sharp';
import { assertRefused } from '../../harness/assert-refused.ts';
import { otherSpellings } from '../../harness/hostile-text.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { type MovableClock, movableClock } from '../../harness/movable-clock.ts';
import { setRateLimits, setSettings } from '../../harness/operator.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { waitForSlipEnd, slipImage, sendSlip, listSlips, uploadSlips } from './slip-fixtures.ts';

const OPEN_SETTINGS = { closedFrom: '00:00', closedTo: '00:00', expireMinutes: 60, maxMB: 10 };
const JPEG_HEAD = Buffer.from([0xff, 0xd8, 0xff, 0xe0]);

const HOUR_MS = 3_600_000;

/** The time of day in Bangkok at an offset from now: HH:MM. */
const bangkokTime = (inMs: number): string =>
  new Date(clock.now().getTime() + 7 * HOUR_MS + inMs).toISOString().slice(11, 16);

let system: System;
let clock: MovableClock;
let member: TestMember;
let image: Buffer;

before(async () => {
  clock = movableClock();
  system = await startSystem({ clock });
  member = await registerMember(system);
  image = await slipImage('a code of something else');
  await setRateLimits(system, { 'slip.member': 1000, 'slip.member.day': 1000 });
  await setSettings(system, { slip: OPEN_SETTINGS });
});
after(() => system.stop());

test('an upload without a file part is SLIP_NO_FILE [R-SLIP-02]', async () => {
  const { token } = member;
  assertRefused(await uploadSlips(system, token), 'SLIP_NO_FILE');
  assertRefused(await uploadSlips(system, token, { field: 'picture', bytes: image }), 'SLIP_NO_FILE', 'FILE');
  assertRefused(await uploadSlips(system, token, { bytes: Buffer.alloc(0) }), 'SLIP_NO_FILE', 'FILE');
  for (const body of [undefined, {}, { file: 'x' }, '{']) {
    assertRefused(await system.api('POST /api/wallet/slip', { token, body }), 'SLIP_NO_FILE', 'FILE');
  }
  for (const [type, body] of [
    ['multipart/form-data', 'x'],
    ['multipart/form-data; boundary=a', 'no boundary in here'],
    ['multipart/form-data; boundary=a', '--a\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nhalf'],
    ['text/plain', 'x'],
    ['image/png', 'x'],
  ] as const) {
    const reply = await system.api('POST /api/wallet/slip', { token, body, headers: { 'content-type': type } });
    assertRefused(reply, 'SLIP_NO_FILE');
  }
  assert.deepEqual(await listSlips(system, token), []);
});

test('a file that is not a JPEG, PNG or WebP is SLIP_INVALID_FILE, whatever its name [R-SLIP-02]', async () => {
  const invalidImages: [string, Buffer][] = [
    ['gif', Buffer.from('GIF89a\x01\x00\x01\x00')],
    ['svg', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['pdf', Buffer.from('%PDF-1.7')],
    ['zip', Buffer.from('PK\x03\x04')],
    ['html', Buffer.from('<html><script>alert(1)</script>')],
    ['heic', Buffer.from('\0\0\0\x18ftypheic')],
    ['tiff', Buffer.from('II*\0')],
    ['one byte', Buffer.from([0xff])],
    ['nothing of a picture', Buffer.from('\0'.repeat(64))],
    ['RIFF that is sound', Buffer.from('RIFF\0\0\0\0WAVEfmt ')],
  ];
  for (const [title, bytes] of invalidImages) {
    const reply = await uploadSlips(system, member.token, { bytes, name: 'slip.jpg', type: 'image/jpeg' });
    assert.equal(reply.body.message, 'SLIP_INVALID_FILE', title);
    assertRefused(reply, 'SLIP_INVALID_FILE', 'FILE_TYPE');
  }
  assertRefused(
    await uploadSlips(system, member.token, { bytes: image }, { bytes: image }),
    'SLIP_INVALID_FILE',
    'ONE_FILE',
  );
});

test('a file of one byte over 10 MB is SLIP_INVALID_FILE, 10 MB are accepted, and the operator can lower the limit [R-SLIP-02]', async () => {
  const largestImage = Buffer.concat([JPEG_HEAD, Buffer.alloc(10 * 1024 * 1024 - JPEG_HEAD.length)]);
  const { token } = member;
  assertRefused(
    await uploadSlips(system, token, { bytes: Buffer.concat([largestImage, Buffer.alloc(1)]) }),
    'SLIP_INVALID_FILE',
    'TOO_LARGE',
  );
  assertRefused(
    await uploadSlips(system, token, { bytes: Buffer.concat([largestImage, largestImage]) }),
    'SLIP_INVALID_FILE',
    'TOO_LARGE',
  );
  const slip = await sendSlip(system, token, largestImage);
  assert.equal((await waitForSlipEnd(system, token, slip)).note, 'CANNOT_READ_CROPPED_IMAGE');
  await setSettings(system, { slip: { ...OPEN_SETTINGS, maxMB: 1 } });
  const tooLargeImage = Buffer.concat([JPEG_HEAD, Buffer.alloc(1024 * 1024)]);
  assertRefused(await uploadSlips(system, token, { bytes: tooLargeImage }), 'SLIP_INVALID_FILE', 'TOO_LARGE');
  await setSettings(system, { slip: OPEN_SETTINGS });
});

test('the name of an uploaded file is ignored: paths, a null byte or a missing name have no effect [R-SLIP-02]', async () => {
  for (const name of [
    '../../../etc/x',
    '..\\..\\x.exe',
    'a\0b.php',
    'noextension',
    '.htaccess',
    `${'x'.repeat(5000)}.svg`,
  ]) {
    const { status, body } = await uploadSlips(system, member.token, { bytes: image, name, type: 'text/html' });
    assert.equal(status, 200, `${name}: ${JSON.stringify(body)}`);
    assert.doesNotMatch(JSON.stringify(body), /etc|exe|php|htaccess/);
    assert.equal((await waitForSlipEnd(system, member.token, body.slip)).note, 'INVALID_SLIP');
  }
});

test('uploads in the closed hours are SLIP_UPLOAD_FAIL with the hours, before any other check [R-SLIP-03]', async () => {
  const { token } = await registerMember(system);
  const [closedFrom, closedTo] = [bangkokTime(-HOUR_MS), bangkokTime(2 * HOUR_MS)];
  await setSettings(system, { slip: { ...OPEN_SETTINGS, closedFrom, closedTo } });
  const refusedReply = await uploadSlips(system, token, { bytes: image });
  assertRefused(refusedReply, 'SLIP_UPLOAD_FAIL', `CLOSED_${closedFrom}-${closedTo}`);
  assertRefused(await uploadSlips(system, token), 'SLIP_UPLOAD_FAIL', `CLOSED_${closedFrom}-${closedTo}`);
  assertRefused(await uploadSlips(system, undefined, { bytes: image }), 'UNAUTHORIZED');
  assert.equal((await system.api('GET /api/lookup/slip')).body.isOpen, false);
  await setSettings(system, { slip: OPEN_SETTINGS });
  assert.equal((await uploadSlips(system, token, { bytes: image })).status, 200);
});

test('a member with 20 slips in progress cannot send another, and with 19 one more [R-SLIP-02]', async () => {
  const { id, token } = await registerMember(system);
  const storeOpenSlips = (count: number) =>
    system.database.query(
      `insert into slip (id, member_id, reference, currency, state, work_at)
       select n.id, $1, 'S' || n.id, 'BAHT', 'RECEIVED', now() + interval '1 day'
         from (select gen_random_uuid() as id from generate_series(1, $2::int)) n`,
      [id, count],
    );
  await storeOpenSlips(19);
  await waitForSlipEnd(system, token, await sendSlip(system, token, image));
  await storeOpenSlips(1);
  const refused = await uploadSlips(system, token, { bytes: image });
  assertRefused(refused, 'REQUEST_LIMIT', 'SLIPS_IN_PROGRESS');
  assert.equal(refused.headers.get('retry-after'), '60');
});

test('uploads of one member are limited per minute', async () => {
  const { token } = await registerMember(system);
  await setRateLimits(system, { 'slip.member': 2 });
  assert.equal((await uploadSlips(system, token, { bytes: image })).status, 200);
  assertRefused(await uploadSlips(system, token), 'SLIP_NO_FILE');
  const refusedReply = await uploadSlips(system, token, { bytes: image });
  assertRefused(refusedReply, 'REQUEST_LIMIT_1MIN');
  assert.ok(Number(refusedReply.headers.get('retry-after')) > 0);
  await setRateLimits(system, { 'slip.member': 1000 });
});

test('slips of other members at an address leave each member a tenth of their own limit', async () => {
  const [neighbour, regularMember] = [await registerMember(system), await registerMember(system)];
  await system.database.query(`delete from rate_limit where key like 'slip.address:%'`);
  await setRateLimits(system, { 'slip.address': 1, 'slip.member.day': 20 });
  for (let attempt = 0; attempt < 2; attempt += 1) {
    assert.equal((await uploadSlips(system, neighbour.token, { bytes: image })).status, 200);
  }
  assertRefused(await uploadSlips(system, neighbour.token, { bytes: image }), 'REQUEST_LIMIT');
  assert.equal((await uploadSlips(system, regularMember.token, { bytes: image })).status, 200);
  await setRateLimits(system, { 'slip.address': 1_000, 'slip.member.day': 1_000 });
});

test('slips are listed newest first, in pages, and only to their own member', async () => {
  const { token } = await registerMember(system);
  const sentSlips = [];
  for (let attempt = 0; attempt < 5; attempt += 1) sentSlips.push(await sendSlip(system, token, image));
  const sentReferences = sentSlips.map(({ reference }) => reference).toReversed();
  const readSlipPage = async (number: number) =>
    (await system.api('POST /api/statement/slip', { token, body: { page: number, limit: 2 } })).body;
  const pages = [await readSlipPage(1), await readSlipPage(2), await readSlipPage(3), await readSlipPage(4)];
  assert.deepEqual(
    pages.map(({ slips }) => slips.map(({ reference }: { reference: string }) => reference)),
    [sentReferences.slice(0, 2), sentReferences.slice(2, 4), sentReferences.slice(4), []],
  );
  assert.ok(pages.every(({ total }) => total === 5));
  assertRefused(await system.api('POST /api/statement/slip', { token, body: { page: 0 } }), 'NO_DATA', 'page', 400);
});

test('the image of a slip is re-encoded and shown only to its member, under a URL that expires [R-ROLE-01]', async () => {
  const { token } = await registerMember(system);
  const imageWithMetadata = await sharp(image)
    .jpeg()
    .withExif({ IFD0: { Artist: 'a place and a name' } })
    .toBuffer();
  const polyglotImage = Buffer.concat([imageWithMetadata, Buffer.from('<script>alert(document.domain)</script>')]);
  const slip = await sendSlip(system, token, polyglotImage);
  await waitForSlipEnd(system, token, slip);
  const path = 'GET /api/statement/slip/reference/{reference}';
  const params = { reference: slip.reference };
  const { status, body } = await system.api(path, { token, params });
  assert.equal(status, 200);
  const imageReply = await fetch(body.url);
  assert.equal(imageReply.status, 200);
  const bytes = Buffer.from(await imageReply.arrayBuffer());
  assert.equal((await sharp(bytes).metadata()).format, 'jpeg');
  assert.equal((await sharp(bytes).metadata()).exif, undefined);
  assert.ok(!bytes.includes('script') && !bytes.includes('a place'));
  for (const [name, value] of [
    ['content-type', 'image/jpeg'],
    ['x-content-type-options', 'nosniff'],
    ['content-disposition', 'inline; filename="slip.jpg"'],
    ['cache-control', 'no-store'],
  ] as const) {
    assert.equal(imageReply.headers.get(name), value);
  }
  assert.match(imageReply.headers.get('content-security-policy') ?? '', /sandbox/);
  const headReply = await fetch(body.url, { method: 'HEAD' });
  assert.deepEqual([headReply.status, headReply.headers.get('content-length')], [200, String(bytes.length)]);
  const stranger = await registerMember(system);
  assertRefused(await system.api(path, { token: stranger.token, params }), 'INVALID_USER_3');
  assertRefused(await system.api(path, { token, params: { reference: 'SNOBODYHASTHIS' } }), 'NO_DATA');
  const url = body.url as string;
  for (const spelling of otherSpellings(url.slice(url.lastIndexOf('/') + 1)))
    assert.equal((await fetch(`${system.url}/api/slip-picture/${spelling}`)).status, 404, spelling);
  const forgedUrl = `${url.slice(0, -4)}AAAA`;
  assert.equal((await fetch(forgedUrl)).status, 404);
  assert.equal((await fetch(`${system.url}/api/slip-picture/x`)).status, 404);
  // Real time passes too.
  clock.advance(270_000);
  assert.equal((await fetch(body.url)).status, 200);
  clock.advance(31_000);
  assert.equal((await fetch(body.url)).status, 404);
});

test('aborted uploads leave no slip, and concurrent uploads continue [R-SLIP-02]', async () => {
  const { token } = await registerMember(system);
  const { hostname, port } = new URL(system.url);
  const abortHalfUpload = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => {
        socket.write(
          `POST /api/wallet/slip HTTP/1.1\r\nhost: x\r\nx-requested-with: XMLHttpRequest\r\nauthorization: Bearer ${token}\r\n` +
            'content-type: multipart/form-data; boundary=b\r\ncontent-length: 100000\r\n\r\n' +
            '--b\r\ncontent-disposition: form-data; name="file"; filename="a.jpg"\r\n\r\n\xff\xd8\xff',
          () => socket.destroy(),
        );
      });
      socket.once('close', () => resolve());
      socket.once('error', reject);
    });
  await Promise.all([abortHalfUpload(), abortHalfUpload(), abortHalfUpload(), abortHalfUpload()]);
  // The slots are free again: a member may have two concurrent uploads.
  const deadlineMs = Date.now() + 60_000;
  let acceptedReply = await uploadSlips(system, token, { bytes: image });
  while (acceptedReply.body.detail === 'UPLOADS_AT_ONCE' && Date.now() < deadlineMs) {
    acceptedReply = await uploadSlips(system, token, { bytes: image });
  }
  assert.equal(acceptedReply.status, 200, JSON.stringify(acceptedReply.body));
  assert.equal((await listSlips(system, token)).length, 1);
});
