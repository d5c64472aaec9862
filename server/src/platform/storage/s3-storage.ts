import { createHash } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import type { ObjectStorageConfig as Settings } from '../config.ts';
import { OutboundFailure, type OutboundRequest, type OutboundStream, streamOutside } from '../http/outbound.ts';
import { assertKey, type ObjectStorage, StorageUnavailable } from './port.ts';

type S3Settings = Extract<Settings, { kind: 's3' }>;

/** Long enough for an upload of 10 MB to a distant bucket. */
const REQUEST_TIMEOUT_MS = 60_000;

/** Stores objects in a bucket of S3 or of a compatible service: path-style URLs, signature version 4. */
export function s3Storage(settings: S3Settings): ObjectStorage {
  const { accessKeyId, secretAccessKey, region, bucket } = settings;
  const client = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 });
  const endpoint = (settings.endpoint ?? `https://s3.${region}.amazonaws.com`).replace(/\/+$/, '');
  const urlOf = (key: string) => {
    assertKey(key);
    return `${endpoint}/${bucket}/${key}`;
  };
  const call = async (
    method: 'GET' | 'PUT' | 'DELETE',
    key: string,
    options: { body?: Buffer; headers?: Record<string, string> } = {},
  ) => {
    const { body } = options;
    const sha256 = createHash('sha256')
      .update(body ?? '')
      .digest('hex');
    const headers = { 'x-amz-content-sha256': sha256, ...options.headers };
    const signedRequest = await client.sign(urlOf(key), { method, headers });
    return send({
      method,
      url: signedRequest.url,
      headers: Object.fromEntries(signedRequest.headers),
      ...(body === undefined ? {} : { body }),
    });
  };
  return {
    async put(key, bytes, contentType) {
      const reply = await call('PUT', key, { body: bytes, headers: { 'content-type': contentType } });
      await discard(reply);
      if (reply.status !== 200) throw new StorageUnavailable(`the bucket replied ${reply.status} to a PUT`);
    },
    async get(key, range) {
      const headers: Record<string, string> = range ? { range: `bytes=${range.from}-${range.to}` } : {};
      const reply = await call('GET', key, { headers });
      // A bucket that sends the whole object instead of the requested range has failed.
      if (reply.status === (range ? 206 : 200)) {
        const bytes = Number(reply.headers['content-length'] ?? Number.NaN);
        return { bytes, stream: reply.body };
      }
      await discard(reply);
      if (reply.status === 404) return undefined;
      throw new StorageUnavailable(`the bucket replied ${reply.status} to a GET`);
    },
    async delete(key) {
      const reply = await call('DELETE', key);
      await discard(reply);
      if (![200, 204, 404].includes(reply.status)) {
        throw new StorageUnavailable(`the bucket replied ${reply.status} to a DELETE`);
      }
    },
    async link(key, { seconds, contentType, since, keepSeconds }) {
      const url = new URL(urlOf(key));
      url.searchParams.set('X-Amz-Expires', String(seconds));
      // The response headers for the browser are part of the signature.
      url.searchParams.set('response-content-type', contentType);
      url.searchParams.set('response-content-disposition', 'inline');
      url.searchParams.set('response-cache-control', keepSeconds ? `private, max-age=${keepSeconds}` : 'no-store');
      const datetime = since && { datetime: since.toISOString().replaceAll(/[:-]|\.\d{3}/g, '') };
      const signedUrl = await client.sign(url.href, { method: 'GET', aws: { signQuery: true, ...datetime } });
      return signedUrl.url;
    },
    // A bucket writes objects atomically, so there is nothing to sweep.
    folder: async () => undefined,
    sweep: async () => 0,
  };
}

async function send(request: Omit<OutboundRequest, 'timeoutMs'>): Promise<OutboundStream> {
  try {
    return await streamOutside({ ...request, timeoutMs: REQUEST_TIMEOUT_MS });
  } catch (error) {
    if (error instanceof OutboundFailure) throw new StorageUnavailable(error.message, { cause: error });
    throw error;
  }
}

async function discard(reply: OutboundStream): Promise<void> {
  await reply.body.dump();
}
