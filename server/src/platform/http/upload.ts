import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NoUploadSlot, type UploadSlot } from './upload-admission.ts';

/**
 * Why no file came. NO_FILE: none was sent. TOO_LARGE, SEVERAL, MALFORMED: what was sent can't be accepted. TOO_SLOW,
 * BROKEN_OFF: it was not completed.
 */
export type UploadError = 'NO_FILE' | 'TOO_LARGE' | 'SEVERAL' | 'MALFORMED' | 'TOO_SLOW' | 'BROKEN_OFF';

export class UploadFailed extends Error {
  override readonly name = 'UploadFailed';
  readonly fault: UploadError;

  constructor(fault: UploadError, options: { cause?: unknown } = {}) {
    super(fault, options);
    this.fault = fault;
  }
}

/** How long an upload may take, in ms, and how few bytes per window are tolerated before it is aborted. */
export type UploadTimeouts = { wholeMs: number; windowMs: number; bytesPerWindow: number };

/** Maximum size of a form without the file: boundaries, headers, a few fields. */
const OVERHEAD_BYTES_MAX = 64 * 1024;
const LIMITS = { fieldNameSize: 100, fieldSize: 1024, fields: 8, files: 1, parts: 9, headerPairs: 32 };
/** How long a refused client has to read the answer before its connection is closed. */
const LINGER_MS = 1_000;
/** How often an upload is checked in each window, and over how many checks its speed is averaged. */
const CHECKS = 15;
const SPEED_CHECKS = 5;

const FAULTS: Readonly<Record<string, UploadError>> = {
  FST_FILES_LIMIT: 'SEVERAL',
  FST_MP_PREMATURE_CLOSE: 'BROKEN_OFF',
};

/**
 * A scope in which a route takes a form with a file. The handler runs before the body is read, so that it can turn an
 * upload away unread; a body that is no form is left unread as well.
 */
export function uploadScope(app: FastifyInstance, serve: (scope: FastifyInstance) => void): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    await scope.register(multipart, { limits: LIMITS, throwFileSizeLimit: false });
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.addHook('onSend', async (request, reply) => {
      if (!request.raw.complete) closeAfterAnswer(request, reply);
    });
    serve(scope);
  });
}

/**
 * Ends the connection of an upload that is answered before it is complete. Node would otherwise read on for as long as
 * the client sends, or destroy the connection with the answer: a reset may reach the client before it has read why.
 */
function closeAfterAnswer({ raw }: FastifyRequest, reply: FastifyReply): void {
  const { socket } = raw;
  void reply.header('connection', 'close');
  socket.destroySoon = () => {
    socket.end();
    raw.unpipe();
    raw.resume();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
}

/**
 * Reads the one file of a form into memory, never more than `bytesMax` of it. Its file name and declared type are
 * ignored.
 * @param options.slot the slot; TOO_SLOW when it is given to another upload
 * @throws {UploadFailed}
 * @throws {NoUploadSlot}
 */
export async function receiveFile(
  request: FastifyRequest,
  options: { field: string; bytesMax: number; slot: UploadSlot },
): Promise<Buffer> {
  // A parser of a connection that has ended waits for its end for ever.
  if (request.raw.destroyed && !request.raw.complete) throw new UploadFailed('BROKEN_OFF');
  if (!request.isMultipart()) throw new UploadFailed('NO_FILE');
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > options.bytesMax + OVERHEAD_BYTES_MAX) throw new UploadFailed('TOO_LARGE');
  const watch = watchArrival(request, options.slot, options.bytesMax + OVERHEAD_BYTES_MAX);
  try {
    return await Promise.race([readForm(request, options), watch.failed]);
  } catch (error) {
    if (error instanceof UploadFailed || error instanceof NoUploadSlot) throw error;
    throw new UploadFailed(FAULTS[(error as { code?: string }).code ?? ''] ?? faultOf(request), { cause: error });
  } finally {
    watch.stop();
  }
}

// The connection ended before the form did, or the form is malformed.
const faultOf = (request: FastifyRequest): UploadError =>
  request.raw.destroyed && !request.raw.complete ? 'BROKEN_OFF' : 'MALFORMED';

async function readForm(
  request: FastifyRequest,
  { field, bytesMax, slot }: { field: string; bytesMax: number; slot: UploadSlot },
): Promise<Buffer> {
  let found: Buffer | undefined;
  for await (const part of request.parts({ limits: { ...LIMITS, fileSize: bytesMax } })) {
    if (part.type !== 'file') continue;
    const { file } = part;
    // At the first byte too many, not at the end of the body.
    file.once('limit', () => file.destroy(new UploadFailed('TOO_LARGE')));
    const chunks: Buffer[] = [];
    for await (const chunk of file as AsyncIterable<Buffer>) {
      slot.hold(chunk.length);
      chunks.push(chunk);
    }
    if (part.fieldname === field) found = Buffer.concat(chunks);
  }
  if (found === undefined || found.length === 0) throw new UploadFailed('NO_FILE');
  return found;
}

/**
 * Fails an upload that takes too long, trickles, never ends or loses its slot, and reports its speed to the slot.
 * Counts the bytes of the connection, because parsers don't report all of them.
 */
function watchArrival(request: FastifyRequest, slot: UploadSlot, bytesMax: number) {
  const { socket } = request.raw;
  const { wholeMs, windowMs, bytesPerWindow } = request.server.uploadTimeouts;
  const begin = socket.bytesRead;
  // Bytes at each check of the last window, oldest first.
  const looks = [begin];
  let count = 0;
  let fail: (error: UploadFailed) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  // It may fail after its caller has stopped waiting.
  failed.catch(() => {});
  const failTooSlow = () => fail(new UploadFailed('TOO_SLOW'));
  slot.signal.addEventListener('abort', failTooSlow, { once: true });
  const timer = setInterval(() => {
    count += 1;
    const now = socket.bytesRead;
    const since = (back: number) => now - (looks.at(-back) ?? begin);
    if (count >= SPEED_CHECKS) slot.rate(since(SPEED_CHECKS));
    if (now - begin > bytesMax) fail(new UploadFailed('TOO_LARGE'));
    else if (count >= CHECKS && since(CHECKS) < bytesPerWindow) failTooSlow();
    else if ((count * windowMs) / CHECKS >= wholeMs) failTooSlow();
    looks.push(now);
    if (looks.length > CHECKS) looks.shift();
  }, windowMs / CHECKS);
  const stop = () => {
    clearInterval(timer);
    slot.rate(undefined);
    slot.signal.removeEventListener('abort', failTooSlow);
  };
  return { failed, stop };
}
