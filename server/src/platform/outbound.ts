import { assertNoTransaction } from './database.ts';

export type OutboundRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** The exact bytes, because many outside services sign them. */
  body?: string | Buffer;
  timeoutMs: number;
};

export type OutboundReply = { status: number; headers: Headers; text: string };

/** An answer whose body has not been read; the time limit of the call holds for reading it too. */
export type OutboundStream = { status: number; headers: Headers; body: ReadableStream<Uint8Array> | null };

/**
 * Why no answer came. `unsent`: the connection was never made, nothing can have happened there. `unknown`: it may have
 * happened or not (timed out, broke off, more than we read).
 */
export class OutboundFailure extends Error {
  override readonly name = 'OutboundFailure';
  readonly outcome: 'unsent' | 'unknown';

  constructor(outcome: 'unsent' | 'unknown', reason: string, cause?: unknown) {
    super(reason, { cause });
    this.outcome = outcome;
  }
}

const REPLY_BYTES_MAX = 1024 * 1024;
const UNSENT = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Calls something outside. Never inside a database transaction; never follows a redirect; any status is an answer. */
export async function callOutside(request: OutboundRequest): Promise<OutboundReply> {
  return attempt(request, async (signal) => {
    const { status, headers, body } = await send(request, signal);
    return { status, headers, text: await readText(body) };
  });
}

/** The same, for a body that is not a text or not small. Whoever gets it reads or cancels it. */
export async function streamOutside(request: OutboundRequest): Promise<OutboundStream> {
  return attempt(request, (signal) => send(request, signal));
}

async function send(request: OutboundRequest, signal: AbortSignal): Promise<OutboundStream> {
  const { status, headers, body } = await fetch(request.url, {
    method: request.method,
    headers: { ...request.headers },
    ...(request.body === undefined ? {} : { body: request.body as string | Uint8Array<ArrayBuffer> }),
    redirect: 'manual',
    signal,
  });
  return { status, headers, body };
}

async function attempt<T>(request: OutboundRequest, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  assertNoTransaction(`a call to ${new URL(request.url).host}`);
  const signal = AbortSignal.timeout(request.timeoutMs);
  try {
    return await work(signal);
  } catch (error) {
    if (error instanceof OutboundFailure) throw error;
    if (signal.aborted) throw new OutboundFailure('unknown', `no answer within ${request.timeoutMs} ms`, error);
    const cause = (error as { cause?: { code?: string } }).cause;
    const unsent = cause?.code !== undefined && UNSENT.has(cause.code);
    throw new OutboundFailure(unsent ? 'unsent' : 'unknown', cause?.code ?? String(error), error);
  }
}

async function readText(body: OutboundStream['body']): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    if (size > REPLY_BYTES_MAX) throw new OutboundFailure('unknown', 'the answer is too long');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
