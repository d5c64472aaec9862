import { callOutside, OutboundFailure, type OutboundRequest } from '../../platform/http/outbound.ts';

/** `unsent`: the call had no effect. `unknown`: the call may have had an effect. */
export type JsonReply = { outcome: 'answered'; body: unknown } | { outcome: 'unsent' | 'unknown'; reason: string };

const ANSWERED_STATUS = 200;

/**
 * Calls and parses JSON. Never throws on failures of the counterparty.
 * @param request its `timeoutMs` bounds the whole call, including the body of the reply
 * @returns `answered` only for HTTP 200 with a JSON body; anything else proves nothing
 */
export async function callForJson(request: OutboundRequest): Promise<JsonReply> {
  try {
    const reply = await callOutside({ ...request, headers: { accept: 'application/json', ...request.headers } });
    if (reply.status !== ANSWERED_STATUS) return { outcome: 'unknown', reason: `HTTP ${reply.status}` };
    return { outcome: 'answered', body: JSON.parse(reply.text) as unknown };
  } catch (error) {
    if (error instanceof OutboundFailure) return { outcome: error.outcome, reason: error.message };
    if (error instanceof SyntaxError) return { outcome: 'unknown', reason: 'reply is not JSON' };
    throw error;
  }
}

/** Posts JSON and reads JSON. */
export function callJson(url: string, body: unknown, timeoutMs: number): Promise<JsonReply> {
  const headers = { 'content-type': 'application/json' };
  return callForJson({ method: 'POST', url, headers, body: JSON.stringify(body), timeoutMs });
}

/**
 * `done`: HTTP 200. `refused`: a documented refusal, without effect. `unsent`: the call was not sent. `unknown`: the
 * call may have had an effect.
 */
export type RestReply =
  | { outcome: 'done'; body: unknown }
  | { outcome: 'refused'; status: number; body: unknown }
  | { outcome: 'unsent' | 'unknown'; reason: string };

const DONE_STATUS = 200;
/** Without 408 and 429, which come from a proxy: the call may still arrive. */
const REFUSAL_STATUSES = new Set([400, 401, 403, 404, 409, 422]);

/** Makes a JSON call whose HTTP status is the outcome. Never throws on failures of the counterparty. */
export async function callRest(
  request: Omit<OutboundRequest, 'body'> & { body?: object | undefined },
): Promise<RestReply> {
  const { body, headers, ...requestOptions } = request;
  try {
    const reply = await callOutside({
      ...requestOptions,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (reply.status !== DONE_STATUS && !REFUSAL_STATUSES.has(reply.status)) {
      return { outcome: 'unknown', reason: `HTTP ${reply.status}` };
    }
    const parsedBody = JSON.parse(reply.text) as unknown;
    return reply.status === DONE_STATUS
      ? { outcome: 'done', body: parsedBody }
      : { outcome: 'refused', status: reply.status, body: parsedBody };
  } catch (error) {
    if (error instanceof OutboundFailure) return { outcome: error.outcome, reason: error.message };
    if (error instanceof SyntaxError) return { outcome: 'unknown', reason: 'reply is not JSON' };
    throw error;
  }
}
