import type { CallLog } from '../control/call-log.ts';
import { Deliveries } from '../push/deliveries.ts';
import type { Settings } from '../settings.ts';
import type { Store } from '../store.ts';
import type { CallbackHabit, Claim, Gateway } from './gateway.ts';

/** The callbacks of all gateways, each with the format and the retries of its gateway. */
export class Callbacks {
  readonly #habits: ReadonlyMap<string, CallbackHabit>;
  readonly #deliveries: Deliveries;

  constructor(deps: { store: Store; calls: CallLog; settings: Settings }, gateways: readonly Gateway[]) {
    this.#habits = new Map(gateways.map(({ name, callback }) => [name, callback]));
    this.#deliveries = new Deliveries(deps, { table: 'gateway_callback', column: 'gateway' }, this.#habits);
  }

  /** Queues a callback for `dueAt` (milliseconds since 1970). May run inside a transaction. @returns its number */
  owe(claim: Claim, dueAt: number, isForged = false): number {
    const { gateway, number } = claim.code;
    const habit = this.#habits.get(gateway);
    if (!habit) throw new Error(`there is no gateway ${gateway}`);
    return this.#deliveries.owe({ sender: gateway, key: number, body: habit.bodyOf(claim), isForged }, dueAt);
  }

  /** Starts sending. */
  resume(): void {
    this.#deliveries.resume();
  }

  /** Sends a queued callback immediately and waits for its reply. */
  sendNow(id: number): Promise<void> {
    return this.#deliveries.sendNow(id);
  }

  /** Aborts what is in flight and waits for its end. */
  stop(): Promise<void> {
    return this.#deliveries.stop();
  }
}
