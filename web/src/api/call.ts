import { IDEMPOTENCY_HEADER, MARKER_HEADER, MARKER_VALUE, REQUEST_TIMEOUT_MS } from '@krapao/contract/constants';
import { isOnline, recordReply, recordNoReply, probe } from '../browser/connection.ts';
import { createListeners } from '../browser/listeners.ts';
import { ApiFailure, failureHandler, type UnmetRequirement } from './errors.ts';
import { takePreloadedReply } from './preloaded.ts';
import { storedToken } from './session.ts';
import type { CallArguments, CallOptions, EndpointName, Reply } from './types.ts';

/** Response of `fetch` or of another transport. */
export type RawResponse = { ok: boolean; status: number; date: string | null; text: string };

/** Sends a request to the server. The default transport uses `fetch`. Rejects if there is no response. */
export type Transport = (
  method: string,
  path: string,
  headers: Headers,
  body: BodyInit | null,
  signal: AbortSignal,
) => Promise<RawResponse>;

type RequestParts = {
  params?: Record<string, unknown>;
  body?: unknown;
  idempotencyKey?: string;
  transport?: Transport;
} & CallOptions;

/** Messages that end the session or close the site, whatever the HTTP status. */
const LEAVING_MESSAGES: readonly unknown[] = ['gone', 'invalid-token'];

/** Replaces each `{name}` in a path by the parameter's value. */
const fillPath = (path: string, params: Record<string, unknown> = {}): string =>
  path.replace(/{(\w+)}/g, (_, name: string) => encodeURIComponent(String(params[name])));

function headersOf({ body, idempotencyKey, authorization }: RequestParts): Headers {
  const headers = new Headers({ accept: 'application/json', [MARKER_HEADER]: MARKER_VALUE });
  const token = storedToken();
  if (authorization) headers.set('authorization', authorization);
  else if (token) headers.set('authorization', `Bearer ${token}`);
  if (body !== undefined && !(body instanceof FormData)) headers.set('content-type', 'application/json');
  if (idempotencyKey) headers.set(IDEMPOTENCY_HEADER, idempotencyKey);
  return headers;
}

/** Signal that aborts after a time limit or when another signal aborts. */
type Deadline = { signal: AbortSignal; isExpired: () => boolean; clear: () => void };

/**
 * Replaces `AbortSignal.any`, which needs Safari 17.4 or Chrome 116. @param outerSignal also aborts the signal, with
 * its own reason
 */
function deadlineOf(timeoutMs: number, outerSignal?: AbortSignal): Deadline {
  const controller = new AbortController();
  let hasExpired = false;
  const onOuterAbort = (): void => controller.abort(outerSignal?.reason);
  const timer = setTimeout(() => {
    hasExpired = true;
    controller.abort(new DOMException('The time limit has passed', 'TimeoutError'));
  }, timeoutMs);
  outerSignal?.addEventListener('abort', onOuterAbort, { once: true });
  if (outerSignal?.aborted) onOuterAbort();
  return {
    signal: controller.signal,
    isExpired: () => hasExpired,
    clear: () => {
      clearTimeout(timer);
      outerSignal?.removeEventListener('abort', onOuterAbort);
    },
  };
}

/**
 * Sends a request. Throws ApiFailure if there is no response; `offline` only if the server certainly received nothing.
 */
async function sendRequest(method: string, path: string, parts: RequestParts): Promise<RawResponse> {
  // Probes the connection before sending, so that a command without a connection is certainly unsent.
  if (method !== 'GET' && !navigator.onLine && !(await probe())) throw new ApiFailure('offline', 0);
  const body = parts.body instanceof FormData ? parts.body : JSON.stringify(parts.body);
  const transport = parts.transport ?? fetchTransport;
  const deadline = deadlineOf(parts.timeoutMs ?? REQUEST_TIMEOUT_MS, parts.signal);
  try {
    const response = await transport(method, path, headersOf(parts), body ?? null, deadline.signal);
    syncServerClock(response.date);
    recordReply();
    return response;
  } catch (cause) {
    if (parts.signal?.aborted) throw cause;
    recordNoReply();
    if (deadline.isExpired()) throw new ApiFailure('timeout', 0);
    // A GET request changes nothing on the server, so without a connection it counts as unsent.
    throw new ApiFailure(method === 'GET' && !isOnline() ? 'offline' : 'no-answer', 0);
  } finally {
    deadline.clear();
  }
}

/** Sends a request and parses its reply. Throws ApiFailure if the status isn't a success. */
async function requestReply(method: string, path: string, parts: RequestParts): Promise<unknown> {
  const response = await sendRequest(method, path, parts);
  if (import.meta.env.DEV) (await import('./contract-check.ts')).checkReply(method, path, response);
  const reply = parseJson(response.text);
  if (response.ok && reply !== undefined && !isLeavingReply(reply)) return reply;
  throw failureOf(reply, response);
}

const fetchTransport: Transport = async (method, path, headers, body, signal) => {
  const response = await (takePreloadedReply(method, path, body, headers) ??
    fetch(path, { method, headers, body, signal }));
  const { ok, status } = response;
  return { ok, status, date: response.headers.get('date'), text: await response.text() };
};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isLeavingReply(reply: unknown): boolean {
  const { message } = (reply ?? {}) as Record<string, unknown>;
  return LEAVING_MESSAGES.includes(message);
}

/** An error page of a proxy has no error code and counts as a server failure. */
function failureOf(reply: unknown, { status }: RawResponse): ApiFailure {
  const { message, detail, requestId, reference, unmet } = (reply ?? {}) as Record<string, unknown>;
  return new ApiFailure(typeof message === 'string' ? message : 'INTERNAL_SERVER_ERROR', status, {
    ...(typeof detail === 'string' && { detail }),
    ...(typeof requestId === 'string' && { requestId }),
    ...(typeof reference === 'string' && { reference }),
    ...(Array.isArray(unmet) && { unmet: unmet as UnmetRequirement[] }),
  });
}

/**
 * Calls an endpoint of the contract: `await call('POST /api/login', { body })`. Typed by the endpoint; a call that
 * moves money needs an `idempotencyKey` (see `useCommand`).
 * @returns the body of the reply
 * @throws ApiFailure with the server's error code; display it with `failureText`
 */
export async function call<N extends EndpointName>(name: N, ...[input]: CallArguments<N>): Promise<Reply<N>> {
  const parts = (input ?? {}) as RequestParts;
  const [method = 'GET', path = ''] = name.split(' ');
  const token = storedToken();
  const endPending = parts.quiet ? undefined : beginPending();
  const endCommand = method === 'GET' ? undefined : beginCommand();
  try {
    return (await requestReply(method, fillPath(path, parts.params), parts)) as Reply<N>;
  } catch (failure) {
    if (failure instanceof ApiFailure)
      await failureHandler?.onFailure(failure, token, parts.authorization !== undefined);
    throw failure;
  } finally {
    endPending?.();
    endCommand?.();
  }
}

/** Difference between server time and device time in ms, from the last reply. */
let behindMs = 0;

/** Smallest corrected difference, because the Date header has a resolution of one second. */
const CLOCK_TOLERANCE_MS = 2_000;

/** Updates the clock difference from the Date header of a reply. */
export function syncServerClock(date: string | null): void {
  const serverMs = Date.parse(date ?? '');
  if (Number.isNaN(serverMs)) return;
  const differenceMs = serverMs - Date.now();
  behindMs = Math.abs(differenceMs) > CLOCK_TOLERANCE_MS ? differenceMs : 0;
}

/** Current server time in ms. Deadlines use it because device clocks are often wrong. */
export const serverNow = (): number => Date.now() + behindMs;

/** Number of pending calls that show the loader. */
let pendingCount = 0;
const pendingChanges = createListeners();

const changePendingCount = (countDifference: number): void => {
  pendingCount += countDifference;
  pendingChanges.notify();
};

/** Counts a call as pending until the returned function is called. */
export function beginPending(): () => void {
  changePendingCount(1);
  let hasEnded = false;
  return () => {
    if (hasEnded) return;
    hasEnded = true;
    changePendingCount(-1);
  };
}

/** Number of requests in flight that may change something, including quiet ones. */
let commandCount = 0;

function beginCommand(): () => void {
  commandCount += 1;
  changePendingCount(0);
  return () => {
    commandCount -= 1;
    changePendingCount(0);
  };
}

/** Whether a reload would interrupt a visible call or a command. */
export const hasRequestInFlight = (): boolean => pendingCount > 0 || commandCount > 0;

export const pendingCalls = (): number => pendingCount;

export const onPendingChange = pendingChanges.subscribe;

/** 128 random bits as 32 hex digits. `crypto.randomUUID` is unavailable on plain http. */
export const randomId = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
