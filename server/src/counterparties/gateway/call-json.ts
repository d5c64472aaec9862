import { callOutside, OutboundFailure, type OutboundRequest } from '../../platform/http/outbound.ts';

/** `unsent`: the call had no effect. `unknown`: it may have had one. */
export type CallAnswer = { outcome: 'answered'; body: unknown } | { outcome: 'unsent' | 'unknown'; reason: string };

const ANSWERED = 200;

/**
 * Calls and parses JSON. Never throws on failures of the other side.
 * @param request its `timeoutMs` bounds the whole call, the answer's body included
 * @returns `answered` only for HTTP 200 with a JSON body; anything else proves nothing
 */
export async function callForJson(request: OutboundRequest): Promise<CallAnswer> {
  try {
    const reply = await callOutside({ ...request, headers: { accept: 'application/json', ...request.headers } });
    if (reply.status !== ANSWERED) return { outcome: 'unknown', reason: `HTTP ${reply.status}` };
    return { outcome: 'answered', body: JSON.parse(reply.text) as unknown };
  } catch (error) {
    if (error instanceof OutboundFailure) return { outcome: error.outcome, reason: error.message };
    if (error instanceof SyntaxError) return { outcome: 'unknown', reason: 'answer is not JSON' };
    throw error;
  }
}

/** Posts JSON and reads JSON. */
export function callJson(url: string, body: unknown, timeoutMs: number): Promise<CallAnswer> {
  const headers = { 'content-type': 'application/json' };
  return callForJson({ method: 'POST', url, headers, body: JSON.stringify(body), timeoutMs });
}
