import { callOutside, OutboundFailure, type OutboundRequest } from '../../platform/http/outbound.ts';
import type { Refused, Unknown } from './port.ts';

export type Exchange = { outcome: 'answered'; json: unknown; status: number } | Refused | Unknown;

/**
 * One HTTP call whose answer is JSON with a status that the provider is known to use, refusals included. Anything else
 * proves nothing, except a failed connection. Notes contain no address, because it may hold a key.
 */
export async function exchange(request: OutboundRequest, statuses: readonly number[] = [200]): Promise<Exchange> {
  try {
    const { status, text } = await callOutside(request);
    return statuses.includes(status) ? readJson(text, status) : unknown(`HTTP ${status}`);
  } catch (error) {
    if (!(error instanceof OutboundFailure)) throw error;
    if (error.outcome === 'unsent') return { outcome: 'refused', reason: 'unreachable', note: error.message };
    return unknown(error.message);
  }
}

const unknown = (note: string): Unknown => ({ outcome: 'unknown', note });

function readJson(text: string, status: number): Exchange {
  try {
    return { outcome: 'answered', json: JSON.parse(text) as unknown, status };
  } catch {
    return unknown('the answer is not JSON');
  }
}
