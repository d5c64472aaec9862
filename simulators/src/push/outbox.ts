import type { CallLog } from '../control/call-log.ts';
import type { Settings } from '../settings.ts';
import type { Store } from '../store.ts';
import { Alarm } from './alarm.ts';

const ANSWER_TIMEOUT_MS = 10_000;

/** How one kind of message is sent. Address and retries stand in the settings, under the channel's name. */
export type Channel = {
  headersOf(body: string, attempt: { at: number; isForged: boolean }): Record<string, string>;
  isTaken(status: number, text: string): boolean;
};

/** A message to the operator. `key`: its subject, for the call log. */
export type Message = { channel: string; key: string; body: string; isForged?: boolean };

type Row = { id: number; channel: string; key: string; body: string; forged: number; attempt: number };

/** Pushes of the bank and the wallet app to the operator: retried, and kept over a restart. */
export class Outbox {
  readonly #store: Store;
  readonly #calls: CallLog;
  readonly #settings: Settings;
  readonly #channels: Readonly<Record<string, Channel>>;
  readonly #alarm = new Alarm(() => this.#sendDue());
  readonly #stopping = new AbortController();
  readonly #underway = new Set<Promise<void>>();

  constructor(store: Store, calls: CallLog, settings: Settings, channels: Readonly<Record<string, Channel>>) {
    this.#store = store;
    this.#calls = calls;
    this.#settings = settings;
    this.#channels = channels;
  }

  /** Queues a message for `dueAt` (milliseconds since 1970). May run inside a transaction. */
  owe(message: Message, dueAt: number): void {
    this.#store.run(
      'insert into push (channel, key, body, forged, due_at) values (?, ?, ?, ?, ?)',
      message.channel,
      message.key,
      message.body,
      Number(message.isForged ?? false),
      dueAt,
    );
    this.#alarm.set();
  }

  /** Starts sending: nothing is in flight in a new process, so messages that were are retried soon. */
  resume(): void {
    for (const channel of Object.keys(this.#channels)) {
      this.#store.run(
        "update push set due_at = min(due_at, ?) where channel = ? and state = 'waiting' and attempt > 0",
        Date.now() + (this.#retriesOf(channel)[0] ?? 0),
        channel,
      );
    }
    this.#alarm.set();
  }

  /** Aborts what is in flight and waits for its end. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#alarm.stop();
    await Promise.all(this.#underway);
  }

  #retriesOf(channel: string): readonly number[] {
    return this.#settings.callbacks[channel]?.retryMs ?? [];
  }

  #sendDue(): number | null {
    const due = this.#store.all<Row>(
      `select id, channel, key, body, forged, attempt from push
       where state = 'waiting' and due_at <= ? order by due_at, id limit 100`,
      Date.now(),
    );
    for (const row of due) this.#begin(row);
    return (
      this.#store.one<{ at: number | null }>("select min(due_at) as at from push where state = 'waiting'")?.at ?? null
    );
  }

  #begin(row: Row): void {
    const tracked = this.#attempt(row).finally(() => {
      this.#underway.delete(tracked);
      this.#alarm.set();
    });
    this.#underway.add(tracked);
  }

  async #attempt(row: Row): Promise<void> {
    // Forged messages are not retried.
    const retries = row.forged === 1 ? [] : this.#retriesOf(row.channel);
    const wait = retries[row.attempt];
    // Rescheduled before the call as if it will fail, so that a killed process retries instead of losing it or retrying
    // without pause.
    this.#book(row, Date.now() + ANSWER_TIMEOUT_MS + (wait ?? 0));
    const taken = await this.#send(row);
    // Aborted by our own shutdown: the outcome is unknown, so it stays scheduled and is retried after the next start.
    if (this.#stopping.signal.aborted && !taken) return;
    if (taken) this.#end(row, 'taken');
    else if (wait === undefined) this.#end(row, 'given-up');
    else this.#book(row, Date.now() + wait);
  }

  #book(row: Row, dueAt: number): void {
    this.#store.run('update push set attempt = ?, due_at = ? where id = ?', row.attempt + 1, dueAt, row.id);
  }

  #end(row: Row, state: 'taken' | 'given-up'): void {
    this.#store.run('update push set state = ? where id = ?', state, row.id);
  }

  async #send({ channel, key, body, forged }: Row): Promise<boolean> {
    const habit = this.#channels[channel];
    const url = this.#settings.callbacks[channel]?.url;
    if (!habit || url === undefined) return false;
    const startedAt = Date.now();
    let status = 0;
    let taken = false;
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...habit.headersOf(body, { at: startedAt, isForged: forged === 1 }),
        },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([AbortSignal.timeout(ANSWER_TIMEOUT_MS), this.#stopping.signal]),
      });
      status = response.status;
      taken = habit.isTaken(status, await response.text());
    } catch {
      // No connection, or no answer in time: for the sender the message was not accepted.
    }
    const ms = Date.now() - startedAt;
    this.#calls.add({ target: 'callback', call: channel, key, status, fault: null, ms }, startedAt);
    return taken;
  }
}
