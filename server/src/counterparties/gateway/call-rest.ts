import { callOutside, OutboundFailure, type OutboundRequest } from '../../platform/http/outbound.ts';

/**
 * `done`: HTTP 200. `refused`: the other side says in its own words that it did nothing. `unsent`: it never heard of it.
 * `unknown`: something may have happened there.
 */
export type RestAnswer =
  | { outcome: 'done'; body: unknown }
  | { outcome: 'refused'; status: number; body: unknown }
  | { outcome: 'unsent' | 'unknown'; reason: string };

const DONE = 200;
/** 408 and 429 are not among them: whoever answers so is a proxy, and the call may still get through. */
const REFUSALS = new Set([400, 401, 403, 404, 409, 422]);

/** Makes a JSON call whose HTTP status tells what came of it. Never throws for what the other side does. */
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
