import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Histogram, type Registry } from 'prom-client';
import { OUTBOUND_CALLS, type OutboundCall } from './outbound.ts';

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * Times calls by counterparty and outcome: `answered`, `failed` (status 500 or above), `unsent` (no connection),
 * `unknown` (it may have taken effect).
 * @param partyOf the name of the counterparty at an address
 * @returns stops it
 */
export function measureOutbound(registry: Registry, partyOf: (url: string) => string): () => void {
  const histogram = new Histogram({
    name: 'krapao_counterparty_call_seconds',
    help: 'Calls to counterparties, from the request to the last byte of the answer or the failure',
    labelNames: ['party', 'outcome'],
    buckets: SECONDS,
    registers: [registry],
  });
  const observe = (message: unknown): void => {
    const { url, outcome, seconds } = message as OutboundCall;
    histogram.observe({ party: partyOf(url), outcome }, seconds);
  };
  subscribe(OUTBOUND_CALLS, observe);
  return () => void unsubscribe(OUTBOUND_CALLS, observe);
}
