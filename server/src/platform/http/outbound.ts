import { channel } from 'node:diagnostics_channel';
import { Agent, buildConnector, type Dispatcher, request as http } from 'undici';
import { monotonicMs } from '../time.ts';
import { assertNoTransaction } from '../database/database.ts';
import { storableText } from '../storable-text.ts';
import { traceCall } from './tracing.ts';

export type OutboundRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  url: string;
  headers?: Readonly<Record<string, string>>;
  /** The exact bytes, because many outside services sign them. */
  body?: string | Buffer;
  timeoutMs: number;
};

export type OutboundReply = { status: number; text: string };

/** An answer whose body has not been read; the timeout of the call covers reading it too. */
export type OutboundStream = Pick<Dispatcher.ResponseData, 'headers' | 'body'> & { status: number };

/**
 * Why no answer came. `unsent`: no connection was established, so nothing can have happened there. `unknown`: the call
 * may or may not have taken effect (timed out, connection lost, answer too large).
 */
export class OutboundFailure extends Error {
  override readonly name = 'OutboundFailure';
  readonly outcome: 'unsent' | 'unknown';

  constructor(outcome: 'unsent' | 'unknown', reason: string, cause?: unknown) {
    super(reason, { cause });
    this.outcome = outcome;
  }
}

/** Channel of `node:diagnostics_channel` on which the end of every call is published. */
export const OUTBOUND_CALLS = 'krapao:outbound-call';
export type OutboundCall = {
  url: string;
  /** `failed`: a status of 500 or above. */
  outcome: 'answered' | 'failed' | OutboundFailure['outcome'];
  seconds: number;
};

const calls = channel(OUTBOUND_CALLS);
const SERVER_ERROR = 500;
/** Enough for a page with a one-megabyte line; a larger reply is an error. */
const REPLY_BYTES_MAX = 4 * 1024 * 1024;
const REASON_CHARACTERS_MAX = 500;

/** No connection was established: unknown host, connection refused, failed TLS handshake, invalid certificate. */
class NeverConnected extends Error {
  override readonly name = 'NeverConnected';
}

// A call is written only to an established connection, and never to a second one: HTTP/2 would allow a written call to
// be retried automatically. So any failure while connecting is proof that nothing was sent.
const connect = buildConnector({ allowH2: false });
const agent = new Agent({
  allowH2: false,
  connect: (options, tell) =>
    connect(options, (...[error, socket]) => {
      if (error) tell(new NeverConnected(reasonOf(error), { cause: error }), null);
      else tell(null, socket);
    }),
});

/** Some services refuse callers without a user agent; and without Accept-Encoding nothing has to be decompressed. */
const DEFAULT_HEADERS = { 'user-agent': 'krapao', 'accept-encoding': 'identity' };

/** Calls something outside. Never inside a database transaction; never follows a redirect; any status is an answer. */
export async function callOutside(request: OutboundRequest): Promise<OutboundReply> {
  return attempt(request, async (...how) => {
    const { status, body } = await send(request, ...how);
    return { status, text: await readText(body) };
  });
}

/** The same, for a body that is binary or large. The caller reads or dumps it. */
export async function streamOutside(request: OutboundRequest): Promise<OutboundStream> {
  return attempt(request, (...how) => send(request, ...how));
}

// Not `fetch`: at 350 µs of CPU per call it was the most expensive part of a provider call; this takes 75 µs.
async function send(
  request: OutboundRequest,
  signal: AbortSignal,
  trace: Readonly<Record<string, string>>,
): Promise<OutboundStream> {
  const { statusCode, headers, body } = await http(request.url, {
    method: request.method,
    headers: { ...DEFAULT_HEADERS, ...trace, ...request.headers },
    body: request.body ?? null,
    signal,
    dispatcher: agent,
  });
  return { status: statusCode, headers, body };
}

/** Makes the call, with the headers of its trace. */
type Work<T> = (signal: AbortSignal, trace: Readonly<Record<string, string>>) => Promise<T>;

async function attempt<T extends { status: number }>(request: OutboundRequest, work: Work<T>): Promise<T> {
  const { host } = new URL(request.url);
  assertNoTransaction(`a call to ${host}`);
  const startedMs = monotonicMs();
  const { headers, span } = traceCall();
  const publish = (outcome: OutboundCall['outcome'], status?: number): void => {
    calls.publish({ url: request.url, outcome, seconds: (monotonicMs() - startedMs) / 1000 } satisfies OutboundCall);
    const attributes = { 'http.request.method': request.method, 'server.address': host, 'krapao.outcome': outcome };
    span?.end(
      `${request.method} ${host}`,
      { ...attributes, ...(status !== undefined && { 'http.response.status_code': status }) },
      outcome !== 'answered',
    );
  };
  try {
    const reply = await ask(request, (signal) => work(signal, headers));
    publish(reply.status < SERVER_ERROR ? 'answered' : 'failed', reply.status);
    return reply;
  } catch (error) {
    publish(error instanceof OutboundFailure ? error.outcome : 'unknown');
    throw error;
  }
}

async function ask<T>(request: OutboundRequest, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
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

const reasonOf = (error: unknown): string =>
  storableText((error as { code?: string }).code ?? String(error), REASON_CHARACTERS_MAX);

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
