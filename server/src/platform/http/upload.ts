import multipart from '@fastify/multipart';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { NoUploadSlot, type UploadSlot } from './upload-admission.ts';

/**
 * Why no file was received. NO_FILE: none was sent. TOO_LARGE, SEVERAL, MALFORMED: the form is not acceptable.
 * TOO_SLOW, BROKEN_OFF: the form is incomplete.
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

/** Maximum duration of an upload, in ms, and minimum bytes per window. */
export type UploadTimeouts = { wholeMs: number; windowMs: number; bytesPerWindow: number };

/** Maximum size of a form without the file: boundaries, headers, a few fields. */
const OVERHEAD_BYTES_MAX = 64 * 1024;
const FORM_LIMITS = { fieldNameSize: 100, fieldSize: 1024, fields: 8, files: 1, parts: 9, headerPairs: 32 };
/** Time for a refused client to read the reply before its connection is closed. */
const LINGER_MS = 1_000;
/** Checks of an upload per window, and the number of checks over which its rate is averaged. */
const ARRIVAL_CHECKS = 15;
const RATE_WINDOW_CHECKS = 5;

const UPLOAD_ERRORS: Readonly<Record<string, UploadError>> = {
  FST_FILES_LIMIT: 'SEVERAL',
  FST_MP_PREMATURE_CLOSE: 'BROKEN_OFF',
};

/**
 * A scope for a route that takes a form with a file. The handler runs before the body is read, so that it can refuse an
 * upload unread. A body that is no form stays unread as well.
 */
export function uploadScope(app: FastifyInstance, serve: (scope: FastifyInstance) => void): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    await scope.register(multipart, { limits: FORM_LIMITS, throwFileSizeLimit: false });
    scope.addContentTypeParser('*', (_request, _payload, done) => done(null));
    scope.addHook('onSend', async (request, reply) => {
      if (!request.raw.complete) closeAfterAnswer(request, reply);
    });
    serve(scope);
  });
}

/**
 * Ends the connection of an upload that got its reply before the body was complete. Node would otherwise read on as
 * long as the client sends, or reset the connection, possibly before the client has read the reply.
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

/** A received form: its file, and its text fields by name. */
export type ReceivedForm = { file: Buffer; fields: ReadonlyMap<string, string> };

/** The file of {@link receiveForm}. */
export const receiveFile = async (...received: Parameters<typeof receiveForm>): Promise<Buffer> =>
  (await receiveForm(...received)).file;

/**
 * Reads a form with a file into memory, the file at most `bytesMax`. Ignores its file name and declared type.
 * @param options.slot the slot; TOO_SLOW when another upload takes it
 * @throws {UploadFailed}
 * @throws {NoUploadSlot}
 */
export async function receiveForm(
  request: FastifyRequest,
  options: { field: string; bytesMax: number; slot: UploadSlot },
): Promise<ReceivedForm> {
  // On an ended connection the parser would wait forever.
  if (request.raw.destroyed && !request.raw.complete) throw new UploadFailed('BROKEN_OFF');
  if (!request.isMultipart()) throw new UploadFailed('NO_FILE');
  const declaredBytes = Number(request.headers['content-length'] ?? 0);
  if (declaredBytes > options.bytesMax + OVERHEAD_BYTES_MAX) throw new UploadFailed('TOO_LARGE');
  const arrivalWatch = watchArrival(request, options.slot, options.bytesMax + OVERHEAD_BYTES_MAX);
  try {
    return await Promise.race([readForm(request, options), arrivalWatch.failed]);
  } catch (error) {
    if (error instanceof UploadFailed || error instanceof NoUploadSlot) throw error;
    throw new UploadFailed(UPLOAD_ERRORS[(error as { code?: string }).code ?? ''] ?? uploadErrorOf(request), {
      cause: error,
    });
  } finally {
    arrivalWatch.stop();
  }
}

// Either the connection ended before the form did, or the form is malformed.
const uploadErrorOf = (request: FastifyRequest): UploadError =>
  request.raw.destroyed && !request.raw.complete ? 'BROKEN_OFF' : 'MALFORMED';

async function readForm(
  request: FastifyRequest,
  { field, bytesMax, slot }: { field: string; bytesMax: number; slot: UploadSlot },
): Promise<ReceivedForm> {
  let fileBytes: Buffer | undefined;
  const fields = new Map<string, string>();
  for await (const formPart of request.parts({ limits: { ...FORM_LIMITS, fileSize: bytesMax } })) {
    if (formPart.type !== 'file') {
      fields.set(formPart.fieldname, String(formPart.value));
      continue;
    }
    const { file } = formPart;
    // Fails at the first byte too many, not at the end of the body.
    file.once('limit', () => file.destroy(new UploadFailed('TOO_LARGE')));
    const chunks: Buffer[] = [];
    for await (const chunk of file as AsyncIterable<Buffer>) {
      slot.hold(chunk.length);
      chunks.push(chunk);
    }
    if (formPart.fieldname === field) fileBytes = Buffer.concat(chunks);
  }
  if (fileBytes === undefined || fileBytes.length === 0) throw new UploadFailed('NO_FILE');
  return { file: fileBytes, fields };
}

/**
 * Fails an upload that takes too long, trickles, never ends or loses its slot, and reports its rate to the slot. Counts
 * the bytes of the connection, because parsers don't report all of them.
 */
function watchArrival(request: FastifyRequest, slot: UploadSlot, bytesMax: number) {
  const { socket } = request.raw;
  const { wholeMs, windowMs, bytesPerWindow } = request.server.uploadTimeouts;
  const startBytes = socket.bytesRead;
  // Byte counts at each check of the last window, oldest first.
  const byteCounts = [startBytes];
  let checkCount = 0;
  let fail: (error: UploadFailed) => void = () => {};
  const failure = new Promise<never>((_, reject) => {
    fail = reject;
  });
  // The promise may reject after its caller has stopped waiting.
  failure.catch(() => {});
  const failTooSlow = () => fail(new UploadFailed('TOO_SLOW'));
  slot.signal.addEventListener('abort', failTooSlow, { once: true });
  const timer = setInterval(() => {
    checkCount += 1;
    const receivedBytes = socket.bytesRead;
    const bytesSince = (checksBack: number) => receivedBytes - (byteCounts.at(-checksBack) ?? startBytes);
    if (checkCount >= RATE_WINDOW_CHECKS) slot.rate(bytesSince(RATE_WINDOW_CHECKS));
    if (receivedBytes - startBytes > bytesMax) fail(new UploadFailed('TOO_LARGE'));
    else if (checkCount >= ARRIVAL_CHECKS && bytesSince(ARRIVAL_CHECKS) < bytesPerWindow) failTooSlow();
    else if ((checkCount * windowMs) / ARRIVAL_CHECKS >= wholeMs) failTooSlow();
    byteCounts.push(receivedBytes);
    if (byteCounts.length > ARRIVAL_CHECKS) byteCounts.shift();
  }, windowMs / ARRIVAL_CHECKS);
  const stop = () => {
    clearInterval(timer);
    slot.rate(undefined);
    slot.signal.removeEventListener('abort', failTooSlow);
  };
  return { failed: failure, stop };
}
