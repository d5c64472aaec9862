import { createHmac } from 'node:crypto';
import type { Outside } from '../../outside.ts';
import type { Clock } from '../../platform/clock.ts';
import { callOutside, OutboundFailure } from '../../platform/http/outbound.ts';

/** `unsent`: the call had no effect. `unknown`: it may have had one. */
export type BankAnswer =
  | { outcome: 'answered'; status: number; body: unknown }
  | { outcome: 'unsent' | 'unknown'; note: string };

export type CallBank = (method: 'GET' | 'POST', path: string, body?: unknown) => Promise<BankAnswer>;

/** Settings of calls to the bank. */
export type BankSettings = Pick<Outside['bank'], 'url' | 'apiKey' | 'apiSecret' | 'timeoutMs'>;

const SERVER_FAILURE = 500;

/**
 * Calls of the bank's API, each signed over time stamp, method, path and body. Never throws on failures of the bank:
 * only JSON with a status below 500 is an answer, anything else proves nothing.
 */
export function callBank(settings: BankSettings, clock: Clock): CallBank {
  return async (method, path, body) => {
    const url = `${settings.url}${path}`;
    const text = body === undefined ? '' : JSON.stringify(body);
    try {
      const reply = await callOutside({
        method,
        url,
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...signedHeaders(settings, clock, `${method}.${pathOf(url)}.${text}`),
        },
        ...(body === undefined ? {} : { body: text }),
        timeoutMs: settings.timeoutMs,
      });
      if (reply.status >= SERVER_FAILURE) return { outcome: 'unknown', note: `HTTP ${reply.status}` };
      return { outcome: 'answered', status: reply.status, body: JSON.parse(reply.text) as unknown };
    } catch (error) {
      if (error instanceof OutboundFailure) return { outcome: error.outcome, note: error.message };
      if (error instanceof SyntaxError) return { outcome: 'unknown', note: 'answer is not JSON' };
      throw error;
    }
  };
}

function signedHeaders({ apiKey, apiSecret }: BankSettings, clock: Clock, what: string): Record<string, string> {
  const seconds = String(Math.floor(clock.now().getTime() / 1000));
  const signature = createHmac('sha256', apiSecret).update(`${seconds}.${what}`).digest('hex');
  return { 'x-api-key': apiKey, 'x-timestamp': seconds, 'x-signature': signature };
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}
