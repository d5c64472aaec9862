import { createHash } from 'node:crypto';
import { AwsClient } from 'aws4fetch';
import type { ObjectStorageConfig as Settings } from '../config.ts';
import { OutboundFailure, type OutboundRequest, type OutboundStream, streamOutside } from '../http/outbound.ts';
import { assertKey, type ObjectStorage, StorageUnavailable } from './port.ts';

type S3Settings = Extract<Settings, { kind: 's3' }>;

/** Timeout; long enough for an upload of 10 MB to a distant bucket. */
const TIMEOUT_MS = 60_000;

/** A bucket of S3 or of a compatible service: path-style addresses, signature version 4. */
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
    more: { body?: Buffer; headers?: Record<string, string> } = {},
  ) => {
    const { body } = more;
    const sha256 = createHash('sha256')
      .update(body ?? '')
      .digest('hex');
    const headers = { 'x-amz-content-sha256': sha256, ...more.headers };
    const signed = await client.sign(urlOf(key), { method, headers });
    return send({
      method,
      url: signed.url,
      headers: Object.fromEntries(signed.headers),
      ...(body === undefined ? {} : { body }),
    });
  };
  return {
    async put(key, bytes, contentType) {
      const reply = await call('PUT', key, { body: bytes, headers: { 'content-type': contentType } });
      await discard(reply);
      if (reply.status !== 200) throw new StorageUnavailable(`the bucket answered ${reply.status} to a PUT`);
    },
    async get(key, part) {
      const headers: Record<string, string> = part ? { range: `bytes=${part.from}-${part.to}` } : {};
      const reply = await call('GET', key, { headers });
      // A bucket that sends the whole object instead of the requested part has given a wrong answer.
      if (reply.status === (part ? 206 : 200)) {
        const bytes = Number(reply.headers['content-length'] ?? Number.NaN);
        return { bytes, stream: reply.body };
      }
      await discard(reply);
      if (reply.status === 404) return undefined;
      throw new StorageUnavailable(`the bucket answered ${reply.status} to a GET`);
    },
    async delete(key) {
      const reply = await call('DELETE', key);
      await discard(reply);
      if (![200, 204, 404].includes(reply.status)) {
        throw new StorageUnavailable(`the bucket answered ${reply.status} to a DELETE`);
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
      const signed = await client.sign(url.href, { method: 'GET', aws: { signQuery: true, ...datetime } });
      return signed.url;
    },
    // A bucket writes objects atomically: there is nothing to sweep.
    folder: async () => undefined,
    sweep: async () => 0,
  };
}

async function send(request: Omit<OutboundRequest, 'timeoutMs'>): Promise<OutboundStream> {
  try {
    return await streamOutside({ ...request, timeoutMs: TIMEOUT_MS });
  } catch (error) {
    if (error instanceof OutboundFailure) throw new StorageUnavailable(error.message, { cause: error });
    throw error;
  }
}

async function discard(reply: OutboundStream): Promise<void> {
  await reply.body.dump();
}
