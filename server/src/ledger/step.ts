import type { BatchReply } from './batch-call.ts';
import type { Operation, Verdict } from './operation.ts';

/**
 * Rows of a module that change together with the books: the database function `settlement.<kind>_admit` writes them in the
 * commit that posts the operations, or refuses the step, and then none of its operations is posted. Where the ledger
 * refuses one of them, `settlement.<kind>_refused` writes what follows from that, or fails the call.
 */
export type Step = {
  kind: string;
  /** Undefined where all its money moves between house accounts. */
  memberId: string | undefined;
  /** The row, as JSON. */
  row: object;
  /** Two steps that claim the same are never in one call: the second waits for the answer to the first. */
  claims: readonly string[];
  /** Constraints that the rows violate only when another lane wrote the same ones concurrently: the call is retried. */
  unique: readonly string[];
  /** Operations; each group is applied whole or not at all. */
  groups: readonly (readonly Operation[])[];
};

/** A step with its row encoded, resent unchanged. */
export type PreparedStep = Pick<Step, 'kind' | 'claims' | 'unique'> & { row: string };

export type StepReply = {
  /** `o` for a step that was admitted; the others are its kind's. */
  letter: string;
  /** In the order of the operations; undefined for those of a step that was not admitted. */
  verdicts: (Verdict | undefined)[];
  /** Monotonic time at which the call was sent for the first time: what it committed is not older. */
  startedMs: number;
};

export const prepareStep = ({ kind, claims, unique, row }: Step): PreparedStep => ({
  kind,
  claims: claims.map((claim) => `${kind} ${claim}`),
  unique,
  row: JSON.stringify(row),
});

/** Places, from 0, of the operations that a call has posted. */
export function postedBy({ kept }: BatchReply, count: number): number[] {
  if (kept === null || kept === undefined) return Array.from({ length: count }, (_, place) => place);
  return kept === '' ? [] : kept.split(',').map((place) => Number(place) - 1);
}

/** The letters of a reply, one at each call. */
export function lettersOf({ letters = '' }: BatchReply): () => string {
  let place = 0;
  return () => letters[place++] ?? '';
}
