import type { Queryable } from './database/database.ts';

/** Why the outside file must have an entry: something here can't be settled without the party. */
export type PartyNeed = {
  /** Entry of the outside file, such as `sms` or `games.pg`. */
  entry: string;
  /** What needs it, as the end of a sentence. */
  reason: string;
  /** How that ends. */
  remedy: string;
};

/**
 * Reads what a module needs counterparties for.
 * @param isPresent whether the outside file has an entry; what needs only present entries may be left out
 */
export type PartyNeedSource = (on: Queryable, isPresent: (entry: string) => boolean) => Promise<PartyNeed[]>;

/** What the outside file lacks although something needs it. */
export async function selectUnmetNeeds(
  on: Queryable,
  sources: readonly PartyNeedSource[],
  entries: ReadonlySet<string>,
): Promise<PartyNeed[]> {
  const isPresent = (entry: string): boolean => entries.has(entry);
  const needs: PartyNeed[] = [];
  for (const source of sources) needs.push(...(await source(on, isPresent)));
  return needs.filter(({ entry }) => !isPresent(entry));
}

/** Names an unmet need for an operator, without the remedy. */
export const unmetSentence = ({ entry, reason }: PartyNeed): string =>
  `The outside file has no ${entry}, but ${reason}.`;
