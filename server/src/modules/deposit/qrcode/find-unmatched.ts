import type { QrcodeDeps } from './qrcode-deps.ts';
import { parkUnmatched } from './queries.ts';

/**
 * Puts payments that a gateway holds and found no transaction for, such as the second payment of one code, on the list of
 * operators. A gateway that doesn't answer is asked again the next time.
 */
export async function findUnmatched({ database, gateways, log }: QrcodeDeps): Promise<void> {
  for (const gateway of gateways) {
    const held = await gateway.unmatched?.();
    if (typeof held === 'string')
      log.warn({ gateway: gateway.code, reason: held }, 'a gateway did not tell what it holds');
    if (held === undefined || typeof held === 'string') continue;
    for (const payment of held) {
      const reference = await parkUnmatched(database, gateway.code, payment);
      if (reference === undefined) continue;
      log.error({ gateway: gateway.code, reference, reason: 'UNMATCHED' }, 'a payment waits for an operator');
    }
  }
}
