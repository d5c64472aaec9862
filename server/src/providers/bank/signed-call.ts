import { createHmac } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { callOutside, OutboundFailure } from '../../platform/outbound.ts';

/** What is agreed with the bank whose API we call. */
export type BankAgreement = { url: string; apiKey: string; apiSecret: string; timeoutMs: number };

/**
 * `answered`: the bank spoke, with any status, in JSON. `unsent`: nothing can have happened there. `unknown`: something may
 * have (no answer, or one that isn't JSON).
 */
export type BankAnswer =
  | { outcome: 'answered'; status: number; body: unknown }
  | { outcome: 'unsent' | 'unknown'; reason: string };

/**
 * Calls the bank's API, signed as docs/outside/bank.md says. Never throws for what the other side does.
 * @param path from behind the agreement's address, with its query: `/feed/SCB/4680001234?limit=50`
 */
export async function callBank(
  agreement: BankAgreement,
  clock: Clock,
  call: { method: 'GET' | 'POST'; path: string; body?: unknown },
): Promise<BankAnswer> {
  const url = new URL(agreement.url + call.path);
  const body = call.body === undefined ? undefined : JSON.stringify(call.body);
  const seconds = String(Math.floor(clock.now().getTime() / 1_000));
  const signed = `${seconds}.${call.method}.${url.pathname}${url.search}.${body ?? ''}`;
  try {
    const reply = await callOutside({
      method: call.method,
      url: url.href,
      headers: {
        accept: 'application/json',
        'x-api-key': agreement.apiKey,
        'x-timestamp': seconds,
        'x-signature': createHmac('sha256', agreement.apiSecret).update(signed).digest('hex'),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
      timeoutMs: agreement.timeoutMs,
    });
    return { outcome: 'answered', status: reply.status, body: JSON.parse(reply.text) as unknown };
  } catch (error) {
    if (error instanceof OutboundFailure) return { outcome: error.outcome, reason: error.message };
    if (error instanceof SyntaxError) return { outcome: 'unknown', reason: 'answer is not JSON' };
    throw error;
  }
}
