import type { ClientBase } from 'pg';

/**
 * Which connections are older than the last loss of one. What ended one has often ended all that were open then, and some
 * of them don't know it yet: whoever was just told of a loss needs one that was made since.
 */
export class DatabaseGeneration {
  #current = 0;
  readonly #madeIn = new WeakMap<ClientBase, number>();

  made(client: ClientBase): void {
    this.#madeIn.set(client, this.#current);
  }

  /** Says nothing of those that were made since this one: a crowd that loses its connections one by one ends no new ones. */
  lost(client: ClientBase): void {
    if (!this.isDoubtful(client)) this.#current += 1;
  }

  /** One made before another was lost may be lost as well. */
  isDoubtful(client: ClientBase): boolean {
    return (this.#madeIn.get(client) ?? 0) < this.#current;
  }
}
