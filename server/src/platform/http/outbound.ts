import { Agent, buildConnector, type Dispatcher, request as http } from 'undici';
import { assertNoTransaction } from '../database/database.ts';

export type OutboundRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** The exact bytes, because many outside services sign them. */
  body?: string | Buffer;
  timeoutMs: number;
};

export type OutboundReply = { status: number; text: string };

/** An answer whose body has not been read; the time limit of the call holds for reading it too. */
export type OutboundStream = Pick<Dispatcher.ResponseData, 'headers' | 'body'> & { status: number };

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

/** No connection came about, whatever the reason: no name, nobody there, no secure greeting, a certificate that fails. */
class NeverConnected extends Error {
  override readonly name = 'NeverConnected';
}

// A call is written to a connection that is complete, and never to a second one: HTTP/2 would let a call that was already
// written be given back and sent again by itself. So whatever fails while connecting is proof that nothing was sent.
const connect = buildConnector({ allowH2: false });
const agent = new Agent({
  allowH2: false,
  connect: (options, tell) =>
    connect(options, (...[error, socket]) => {
      if (error) tell(new NeverConnected(reasonOf(error), { cause: error }), null);
      else tell(null, socket);
    }),
});

/** Services refuse callers without a name; and what isn't asked for compressed needn't be unpacked. */
const MANNERS = { 'user-agent': 'krapao', 'accept-encoding': 'identity' };

/** Calls something outside. Never inside a database transaction; never follows a redirect; any status is an answer. */
export async function callOutside(request: OutboundRequest): Promise<OutboundReply> {
  return attempt(request, async (signal) => {
    const { status, body } = await send(request, signal);
    return { status, text: await readText(body) };
  });
}

/** The same, for a body that is not a text or not small. Whoever gets it reads or dumps it. */
export async function streamOutside(request: OutboundRequest): Promise<OutboundStream> {
  return attempt(request, (signal) => send(request, signal));
}

// Not `fetch`: at 350 µs of processor a call it was the dearest part of asking a provider; this takes 75 µs.
async function send(request: OutboundRequest, signal: AbortSignal): Promise<OutboundStream> {
  const { statusCode, headers, body } = await http(request.url, {
    method: request.method,
    headers: { ...MANNERS, ...request.headers },
    body: request.body ?? null,
    signal,
    dispatcher: agent,
  });
  return { status: statusCode, headers, body };
}

async function attempt<T>(request: OutboundRequest, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  assertNoTransaction(`a call to ${new URL(request.url).host}`);
  const signal = AbortSignal.timeout(request.timeoutMs);
  try {
    return await work(signal);
  } catch (error) {
    if (error instanceof OutboundFailure) throw error;
    if (error instanceof NeverConnected) throw new OutboundFailure('unsent', error.message, error);
    if (signal.aborted) throw new OutboundFailure('unknown', `no answer within ${request.timeoutMs} ms`, error);
    throw new OutboundFailure('unknown', reasonOf(error), error);
  }
}

const reasonOf = (error: unknown): string => (error as { code?: string }).code ?? String(error);

async function readText(body: OutboundStream['body']): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.byteLength;
    if (size > REPLY_BYTES_MAX) throw new OutboundFailure('unknown', 'the answer is too long');
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
