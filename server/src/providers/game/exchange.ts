import { callOutside, OutboundFailure, type OutboundRequest } from '../../platform/outbound.ts';
import type { Refused, Unknown } from './port.ts';

export type Exchange = { outcome: 'answered'; json: unknown } | Refused | Unknown;

/**
 * One HTTP call whose answer is JSON with status 200, refusals included. Anything else proves nothing, except a
 * connection that never came about. Notes carry no address: there may be a key in it.
 */
export async function exchange(request: OutboundRequest): Promise<Exchange> {
  try {
    const reply = await callOutside(request);
    if (reply.status !== 200) return unknown(`HTTP ${reply.status}`);
    return readJson(reply.text);
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
    if (error.outcome === 'unsent') return { outcome: 'refused', reason: 'unreachable', note: error.message };
    return unknown(error.message);
  }
}

const unknown = (note: string): Unknown => ({ outcome: 'unknown', note });

function readJson(text: string): Exchange {
  try {
    return { outcome: 'answered', json: JSON.parse(text) as unknown };
  } catch {
    return unknown('the answer is not JSON');
  }
}
