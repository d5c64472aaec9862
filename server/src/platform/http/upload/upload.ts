import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NoPlace, type UploadPlace } from './upload-admission.ts';

/**
 * Why no file came. NO_FILE: none was sent. TOO_LARGE, SEVERAL, MALFORMED: what was sent can't be taken. TOO_SLOW,
 * BROKEN_OFF: it did not come to an end.
 */
export type UploadFault = 'NO_FILE' | 'TOO_LARGE' | 'SEVERAL' | 'MALFORMED' | 'TOO_SLOW' | 'BROKEN_OFF';

export class UploadFailed extends Error {
  override readonly name = 'UploadFailed';
  readonly fault: UploadFault;

  constructor(fault: UploadFault, options: { cause?: unknown } = {}) {
    super(fault, options);
    this.fault = fault;
  }
}

/** How long an upload may take, in ms, and how little of it may come in each window before it is given up. */
export type UploadPatience = { wholeMs: number; windowMs: number; bytesPerWindow: number };

/** Beside the file a form may carry this much: boundaries, headers, a few fields. */
const OVERHEAD_BYTES_MAX = 64 * 1024;
const LIMITS = { fieldNameSize: 100, fieldSize: 1024, fields: 8, files: 1, parts: 9, headerPairs: 32 };
/** How long a client that is refused has to read why, before its connection is closed. */
const LINGER_MS = 1_000;
/** How often an upload is looked at in each window of its patience, and over how many looks its speed is taken. */
const LOOKS = 15;
const SPEED_LOOKS = 5;

const FAULTS: Readonly<Record<string, UploadFault>> = {
  FST_FILES_LIMIT: 'SEVERAL',
  FST_MP_PREMATURE_CLOSE: 'BROKEN_OFF',
};

/**
 * A scope in which a route takes a form with a file. The handler runs before the body is read, so that it can turn an
 * upload away unread; whatever is no form is left unread as well.
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
 * Ends the connection of an upload that is answered before all of it came. Node would otherwise read on for as long as
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
 * Reads the one file of a form into memory, never more than `bytesMax` of it. Its name and the type that it claims are
 * not looked at.
 * @param options.place when it is given to another upload: TOO_SLOW
 * @throws {UploadFailed}
 * @throws {NoPlace}
 */
export async function receiveFile(
  request: FastifyRequest,
  options: { field: string; bytesMax: number; place: UploadPlace },
): Promise<Buffer> {
  if (!request.isMultipart()) throw new UploadFailed('NO_FILE');
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > options.bytesMax + OVERHEAD_BYTES_MAX) throw new UploadFailed('TOO_LARGE');
  const watch = watchArrival(request, options.place, options.bytesMax + OVERHEAD_BYTES_MAX);
  try {
    return await Promise.race([readForm(request, options), watch.failed]);
  } catch (error) {
    if (error instanceof UploadFailed || error instanceof NoPlace) throw error;
    throw new UploadFailed(FAULTS[(error as { code?: string }).code ?? ''] ?? faultOf(request), { cause: error });
  } finally {
    watch.stop();
  }
}

// The connection ended before the form did, or the form is none.
const faultOf = (request: FastifyRequest): UploadFault =>
  request.raw.destroyed && !request.raw.complete ? 'BROKEN_OFF' : 'MALFORMED';

async function readForm(
  request: FastifyRequest,
  { field, bytesMax, place }: { field: string; bytesMax: number; place: UploadPlace },
): Promise<Buffer> {
  let found: Buffer | undefined;
  for await (const part of request.parts({ limits: { ...LIMITS, fileSize: bytesMax } })) {
    if (part.type !== 'file') continue;
    const { file } = part;
    // At the first byte too many, not at the end of whatever is being sent.
    file.once('limit', () => file.destroy(new UploadFailed('TOO_LARGE')));
    const chunks: Buffer[] = [];
    for await (const chunk of file as AsyncIterable<Buffer>) {
      place.hold(chunk.length);
      chunks.push(chunk);
    }
    if (part.fieldname === field) found = Buffer.concat(chunks);
  }
  if (found === undefined || found.length === 0) throw new UploadFailed('NO_FILE');
  return found;
}

/**
 * Fails an upload that takes too long, trickles, never ends or loses its place, and tells its place how fast it is. Counts
 * what comes through the connection, so that it sees what no parser tells of.
 */
function watchArrival(request: FastifyRequest, place: UploadPlace, bytesMax: number) {
  const { socket } = request.raw;
  const { wholeMs, windowMs, bytesPerWindow } = request.server.uploadPatience;
  const begin = socket.bytesRead;
  // Bytes at each look of the last window, oldest first.
  const looks = [begin];
  let count = 0;
  let fail: (error: UploadFailed) => void = () => {};
  const failed = new Promise<never>((_, reject) => {
    fail = reject;
  });
  // Nobody may be waiting for it any more when it fails.
  failed.catch(() => {});
  const giveUp = () => fail(new UploadFailed('TOO_SLOW'));
  place.signal.addEventListener('abort', giveUp, { once: true });
  const timer = setInterval(() => {
    count += 1;
    const now = socket.bytesRead;
    const since = (back: number) => now - (looks.at(-back) ?? begin);
    if (count >= SPEED_LOOKS) place.rate(since(SPEED_LOOKS));
    if (now - begin > bytesMax) fail(new UploadFailed('TOO_LARGE'));
    else if (count >= LOOKS && since(LOOKS) < bytesPerWindow) giveUp();
    else if ((count * windowMs) / LOOKS >= wholeMs) giveUp();
    looks.push(now);
    if (looks.length > LOOKS) looks.shift();
  }, windowMs / LOOKS);
  const stop = () => {
    clearInterval(timer);
    place.rate(undefined);
    place.signal.removeEventListener('abort', giveUp);
  };
  return { failed, stop };
}
