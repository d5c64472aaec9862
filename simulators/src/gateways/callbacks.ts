import type { CallLog } from '../control/call-log.ts';
import type { Settings } from '../settings.ts';
import type { Store } from '../store.ts';
import type { CallbackHabit, Claim, Gateway } from './gateway.ts';

const ANSWER_TIMEOUT_MS = 10_000;
const LONGEST_SLEEP_MS = 60_000;

type Row = { id: number; gateway: string; key: string; body: string; forged: number; attempt: number };

const COLUMNS = 'id, gateway, key, body, forged, attempt';

/**
 * Sends the callbacks of all gateways, retries each on its gateway's schedule, and keeps pending ones over a restart.
 */
export class Callbacks {
  readonly #store: Store;
  readonly #calls: CallLog;
  readonly #settings: Settings;
  readonly #habits: ReadonlyMap<string, CallbackHabit>;
  #timer: NodeJS.Timeout | undefined;
  readonly #stopping = new AbortController();
  readonly #underway = new Set<Promise<unknown>>();

  constructor(store: Store, calls: CallLog, settings: Settings, gateways: readonly Gateway[]) {
    this.#store = store;
    this.#calls = calls;
    this.#settings = settings;
    this.#habits = new Map(gateways.map(({ name, callback }) => [name, callback]));
  }

  /** Queues a callback for `dueAt` (milliseconds since 1970). May run inside a transaction; call `wake` after it. */
  owe(claim: Claim, dueAt: number, isForged = false): number {
    const { gateway, number } = claim.code;
    return this.#store.run(
      'insert into gateway_callback (gateway, key, body, forged, due_at) values (?, ?, ?, ?, ?)',
      gateway,
      number,
      this.#habitOf(gateway).bodyOf(claim),
      Number(isForged),
      dueAt,
    ).id;
  }

  /** Starts sending: nothing is in flight in a new process, so callbacks that were are retried soon. */
  resume(): void {
    for (const gateway of this.#habits.keys()) {
      this.#store.run(
        "update gateway_callback set due_at = min(due_at, ?) where gateway = ? and state = 'waiting' and attempt > 0",
        Date.now() + (this.#retriesOf(gateway)[0] ?? 0),
        gateway,
      );
    }
    this.wake();
  }

  /** Sends due callbacks, now and whenever one falls due. */
  wake(): void {
    if (this.#stopping.signal.aborted) return;
    clearTimeout(this.#timer);
    const due = this.#store.all<Row>(
      `select ${COLUMNS} from gateway_callback where state = 'waiting' and due_at <= ? order by due_at limit 100`,
      Date.now(),
    );
    for (const row of due) void this.#track(this.#attempt(row));
    const next = this.#store.one<{ at: number | null }>(
      "select min(due_at) as at from gateway_callback where state = 'waiting'",
    )?.at;
    if (next === null || next === undefined) return;
    this.#timer = setTimeout(() => this.wake(), Math.min(Math.max(next - Date.now(), 1), LONGEST_SLEEP_MS));
    this.#timer.unref();
  }

  /** Sends a queued callback at once and waits for its answer. */
  async sendNow(id: number): Promise<void> {
    const row = this.#store.one<Row>(`select ${COLUMNS} from gateway_callback where id = ? and state = 'waiting'`, id);
    if (row) await this.#track(this.#attempt(row));
  }

  /** Aborts what is in flight and waits for its end. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await Promise.all(this.#underway);
  }

  #habitOf(gateway: string): CallbackHabit {
    const habit = this.#habits.get(gateway);
    if (!habit) throw new Error(`there is no gateway ${gateway}`);
    return habit;
  }

  #retriesOf(gateway: string): readonly number[] {
    return this.#settings.callbacks[gateway]?.retryMs ?? [];
  }

  #track(work: Promise<void>): Promise<void> {
    const tracked = work.finally(() => {
      this.#underway.delete(tracked);
      this.wake();
    });
    this.#underway.add(tracked);
    return tracked;
  }

  async #attempt(row: Row): Promise<void> {
    // Forged callbacks are not retried.
    const retries = row.forged === 1 ? [] : this.#retriesOf(row.gateway);
    if (row.attempt > retries.length) return this.#end(row, 'given-up');
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
    this.#store.run('update gateway_callback set attempt = ?, due_at = ? where id = ?', row.attempt + 1, dueAt, row.id);
  }

  #end(row: Row, state: 'taken' | 'given-up'): void {
    this.#store.run('update gateway_callback set state = ? where id = ?', state, row.id);
  }

  async #send({ gateway, key, body, forged }: Row): Promise<boolean> {
    const habit = this.#habitOf(gateway);
    const startedAt = Date.now();
    let status = 0;
    let taken = false;
    try {
      const response = await fetch(this.#settings.callbacks[gateway]?.url ?? habit.url, {
        method: 'POST',
        headers: habit.headersOf(body, { at: startedAt, isForged: forged === 1 }),
        body,
        redirect: 'manual',
        signal: AbortSignal.any([AbortSignal.timeout(ANSWER_TIMEOUT_MS), this.#stopping.signal]),
      });
      status = response.status;
      taken = habit.isTaken(status, await response.text());
    } catch {
      // No connection, or no answer in time: for the gateway the callback was not accepted.
    }
    this.#calls.add(
      { target: 'callback', call: gateway, key, status, fault: null, ms: Date.now() - startedAt },
      startedAt,
    );
    return taken;
  }
}
