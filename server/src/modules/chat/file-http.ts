import * as endpoints from '@krapao/contract/endpoints/chat';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from '../../platform/errors.ts';
import { callerAddress } from '../../platform/http/caller-address.ts';
import { createAddressRewriter } from '../../platform/http/requested-host.ts';
import { route } from '../../platform/http/route.ts';
import type { UploadSlot } from '../../platform/http/upload-admission.ts';
import { receiveFile } from '../../platform/http/upload.ts';
import type { ChatDeps } from './chat.ts';
import {
  type ChatFile,
  type FileKind,
  fileUrl,
  findFileByToken,
  openFile,
  requestedRange,
  URL_VALID_HOURS,
} from './files.ts';
import { uploadFile } from './upload-file.ts';

const HOUR_SECONDS = 3_600;

/** Headers that only display a file: scripts in it can't run. */
const FILE_HEADERS = {
  // The browser's page around a video has inline styles and loads the video from its own address.
  'content-security-policy':
    "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox",
  // Support staff see the file on a page of another origin; the signed URL is the proof.
  'cross-origin-resource-policy': 'cross-origin',
  'cache-control': `private, max-age=${HOUR_SECONDS}`,
  'accept-ranges': 'bytes',
} as const;

/** Serves uploads of customers and the signed URLs of files. */
export function fileRoutes(app: FastifyInstance, deps: ChatDeps): void {
  const createUploadHandler =
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
      const url = createAddressRewriter(request)(await fileUrl(deps, key, URL_VALID_HOURS.customer));
      return { status: 200 as const, body: { path: key, url } };
    };
  route(app, endpoints.uploadChatImage, createUploadHandler('image'));
  route(app, endpoints.uploadChatVideo, createUploadHandler('video'));
  // Opened by an element of a page, which sends no token.
  app.get<{ Params: { token: string } }>(
    '/api/chat-file/:token',
    { config: { secretParams: ['token'] } },
    async (request, reply) => {
      const file = await findFileByToken(deps, request.params.token);
      if (!file) throw fileNotFound();
      return sendFile(deps, file, request, reply);
    },
  );
}

const fileNotFound = (): Refusal => new Refusal('NO_DATA', { detail: 'NO_FILE' });

async function sendFile(deps: ChatDeps, file: ChatFile, { headers, method }: FastifyRequest, reply: FastifyReply) {
  const { key, bytes, contentType } = file;
  const fileName = key.slice(key.lastIndexOf('/') + 1);
  const etag = `"${fileName}"`;
  // A client that holds part of another version of the file needs all of this one.
  const isSameFile = headers['if-range'] === undefined || headers['if-range'] === etag;
  const range = requestedRange(isSameFile ? headers.range : undefined, bytes);
  if (range === 'none') {
    void reply.header('content-range', `bytes */${bytes}`);
    throw new Refusal('NO_DATA', { detail: 'RANGE', status: 416 });
  }
  const object = await openFile(deps, file, range);
  if (!object) throw fileNotFound();
  void reply.headers({
    ...FILE_HEADERS,
    etag,
    'content-type': contentType,
    'content-disposition': `inline; filename="${fileName}"`,
    'content-length': object.bytes,
  });
  if (range !== 'whole') reply.code(206).header('content-range', `bytes ${range.from}-${range.to}/${bytes}`);
  // Otherwise the framework would read all of it.
  if (method === 'HEAD') object.stream.destroy();
  return reply.send(object.stream);
}
