import type { CallLog } from '../control/call-log.ts';
import type { Settings } from '../settings.ts';
import type { Store } from '../store.ts';
import { Deliveries, type SendPolicy } from './deliveries.ts';

/** How one kind of message is sent. The settings have URL and retries under the channel's name. */
export type Channel = Pick<SendPolicy, 'headersOf' | 'isTaken'>;

/** A message to the operator. `key`: its subject, for the call log. */
export type Message = { channel: string; key: string; body: string; isForged?: boolean };

/** Pushes of the bank, the wallet app and the chat backend to the operator, in JSON. */
export class Outbox {
  readonly #deliveries: Deliveries;

  constructor(deps: { store: Store; calls: CallLog; settings: Settings }, channels: Readonly<Record<string, Channel>>) {
    const policies = Object.entries(channels).map(([name, { headersOf, isTaken }]): [string, SendPolicy] => [
      name,
      {
        headersOf: (body, attempt) => ({ 'content-type': 'application/json', ...headersOf(body, attempt) }),
        isTaken: (status, text) => isTaken(status, text),
      },
    ]);
    this.#deliveries = new Deliveries(deps, { table: 'push', column: 'channel' }, new Map(policies));
  }

  /** Queues a message for `dueAt` (milliseconds since 1970). May run inside a transaction. */
  enqueue({ channel, ...message }: Message, dueAt: number): void {
    this.#deliveries.enqueue({ sender: channel, ...message }, dueAt);
  }

  /** Starts sending. */
  resume(): void {
    this.#deliveries.resume();
  }

  /** Aborts messages in flight and waits for their end. */
  stop(): Promise<void> {
    return this.#deliveries.stop();
  }
}
