import type { Store } from '../store.ts';
import { thaiTime } from '../time.ts';

const KEPT_ROWS = 20_000;
const PRUNE_EVERY = 500;

/** One received call, or one sent callback. `status` 0: no reply. */
export type Call = {
  target: string;
  call: string;
  key: string | null;
  status: number;
  fault: string | null;
  ms: number;
};

export type CallFilter = {
  target?: string | undefined;
  call?: string | undefined;
  since?: number | undefined;
  limit: number;
};

/** The last calls of every target, without secrets. */
export class CallLog {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  add(call: Call, at: number): void {
    const { id } = this.#store.run(
      'insert into call (at, target, call, key, status, fault, ms) values (?, ?, ?, ?, ?, ?, ?)',
      at,
      call.target,
      call.call,
      call.key,
      call.status,
      call.fault,
      call.ms,
    );
    if (id % PRUNE_EVERY === 0) this.#store.run('delete from call where id <= ?', id - KEPT_ROWS);
  }

  /** Newest first. `since` is milliseconds since 1970. */
  list(filter: CallFilter): (Call & { at: string })[] {
    return this.#store
      .all<Call & { at: number }>(
        `select at, target, call, key, status, fault, ms from call
         where (?1 is null or target = ?1) and (?2 is null or call = ?2) and at >= ?3 order by id desc limit ?4`,
        filter.target ?? null,
        filter.call ?? null,
        filter.since ?? 0,
        filter.limit,
      )
      .map((row) => ({ ...row, at: thaiTime(row.at) }));
  }
}
