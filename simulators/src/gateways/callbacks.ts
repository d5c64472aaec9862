import type { CallLog } from '../control/call-log.ts';
import { Deliveries } from '../push/deliveries.ts';
import type { Settings } from '../settings.ts';
import type { Store } from '../store.ts';
import type { CallbackPolicy, Claim, Gateway } from './gateway.ts';

/** The callbacks of all gateways, each with the format and the retries of its gateway. */
export class Callbacks {
  readonly #policies: ReadonlyMap<string, CallbackPolicy>;
  readonly #deliveries: Deliveries;

  constructor(deps: { store: Store; calls: CallLog; settings: Settings }, gateways: readonly Gateway[]) {
    this.#policies = new Map(gateways.map(({ name, callback }) => [name, callback]));
    this.#deliveries = new Deliveries(deps, { table: 'gateway_callback', column: 'gateway' }, this.#policies);
  }

  /**
   * Queues a callback for `dueAt` (milliseconds since 1970). May run inside a transaction. @returns id of the callback
   */
  enqueue(claim: Claim, dueAt: number, isForged = false): number {
    const { gateway, number } = claim.code;
    const pushPolicy = this.#policies.get(gateway);
    if (!pushPolicy) throw new Error(`there is no gateway ${gateway}`);
    return this.#deliveries.enqueue({ sender: gateway, key: number, body: pushPolicy.bodyOf(claim), isForged }, dueAt);
  }

  /** Starts sending. */
  resume(): void {
    this.#deliveries.resume();
  }

  /** Sends a queued callback immediately and waits for its reply. */
  sendNow(id: number): Promise<void> {
    return this.#deliveries.sendNow(id);
  }

  /** Aborts callbacks in flight and waits for their end. */
  stop(): Promise<void> {
    return this.#deliveries.stop();
  }
}
