import assert from 'node:assert/strict';
import type { ApiReply } from '../harness/api-client.ts';
import type { System } from '../harness/system.ts';
import { callAs, type Talker } from './chat-world.ts';

export type FilePart = { field?: string; name?: string; type?: string; bytes: Uint8Array };
type Asker = Pick<Talker, 'authorization'>;
type FileKind = 'image' | 'video';

/** Uploads files as a browser does. */
export async function uploadTo(
  { url }: Pick<System, 'url'>,
  kind: FileKind,
  talker: Asker | undefined,
  ...files: FilePart[]
): Promise<ApiReply> {
  const form = new FormData();
  for (const { field = 'file', name = 'file', type = 'application/octet-stream', bytes } of files) {
    form.append(field, new Blob([new Uint8Array(bytes)], { type }), name);
  }
  const reply = await fetch(`${url}/api/chat/upload-${kind}`, {
    method: 'POST',
    body: form,
    headers: { 'x-requested-with': 'XMLHttpRequest', ...(talker && { authorization: talker.authorization }) },
  });
  return { status: reply.status, headers: reply.headers, body: await reply.json() };
}

export type Uploaded = { path: string; url: string };

/** Uploads a file that must be taken. */
export async function uploaded(
  system: Pick<System, 'url'>,
  kind: FileKind,
  talker: Asker,
  bytes: Uint8Array,
): Promise<Uploaded> {
  const { status, body } = await uploadTo(system, kind, talker, { bytes });
  assert.equal(status, 200, JSON.stringify(body));
  return body as Uploaded;
}

/** Sends a message that names a file. */
export const sendFile = (
  system: System,
  talker: Asker,
  path: string,
  { fileType = 'image', ...more }: { fileType?: string; [field: string]: unknown } = {},
): Promise<ApiReply> =>
  callAs(system, talker, 'POST /api/chat/send-message', {
    message: { message_type: 'media', payload: { fileType, filePath: path, ...more } },
  });

/** A box of an MP4 or QuickTime file. */
export function box(type: string, ...parts: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + body.length);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, body]);
}

/** The same with a head that has room for 8 bytes of length. */
function longBox(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(16);
  head.writeUInt32BE(1);
  head.write(type, 4, 'latin1');
  head.writeBigUInt64BE(BigInt(16 + body.length), 8);
  return Buffer.concat([head, body]);
}

const zeros = (length: number): Buffer => Buffer.alloc(length);
const dated = (type: string): Buffer => box(type, zeros(4), 'MADE', 'EDIT', zeros(20));
const handler = (what: string): Buffer => box('hdlr', zeros(8), what, zeros(13));
const track = (what: string, ...more: Buffer[]): Buffer =>
  box('trak', dated('tkhd'), box('mdia', dated('mdhd'), handler(what), box('minf', zeros(8))), ...more);

/** What identifies the author of a film, at each place where phones put it. */
export const TELLING = ['+13.7563+100.5018/', 'a phone of somebody', 'live GPS', 'an XMP of them', 'a tag of a track'];

/** As much of a film as there is to a wrapping: no picture of it can be seen. */
export function film(
  options: { brand?: string; handler?: string; bytes?: number; ftyp?: Buffer; isLong?: boolean } = {},
): Buffer {
  const { brand = 'mp42', handler: what = 'vide', bytes = 2_000 } = options;
  const frames = Buffer.alloc(bytes, 'frames of the film ');
  const [place = '', device = '', live = '', xmp = '', tag = ''] = TELLING;
  return Buffer.concat([
    options.ftyp ?? box('ftyp', brand, zeros(4), brand === 'qt  ' ? brand : 'isommp42'),
    box(
      'moov',
      dated('mvhd'),
      track(what, box('udta', box('name', tag))),
      track('meta', box('xtra', live)),
      box('udta', box('\xa9xyz', place)),
      box('meta', zeros(4), handler('mdta'), box('keys', device)),
    ),
    box('uuid', zeros(16), xmp),
    options.isLong ? longBox('mdat', frames) : box('mdat', frames),
  ]);
}
