import type { CallLog } from '../control/call-log.ts';
import type { Settings } from '../settings.ts';
import type { Store } from '../store.ts';

const ANSWER_TIMEOUT_MS = 10_000;
const ATTEMPTS = 4;
const LONGEST_SLEEP_MS = 60_000;

export type CallbackBody = { partnerTxnUid: string } & Record<string, string | null>;

type Row = { id: number; body: string; attempt: number };

/** Sends callbacks, one attempt and three more, and remembers over a restart which are still owed. */
export class Callbacks {
  readonly #store: Store;
  readonly #calls: CallLog;
  readonly #settings: Settings;
  #timer: NodeJS.Timeout | undefined;
  readonly #stopping = new AbortController();
  readonly #underway = new Set<Promise<unknown>>();

  constructor(store: Store, calls: CallLog, settings: Settings) {
    this.#store = store;
    this.#calls = calls;
    this.#settings = settings;
  }

  /** Owes a callback from `dueAt` on (milliseconds since 1970). May run inside a transaction; call `wake` after it. */
  owe(body: CallbackBody, dueAt: number): number {
    return this.#store.run('insert into callback (body, due_at) values (?, ?)', JSON.stringify(body), dueAt).id;
  }

  /** Begins after a start: nothing is under way in a fresh process, so what was is tried again soon. */
  resume(): void {
    this.#store.run(
      "update callback set due_at = min(due_at, ?) where state = 'waiting' and attempt > 0",
      Date.now() + this.#settings.callbackRetryMs,
    );
    this.wake();
  }

  /** Looks for due callbacks, now and whenever one falls due. */
  wake(): void {
    if (this.#stopping.signal.aborted) return;
    clearTimeout(this.#timer);
    const now = Date.now();
    const due = this.#store.all<Row>(
      "select id, body, attempt from callback where state = 'waiting' and due_at <= ? order by due_at limit 100",
      now,
    );
    for (const row of due) void this.#track(this.#attempt(row));
    const next = this.#store.one<{ at: number | null }>(
      "select min(due_at) as at from callback where state = 'waiting'",
    )?.at;
    if (next === null || next === undefined) return;
    this.#timer = setTimeout(() => this.wake(), Math.min(Math.max(next - Date.now(), 1), LONGEST_SLEEP_MS));
    this.#timer.unref();
  }

  /** Sends an owed callback at once and waits for its answer. */
  async sendNow(id: number): Promise<void> {
    const row = this.#store.one<Row>("select id, body, attempt from callback where id = ? and state = 'waiting'", id);
    if (row) await this.#track(this.#attempt(row));
  }

  /** Breaks off what is under way and waits for its end. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    await Promise.all(this.#underway);
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
    const attempt = row.attempt + 1;
    if (attempt > ATTEMPTS) {
      this.#store.run("update callback set state = 'given-up' where id = ?", row.id);
      return;
    }
    // Booked before the call as if it will fail, so that a killed process tries again instead of forgetting or flooding.
    this.#store.run(
      'update callback set attempt = ?, due_at = ? where id = ?',
      attempt,
      Date.now() + ANSWER_TIMEOUT_MS + this.#settings.callbackRetryMs,
      row.id,
    );
    const taken = await this.#send(row.body);
    // Broken off by our own end: nobody knows, so it stays booked and is tried again after the start.
    if (this.#stopping.signal.aborted && !taken) return;
    if (taken) this.#store.run("update callback set state = 'taken' where id = ?", row.id);
    else if (attempt === ATTEMPTS) this.#store.run("update callback set state = 'given-up' where id = ?", row.id);
    else
      this.#store.run(
        'update callback set due_at = ? where id = ?',
        Date.now() + this.#settings.callbackRetryMs,
        row.id,
      );
  }

  async #send(body: string): Promise<boolean> {
    const startedAt = Date.now();
    let status = 0;
    let taken = false;
    try {
      const response = await fetch(this.#settings.callbackUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        redirect: 'manual',
        signal: AbortSignal.any([AbortSignal.timeout(ANSWER_TIMEOUT_MS), this.#stopping.signal]),
      });
      status = response.status;
      const answer = (await response.json()) as { statusCode?: unknown } | null;
      taken = status === 200 && answer?.statusCode === '00';
    } catch {
      // No connection, no answer in time, or no JSON: the bank only knows that it was not taken.
    }
    const key = (JSON.parse(body) as CallbackBody).partnerTxnUid;
    this.#calls.add(
      { target: 'callback', call: 'kbank', key, status, fault: null, ms: Date.now() - startedAt },
      startedAt,
    );
    return taken;
  }
}
