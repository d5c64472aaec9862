import type { ClientBase } from 'pg';
import { monotonicMs } from '../clock.ts';

/** A connection younger than this is believed when it says that the database takes no writes. */
const BELIEVED_MS = 1_000;

/**
 * Which connections are older than the last loss of one. What ended one has often ended all that were open then, and some
 * of them don't know it yet: whoever was just told of a loss needs one that was made since.
 */
export class DatabaseGeneration {
  #current = 0;
  readonly #made = new WeakMap<ClientBase, { generation: number; at: number }>();

  made(client: ClientBase): void {
    this.#made.set(client, { generation: this.#current, at: monotonicMs() });
  }

  /** Says nothing of those that were made since this one: a crowd that loses its connections one by one ends no new ones. */
  lost(client: ClientBase): void {
    if (!this.isDoubtful(client)) this.#current += 1;
  }

  /**
   * It was refused a write. A session keeps the default that it began with, and the node of a cluster that it began on: the
   * database may take writes again while this one never would. Connections are replaced once a second at most.
   */
  refusedWrite(client: ClientBase): void {
    if (monotonicMs() - (this.#made.get(client)?.at ?? 0) >= BELIEVED_MS) this.lost(client);
  }

  /** One made before another was lost may be lost as well. */
  isDoubtful(client: ClientBase): boolean {
    return (this.#made.get(client)?.generation ?? 0) < this.#current;
  }
}
