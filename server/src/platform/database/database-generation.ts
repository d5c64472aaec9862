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
  #writtenAt = -Infinity;
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

  /** Some connection has just written. */
  written(): void {
    this.#writtenAt = monotonicMs();
  }

  /**
   * The connection was refused a write. A session keeps its initial read-only default and its node of a cluster: the
   * database may take writes again while this session never would. While no connection writes, they are replaced at most
   * once a second; one that is older than the last write is replaced at once.
   */
  refusedWrite(client: ClientBase): void {
    const madeAt = this.#made.get(client)?.at ?? 0;
    if (madeAt <= this.#writtenAt || monotonicMs() - madeAt >= BELIEVED_MS) this.lost(client);
  }

  /** A connection opened before another was lost may be lost as well. */
  isDoubtful(client: ClientBase): boolean {
    return (this.#made.get(client)?.generation ?? 0) < this.#current;
  }
}
