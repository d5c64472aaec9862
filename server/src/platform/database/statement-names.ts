import { createHash } from 'node:crypto';

/** Executions after which a text is worth preparing: PostgreSQL keeps each prepared statement in each connection. */
export const NAMED_AFTER = 5;
/** Texts that are remembered; those that were first seen longest ago are forgotten. */
const TEXTS_MAX = 2_000;
/** What reads or changes rows. One statement only: several in one text can't be prepared. */
const PREPARABLE = /^\s*(select|with|insert|update|delete)\b[^;]*$/i;
const NAME_LENGTH = 20;

type KnownText = { executions: number; isPreparable: boolean; name: string | undefined };

/**
 * Names the statements that recur, so that each connection parses and plans them once. The name is a hash of the text: it
 * needs no list, and no two texts share one. A text with values of its own in it does not recur and stays unnamed.
 */
export class StatementNames {
  readonly #texts = new Map<string, KnownText>();

  /** Whether a text is one statement that reads or changes rows. */
  isPreparable(text: string): boolean {
    return (this.#texts.get(text) ?? this.#remember(text)).isPreparable;
  }

  /** Counts an execution. @returns the statement's name, undefined while it is rare */
  nameOf(text: string): string | undefined {
    const known = this.#texts.get(text) ?? this.#remember(text);
    if (known.executions < NAMED_AFTER) {
      known.executions += 1;
      if (known.executions === NAMED_AFTER && known.isPreparable) known.name = nameFor(text);
    }
    return known.name;
  }

  #remember(text: string): KnownText {
    const known = { executions: 0, isPreparable: PREPARABLE.test(text), name: undefined };
    this.#texts.set(text, known);
    const [oldest] = this.#texts.keys();
    if (this.#texts.size > TEXTS_MAX && oldest !== undefined) this.#texts.delete(oldest);
    return known;
  }
}

const nameFor = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, NAME_LENGTH);
