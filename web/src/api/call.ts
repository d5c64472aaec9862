import { IDEMPOTENCY_HEADER, MARKER_HEADER, MARKER_VALUE, REQUEST_TIMEOUT_MS } from '@krapao/contract/constants';
import { isOnline, recordReply, recordNoReply, probe } from '../shell/connection.ts';
import type { CallArguments, CallOptions, EndpointName, Reply } from './types.ts';
import { ApiFailure, failureHandler, type UnmetRequirement } from './errors.ts';
import { takePreloadedReply } from './preloaded.ts';
import { storedToken } from './session.ts';

/** A response, from `fetch` or another transport. */
export type RawResponse = { ok: boolean; status: number; date: string | null; text: string };

/** Sends a request to the server; `fetch` by default. Rejects without a response. */
export type Transport = (
  method: string,
  path: string,
  headers: Headers,
  body: BodyInit | null,
  signal: AbortSignal,
) => Promise<RawResponse>;

type Parts = {
  params?: Record<string, unknown>;
  body?: unknown;
  idempotencyKey?: string;
  carrier?: Transport;
} & CallOptions;

/** Messages that only failures carry: with any status, they end the session or the site. */
const LEAVING: readonly unknown[] = ['gone', 'invalid-token'];

/** Replaces `{name}` in a path by its parameter. */
const fill = (path: string, params: Record<string, unknown> = {}): string =>
  path.replace(/{(\w+)}/g, (_, name: string) => encodeURIComponent(String(params[name])));

function headersOf({ body, idempotencyKey, authorization }: Parts): Headers {
  const headers = new Headers({ accept: 'application/json', [MARKER_HEADER]: MARKER_VALUE });
  const token = storedToken();
  if (authorization) headers.set('authorization', authorization);
  else if (token) headers.set('authorization', `Bearer ${token}`);
  if (body !== undefined && !(body instanceof FormData)) headers.set('content-type', 'application/json');
  if (idempotencyKey) headers.set(IDEMPOTENCY_HEADER, idempotencyKey);
  return headers;
}

/** A signal that aborts when a time limit has passed or another signal aborts. */
type Deadline = { signal: AbortSignal; isExpired: () => boolean; clear: () => void };

/** `AbortSignal.any` needs Safari 17.4 and Chrome 116. @param outer aborts it too, with its own reason */
function deadlineOf(timeoutMs: number, outer?: AbortSignal): Deadline {
  const controller = new AbortController();
  let hasExpired = false;
  const onOuterAbort = (): void => controller.abort(outer?.reason);
  const timer = setTimeout(() => {
    hasExpired = true;
    controller.abort(new DOMException('The time limit has passed', 'TimeoutError'));
  }, timeoutMs);
  outer?.addEventListener('abort', onOuterAbort, { once: true });
  if (outer?.aborted) onOuterAbort();
  return {
    signal: controller.signal,
    isExpired: () => hasExpired,
    clear: () => {
      clearTimeout(timer);
      outer?.removeEventListener('abort', onOuterAbort);
    },
  };
}

/** Sends a request. Throws ApiFailure without a reply; `offline` only if the server certainly did nothing. */
async function send(method: string, path: string, parts: Parts): Promise<RawResponse> {
  // Probes first, so that a command without a connection is certainly unsent.
  if (method !== 'GET' && !navigator.onLine && !(await probe())) throw new ApiFailure('offline', 0);
  const body = parts.body instanceof FormData ? parts.body : JSON.stringify(parts.body);
  const carry = parts.carrier ?? byFetch;
  const deadline = deadlineOf(parts.timeoutMs ?? REQUEST_TIMEOUT_MS, parts.signal);
  try {
    const answer = await carry(method, path, headersOf(parts), body ?? null, deadline.signal);
    syncServerClock(answer.date);
    recordReply();
    return answer;
  } catch (cause) {
    if (parts.signal?.aborted) throw cause;
    recordNoReply();
    if (deadline.isExpired()) throw new ApiFailure('timeout', 0);
    // A GET has no effect: without a connection it counts as unsent.
    throw new ApiFailure(method === 'GET' && !isOnline() ? 'offline' : 'no-answer', 0);
  } finally {
    deadline.clear();
  }
}

/** Sends a request and parses its reply. Throws ApiFailure unless it succeeds. */
async function request(method: string, path: string, parts: Parts): Promise<unknown> {
  const response = await send(method, path, parts);
  if (import.meta.env.DEV) (await import('./contract-check.ts')).checkReply(method, path, response);
  const answer = parse(response.text);
  if (response.ok && answer !== undefined && !isLeaving(answer)) return answer;
  throw failureOf(answer, response);
}

const byFetch: Transport = async (method, path, headers, body, signal) => {
  const response = await (takePreloadedReply(method, path, body, headers) ??
    fetch(path, { method, headers, body, signal }));
  const { ok, status } = response;
  return { ok, status, date: response.headers.get('date'), text: await response.text() };
};

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isLeaving(answer: unknown): boolean {
  const { message } = (answer ?? {}) as Record<string, unknown>;
  return LEAVING.includes(message);
}

/** A response of a proxy (an error page) has no code and counts as a server failure. */
function failureOf(answer: unknown, { status }: RawResponse): ApiFailure {
  const { message, detail, requestId, unmet } = (answer ?? {}) as Record<string, unknown>;
  return new ApiFailure(typeof message === 'string' ? message : 'INTERNAL_SERVER_ERROR', status, {
    ...(typeof detail === 'string' && { detail }),
    ...(typeof requestId === 'string' && { requestId }),
    ...(Array.isArray(unmet) && { unmet: unmet as UnmetRequirement[] }),
  });
}

/**
 * Calls an endpoint of the contract: `await call('POST /api/login', { body })`. Typed by the endpoint; a call that
 * moves money needs an `idempotencyKey` (see `useCommand`).
 * @returns the body of the reply
 * @throws ApiFailure with the server's code; show it with `failureText`
 */
export async function call<N extends EndpointName>(name: N, ...[input]: CallArguments<N>): Promise<Reply<N>> {
  const parts = (input ?? {}) as Parts;
  const [method = 'GET', path = ''] = name.split(' ');
  const token = storedToken();
  const end = parts.quiet ? undefined : beginPending();
  try {
    return (await request(method, fill(path, parts.params), parts)) as Reply<N>;
  } catch (failure) {
    if (failure instanceof ApiFailure)
      await failureHandler?.onFailure(failure, token, parts.authorization !== undefined);
    throw failure;
  } finally {
    end?.();
  }
}

/** How far the phone's clock is behind the server's, in ms, from the last reply. */
let behindMs = 0;

/** The header's resolution is one second; a difference below two is not corrected. */
const TOLERANCE_MS = 2_000;

/** Reads the Date header of a reply. */
export function syncServerClock(date: string | null): void {
  const serverMs = Date.parse(date ?? '');
  if (Number.isNaN(serverMs)) return;
  const difference = serverMs - Date.now();
  behindMs = Math.abs(difference) > TOLERANCE_MS ? difference : 0;
}

/** The server's time in ms. Deadlines use it because phone clocks are often wrong. */
export const serverNow = (): number => Date.now() + behindMs;

/** Number of calls that show the loader. */
let pending = 0;
const listeners = new Set<() => void>();

const change = (by: number): void => {
  pending += by;
  for (const listener of listeners) listener();
};

/** Counts a call until the returned function is called. */
export function beginPending(): () => void {
  change(1);
  let ended = false;
  return () => {
    if (ended) return;
    ended = true;
    change(-1);
  };
}

export const pendingCalls = (): number => pending;

export function onPendingChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
