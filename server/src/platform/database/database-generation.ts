import type { ClientBase } from 'pg';
import { monotonicMs } from '../clock.ts';

/** A connection younger than this is trusted when it reports that the database takes no writes. */
const BELIEVED_MS = 1_000;

/**
 * Tells which connections were opened before the last loss of one. What ended one has often ended all that were open
 * then, and some of them have not noticed yet: after a loss, a caller needs a connection opened since.
 */
export class DatabaseGeneration {
  #current = 0;
  readonly #made = new WeakMap<ClientBase, { generation: number; at: number }>();

  made(client: ClientBase): void {
    this.#made.set(client, { generation: this.#current, at: monotonicMs() });
  }

  /**
   * Starts a new generation, unless the connection belongs to an older one: losing old connections one by one must not
   * make new ones doubtful.
   */
  lost(client: ClientBase): void {
    if (!this.isDoubtful(client)) this.#current += 1;
  }

  /**
   * The connection was refused a write. A session keeps its initial read-only default and its node of a cluster: the
   * database may take writes again while this session never would. Connections are replaced at most once a second.
   */
  refusedWrite(client: ClientBase): void {
    if (monotonicMs() - (this.#made.get(client)?.at ?? 0) >= BELIEVED_MS) this.lost(client);
  }

  /** A connection opened before another was lost may be lost as well. */
  isDoubtful(client: ClientBase): boolean {
    return (this.#made.get(client)?.generation ?? 0) < this.#current;
  }
}
