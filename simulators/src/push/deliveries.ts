import type { CallLog } from '../control/call-log.ts';
import type { Settings } from '../settings.ts';
import type { Store } from '../store.ts';
import { DueTimer } from './due-timer.ts';

const ANSWER_TIMEOUT_MS = 10_000;

/** How messages of one sender are sent. The settings have retries and URL under the sender's name. */
export type SendPolicy = {
  url?: string;
  /** Headers of one attempt. `isForged`: the sender knows the URL but not the secret. */
  headersOf(body: string, attempt: { at: number; isForged: boolean }): Record<string, string>;
  isTaken(status: number, text: string): boolean;
};

/** A message to the operator's server. `key`: its subject, for the call log. */
export type Delivery = { sender: string; key: string; body: string; isForged?: boolean };

/** The table of the messages, and its column with the name of the sender. */
type Place = { table: 'gateway_callback'; column: 'gateway' } | { table: 'push'; column: 'channel' };
type Deps = { store: Store; calls: CallLog; settings: Settings };
type Row = { id: number; sender: string; key: string; body: string; forged: number; attempt: number };

/**
 * Messages to the operator's server: stored, sent when due, retried on their sender's schedule, kept across restarts.
 */
export class Deliveries {
  readonly #deps: Deps;
  readonly #place: Place;
  readonly #policies: ReadonlyMap<string, SendPolicy>;
  readonly #timer = new DueTimer(() => this.#sendDue());
  readonly #stopping = new AbortController();
  readonly #underway = new Set<Promise<void>>();

  constructor(deps: Deps, place: Place, policies: ReadonlyMap<string, SendPolicy>) {
    this.#deps = deps;
    this.#place = place;
    this.#policies = policies;
  }

  /**
   * Queues a message for `dueAt` (milliseconds since 1970). May run inside a transaction. @returns id of the message
   */
  enqueue({ sender, key, body, isForged = false }: Delivery, dueAt: number): number {
    const { table, column } = this.#place;
    const { id } = this.#deps.store.run(
      `insert into ${table} (${column}, key, body, forged, due_at) values (?, ?, ?, ?, ?)`,
      sender,
      key,
      body,
      Number(isForged),
      dueAt,
    );
    this.#timer.schedule();
    return id;
  }

  /** Starts sending. A new process has nothing in flight, so messages that were in flight are retried soon. */
  resume(): void {
    const { table, column } = this.#place;
    for (const sender of this.#policies.keys()) {
      this.#deps.store.run(
        `update ${table} set due_at = min(due_at, ?) where ${column} = ? and state = 'waiting' and attempt > 0`,
        Date.now() + (this.#retriesOf(sender)[0] ?? 0),
        sender,
      );
    }
    this.#timer.schedule();
  }

  /** Sends a queued message immediately and waits for its reply. */
  async sendNow(id: number): Promise<void> {
    const [row] = this.#selectPending('id = ?', id);
    if (row) await this.#track(this.#attempt(row));
  }

  /** Aborts messages in flight and waits for their end. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#timer.stop();
    await Promise.all(this.#underway);
  }

  #selectPending(condition: 'id = ?' | 'due_at <= ?', value: number): Row[] {
    const { table, column } = this.#place;
    return this.#deps.store.all<Row>(
      `select id, ${column} as sender, key, body, forged, attempt from ${table}
       where state = 'waiting' and ${condition} order by due_at, id limit 100`,
      value,
    );
  }

  #retriesOf(sender: string): readonly number[] {
    return this.#deps.settings.callbacks[sender]?.retryMs ?? [];
  }

  #sendDue(): number | null {
    if (this.#stopping.signal.aborted) return null;
    for (const row of this.#selectPending('due_at <= ?', Date.now())) void this.#track(this.#attempt(row));
    return (
      this.#deps.store.one<{ at: number | null }>(
        `select min(due_at) as at from ${this.#place.table} where state = 'waiting'`,
      )?.at ?? null
    );
  }

  #track(work: Promise<void>): Promise<void> {
    const tracked = work.finally(() => {
      this.#underway.delete(tracked);
      this.#timer.schedule();
    });
    this.#underway.add(tracked);
    return tracked;
  }

  async #attempt(row: Row): Promise<void> {
    // Forged messages are not retried.
    const retries = row.forged === 1 ? [] : this.#retriesOf(row.sender);
    if (row.attempt > retries.length) return this.#end(row, 'given-up');
    const wait = retries[row.attempt];
    // Rescheduled before the call as if it will fail: after a kill it is neither lost nor retried without pause.
    this.#book(row, Date.now() + ANSWER_TIMEOUT_MS + (wait ?? 0));
    const isDelivered = await this.#send(row);
    // Aborted by our own shutdown: the outcome is unknown, so the message stays scheduled and is retried after the next
    // start.
    if (this.#stopping.signal.aborted && !isDelivered) return;
    if (isDelivered) this.#end(row, 'taken');
    else if (wait === undefined) this.#end(row, 'given-up');
    else this.#book(row, Date.now() + wait);
  }

  #book({ id, attempt }: Row, dueAt: number): void {
    const { table } = this.#place;
    this.#deps.store.run(`update ${table} set attempt = ?, due_at = ? where id = ?`, attempt + 1, dueAt, id);
  }

  #end({ id }: Row, state: 'taken' | 'given-up'): void {
    this.#deps.store.run(`update ${this.#place.table} set state = ? where id = ?`, state, id);
  }

  async #send({ sender, key, body, forged }: Row): Promise<boolean> {
    const policy = this.#policies.get(sender);
    const url = this.#deps.settings.callbacks[sender]?.url ?? policy?.url;
    if (!policy || url === undefined) return false;
    const startedAt = Date.now();
    let status = 0;
    let isDelivered = false;
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: policy.headersOf(body, { at: startedAt, isForged: forged === 1 }),
        body,
        redirect: 'manual',
        signal: AbortSignal.any([AbortSignal.timeout(ANSWER_TIMEOUT_MS), this.#stopping.signal]),
      });
      status = response.status;
      isDelivered = policy.isTaken(status, await response.text());
    } catch {
      // No connection, or no reply in time: the message counts as not accepted.
    }
    const ms = Date.now() - startedAt;
    this.#deps.calls.add({ target: 'callback', call: sender, key, status, fault: null, ms }, startedAt);
    return isDelivered;
  }
}
