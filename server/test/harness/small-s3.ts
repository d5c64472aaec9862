import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export type SmallS3 = {
  url: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
  objects: Map<string, { bytes: Buffer; contentType: string }>;
  /** Refused calls with their reasons. */
  refused: string[];
  /** Keys of objects that can't be deleted. */
  locked: Set<string>;
  /** Faults of the next calls. */
  nextFaults: ('none' | 'error-500' | 'cut' | 'hang-up')[];
  stop(): Promise<void>;
};

const BYTES_MAX = 24 * 1024 * 1024;
const CLOCK_APART_MS_MAX = 15 * 60_000;
const sha256Hex = (data: Buffer | string) => createHash('sha256').update(data).digest('hex');
const hmacSha256 = (key: Buffer | string, text: string) => createHmac('sha256', key).update(text).digest();

/**
 * A minimal S3 server: PUT, GET and DELETE of objects by path, with verified version 4 signatures in the header or the
 * address. Written from the protocol's description, independently of the library that signs.
 */
export async function startSmallS3(): Promise<SmallS3> {
  const s3: Omit<SmallS3, 'url' | 'stop'> = {
    bucket: 'slips',
    accessKeyId: 'TESTKEYID',
    secretAccessKey: 'test-secret-access-key',
    region: 'ap-southeast-1',
    objects: new Map(),
    refused: [],
    locked: new Set(),
    nextFaults: [],
  };
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      const url = new URL(request.url ?? '/', `http://${request.headers.host ?? 'localhost'}`);
      const nextFault = s3.nextFaults.shift();
      if (nextFault === 'error-500') return response.writeHead(500).end('<Error/>');
      if (nextFault === 'hang-up') return void request.socket.destroy();
      const requestFault = findRequestFault(s3, request, url, body);
      if (requestFault) {
        s3.refused.push(requestFault);
        return response.writeHead(403).end(`<Error><Message>${requestFault}</Message></Error>`);
      }
      const key = decodeURIComponent(url.pathname).slice(`/${s3.bucket}/`.length);
      if (!url.pathname.startsWith(`/${s3.bucket}/`)) return response.writeHead(404).end('<Error/>');
      const object = s3.objects.get(key);
      if (request.method === 'PUT') {
        s3.objects.set(key, { bytes: body, contentType: request.headers['content-type'] ?? '' });
        return response.writeHead(200).end();
      }
      if (request.method === 'DELETE') {
        if (s3.locked.has(key)) return response.writeHead(403).end('<Error><Code>AccessDenied</Code></Error>');
        s3.objects.delete(key);
        return response.writeHead(204).end();
      }
      if (!object) return response.writeHead(404).end('<Error><Code>NoSuchKey</Code></Error>');
      const { status, bytes } = rangeOf(object.bytes, request.headers.range);
      response.writeHead(status, {
        'content-length': bytes.length,
        'content-type': url.searchParams.get('response-content-type') ?? object.contentType,
        'content-disposition': url.searchParams.get('response-content-disposition') ?? 'attachment',
      });
      if (nextFault !== 'cut') return response.end(bytes);
      response.write(bytes.subarray(0, 10), () => response.destroy());
    });
  });
  // No timeout closes a connection: a call could be in flight at that moment.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    ...s3,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function rangeOf(bytes: Buffer, range: string | undefined): { status: number; bytes: Buffer } {
  const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [];
  if (from === undefined) return { status: 200, bytes };
  return { status: 206, bytes: bytes.subarray(Number(from), Number(to) + 1) };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= BYTES_MAX) chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

type SignatureClaim = { credential: string; signedHeaders: string; signature: string; date: string; payload: string };

function findRequestFault(
  s3: Pick<SmallS3, 'accessKeyId' | 'secretAccessKey' | 'region'>,
  request: IncomingMessage,
  url: URL,
  body: Buffer,
): string | undefined {
  const inAddress = url.searchParams.has('X-Amz-Signature');
  const claim = inAddress ? claimOfAddress(url) : claimFromHeader(request);
  if (!claim) return 'no signature';
  if (!inAddress && claim.payload !== sha256Hex(body)) return 'another body';
  const [id = '', dateText = '', ...scope] = claim.credential.split('/');
  if (id !== s3.accessKeyId || scope.join('/') !== `${s3.region}/s3/aws4_request`) return 'another credential';
  const signedAtMs = Date.parse(claim.date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  const lifeMs = inAddress ? Number(url.searchParams.get('X-Amz-Expires')) * 1000 : CLOCK_APART_MS_MAX;
  if (!(Date.now() - signedAtMs <= lifeMs) || signedAtMs - Date.now() > CLOCK_APART_MS_MAX) return 'expired';
  const canonicalRequest = [
    request.method,
    url.pathname,
    canonicalQuery(url),
    ...claim.signedHeaders.split(';').map((name) => `${name}:${String(request.headers[name] ?? '').trim()}`),
    '',
    claim.signedHeaders,
    claim.payload,
  ].join('\n');
  const textToSign = ['AWS4-HMAC-SHA256', claim.date, [dateText, ...scope].join('/'), sha256Hex(canonicalRequest)].join(
    '\n',
  );
  const key = hmacSha256(
    hmacSha256(hmacSha256(hmacSha256(`AWS4${s3.secretAccessKey}`, dateText), s3.region), 's3'),
    'aws4_request',
  );
  const expected = hmacSha256(key, textToSign);
  const signature = Buffer.from(claim.signature, 'hex');
  return signature.length === expected.length && timingSafeEqual(signature, expected) ? undefined : 'wrong signature';
}

function claimFromHeader(request: IncomingMessage): SignatureClaim | undefined {
  const [, credential = '', signedHeaders = '', signature = ''] =
    /^AWS4-HMAC-SHA256 Credential=([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? '',
    ) ?? [];
  if (signature === '' || !signedHeaders.split(';').includes('host')) return undefined;
  const date = String(request.headers['x-amz-date']);
  return { credential, signedHeaders, signature, date, payload: String(request.headers['x-amz-content-sha256']) };
}

function claimOfAddress({ searchParams }: URL): SignatureClaim {
  const parameterOf = (name: string) => searchParams.get(`X-Amz-${name}`) ?? '';
  return {
    credential: parameterOf('Credential'),
    signedHeaders: parameterOf('SignedHeaders'),
    signature: parameterOf('Signature'),
    date: parameterOf('Date'),
    payload: 'UNSIGNED-PAYLOAD',
  };
}

function canonicalQuery({ searchParams }: URL): string {
  const encodeStrictly = (text: string) =>
    encodeURIComponent(text).replaceAll(
      /[!'()*]/g,
      (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  return [...searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encodeStrictly(name)}=${encodeStrictly(value)}`)
    .toSorted()
    .join('&');
}
