import * as endpoints from '@krapao/contract/endpoints/chat';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createAddressRewriter } from '../../platform/http/requested-host.ts';
import { callerAddress } from '../../platform/http/caller-address.ts';
import { route } from '../../platform/http/route.ts';
import { receiveFile } from '../../platform/http/upload.ts';
import type { UploadSlot } from '../../platform/http/upload-admission.ts';
import { Refusal } from '../../platform/errors.ts';
import type { ChatDeps } from './chat.ts';
import { type ChatFile, type FileKind, fileUrl, findShown, openShown, requestedRange, SHOWN_HOURS } from './files.ts';
import { uploadFile } from './upload-file.ts';

const HOUR_SECONDS = 3_600;

/** A file is shown and nothing else: what might be in it runs nowhere. */
const FILE_HEADERS = {
  // The page that a browser makes around a video has a style of its own, and loads the video from its own address.
  'content-security-policy':
    "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
  // People of support see it on a page of another origin; the address itself is the proof.
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': `private, max-age=${HOUR_SECONDS}`,
  'accept-ranges': 'bytes',
} as const;

/** The customer's uploads, and the address under which a file is seen. */
export function fileRoutes(app: FastifyInstance, deps: ChatDeps): void {
  const uploadOf =
    (kind: FileKind) =>
    async ({
      customer,
      request,
    }: {
      customer: Parameters<typeof uploadFile>[2]['customer'];
      request: FastifyRequest;
    }) => {
      const receive = (bytesMax: number, slot: UploadSlot) => receiveFile(request, { field: 'file', bytesMax, slot });
      const { group } = callerAddress(request);
      const { key } = await uploadFile(deps, app.admitUpload, { customer, kind, group, receive });
      const url = createAddressRewriter(request)(await fileUrl(deps, key, SHOWN_HOURS.customer));
      return { status: 200 as const, body: { path: key, url } };
    };
  route(app, endpoints.uploadChatImage, uploadOf('image'));
  route(app, endpoints.uploadChatVideo, uploadOf('video'));
  // Opened by an element of a page, which sends no token.
  app.get<{ Params: { token: string } }>(
    '/api/chat-file/:token',
    { config: { secretParams: ['token'] } },
    async (request, reply) => {
      const file = await findShown(deps, request.params.token);
      if (!file) throw gone();
      return show(deps, file, request, reply);
    },
  );
}

const gone = (): Refusal => new Refusal('NO_DATA', { detail: 'NO_FILE' });

async function show(deps: ChatDeps, file: ChatFile, { headers }: FastifyRequest, reply: FastifyReply) {
  const { key, bytes, contentType } = file;
  const name = key.slice(key.lastIndexOf('/') + 1);
  const etag = `"${name}"`;
  // A client with the beginning of another file needs the whole of this one.
  const isSame = headers['if-range'] === undefined || headers['if-range'] === etag;
  const part = requestedRange(isSame ? headers.range : undefined, bytes);
  if (part === 'none') {
    void reply.header('content-range', `bytes */${bytes}`);
    throw new Refusal('NO_DATA', { detail: 'RANGE', status: 416 });
  }
  const object = await openShown(deps, file, part);
  if (!object) throw gone();
  void reply.headers({
    ...FILE_HEADERS,
    etag,
    'content-type': contentType,
    'content-disposition': `inline; filename="${name}"`,
    'content-length': object.bytes,
  });
  if (part !== 'whole') reply.code(206).header('content-range', `bytes ${part.from}-${part.to}/${bytes}`);
  return reply.send(object.stream);
}
