import { callOutside, OutboundFailure, type OutboundRequest } from '../../platform/http/outbound.ts';

/**
 * `done`: HTTP 200. `refused`: a documented refusal, without effect. `unsent`: the call was never sent. `unknown`: it
 * may have had an effect.
 */
export type RestAnswer =
  | { outcome: 'done'; body: unknown }
  | { outcome: 'refused'; status: number; body: unknown }
  | { outcome: 'unsent' | 'unknown'; reason: string };

const DONE = 200;
/** 408 and 429 are not among them: they come from a proxy, and the call may still arrive. */
const REFUSALS = new Set([400, 401, 403, 404, 409, 422]);

/** Makes a JSON call whose HTTP status is the outcome. Never throws on failures of the other side. */
export async function callRest(
  request: Omit<OutboundRequest, 'body'> & { body?: object | undefined },
): Promise<RestAnswer> {
  const { body, headers, ...rest } = request;
  try {
    const reply = await callOutside({
      ...rest,
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    if (reply.status !== DONE && !REFUSALS.has(reply.status)) {
      return { outcome: 'unknown', reason: `HTTP ${reply.status}` };
    }
    const answer = JSON.parse(reply.text) as unknown;
    return reply.status === DONE
      ? { outcome: 'done', body: answer }
      : { outcome: 'refused', status: reply.status, body: answer };
  } catch (error) {
    if (error instanceof OutboundFailure) return { outcome: error.outcome, reason: error.message };
    if (error instanceof SyntaxError) return { outcome: 'unknown', reason: 'answer is not JSON' };
    throw error;
  }
}
