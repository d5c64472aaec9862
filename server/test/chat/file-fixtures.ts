import assert from 'node:assert/strict';
import type { ApiReply } from '../harness/api-client.ts';
import type { System } from '../harness/system.ts';
import { callAsCustomer, type ChatCustomer } from './chat-fixtures.ts';

export type FilePart = { field?: string; name?: string; type?: string; bytes: Uint8Array };
type AuthorizationHolder = Pick<ChatCustomer, 'authorization'>;
type FileKind = 'image' | 'video';

/** Uploads files like a browser. */
export async function uploadFiles(
  { url }: Pick<System, 'url'>,
  kind: FileKind,
  customer: AuthorizationHolder | undefined,
  ...files: FilePart[]
): Promise<ApiReply> {
  const form = new FormData();
  for (const { field = 'file', name = 'file', type = 'application/octet-stream', bytes } of files) {
    form.append(field, new Blob([new Uint8Array(bytes)], { type }), name);
  }
  const reply = await fetch(`${url}/api/chat/upload-${kind}`, {
    method: 'POST',
    body: form,
    headers: { 'x-requested-with': 'XMLHttpRequest', ...(customer && { authorization: customer.authorization }) },
  });
  return { status: reply.status, headers: reply.headers, body: await reply.json() };
}

export type UploadedFile = { path: string; url: string };

/** Uploads a file that must be accepted. */
export async function uploadFile(
  system: Pick<System, 'url'>,
  kind: FileKind,
  customer: AuthorizationHolder,
  bytes: Uint8Array,
): Promise<UploadedFile> {
  const { status, body } = await uploadFiles(system, kind, customer, { bytes });
  assert.equal(status, 200, JSON.stringify(body));
  return body as UploadedFile;
}

/** Sends a message with the path of a file. */
export const sendFileMessage = (
  system: System,
  customer: AuthorizationHolder,
  path: string,
  { fileType = 'image', ...more }: { fileType?: string; [field: string]: unknown } = {},
): Promise<ApiReply> =>
  callAsCustomer(system, customer, 'POST /api/chat/send-message', {
    message: { message_type: 'media', payload: { fileType, filePath: path, ...more } },
  });

/** A box of an MP4 or QuickTime file. */
export function mp4Box(type: string, ...parts: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part, 'latin1') : part)));
  const header = Buffer.alloc(8);
  header.writeUInt32BE(8 + body.length);
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, body]);
}

/** A box with a 64-bit length field. */
function mp4LongBox(type: string, body: Buffer): Buffer {
  const header = Buffer.alloc(16);
  header.writeUInt32BE(1);
  header.write(type, 4, 'latin1');
  header.writeBigUInt64BE(BigInt(16 + body.length), 8);
  return Buffer.concat([header, body]);
}

const zeroBytes = (length: number): Buffer => Buffer.alloc(length);
const datedBox = (type: string): Buffer => mp4Box(type, zeroBytes(4), 'MADE', 'EDIT', zeroBytes(20));
const handlerBox = (handlerType: string): Buffer => mp4Box('hdlr', zeroBytes(8), handlerType, zeroBytes(13));
const trackBox = (handlerType: string, ...sampleBoxes: Buffer[]): Buffer =>
  mp4Box(
    'trak',
    datedBox('tkhd'),
    mp4Box('mdia', datedBox('mdhd'), handlerBox(handlerType), mp4Box('minf', zeroBytes(8))),
    ...sampleBoxes,
  );

/** Texts that identify the author of a film, in each box where phones write them. */
export const IDENTIFYING_TEXTS = [
  '+13.7563+100.5018/',
  'a phone of somebody',
  'live GPS',
  'an XMP of them',
  'a tag of a track',
];

/** The minimal structure of a film, without decodable frames. */
export function mp4Film(
  options: { brand?: string; handler?: string; bytes?: number; ftyp?: Buffer; isLong?: boolean } = {},
): Buffer {
  const { brand = 'mp42', handler: handlerType = 'vide', bytes = 2_000 } = options;
  const frames = Buffer.alloc(bytes, 'frames of the film ');
  const [locationText = '', device = '', live = '', xmp = '', tag = ''] = IDENTIFYING_TEXTS;
  return Buffer.concat([
    options.ftyp ?? mp4Box('ftyp', brand, zeroBytes(4), brand === 'qt  ' ? brand : 'isommp42'),
    mp4Box(
      'moov',
      datedBox('mvhd'),
      trackBox(handlerType, mp4Box('udta', mp4Box('name', tag))),
      trackBox('meta', mp4Box('xtra', live)),
      mp4Box('udta', mp4Box('\xa9xyz', locationText)),
      mp4Box('meta', zeroBytes(4), handlerBox('mdta'), mp4Box('keys', device)),
    ),
    mp4Box('uuid', zeroBytes(16), xmp),
    options.isLong ? mp4LongBox('mdat', frames) : mp4Box('mdat', frames),
  ]);
}
