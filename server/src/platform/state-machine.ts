import { canFollow, type StateOf, type Transitions } from '@krapao/contract/states';

/**
 * The only state guard of the server. Every statement that writes a state calls it first: either for the possible
 * current states (`where state = any($n)`), or for the state that was read. It reads the tables of the contract.
 */

/** Throws unless the table allows the transition from `from` to `to`. */
export function assertTransition<T extends Transitions>(transitions: T, from: StateOf<T>, to: StateOf<T>): void {
  if (!canFollow(transitions, from, to)) throw new Error(`no transition from ${from} to ${to}`);
}

/**
 * The states that may become `to`.
 * @param candidates restricts the result to these states; throws when one of them may not become `to`
 */
export function statesBefore<T extends Transitions>(
  transitions: T,
  to: StateOf<T>,
  ...candidates: StateOf<T>[]
): StateOf<T>[] {
  for (const from of candidates) assertTransition(transitions, from, to);
  if (candidates.length > 0) return candidates;
  const states = Object.keys(transitions) as StateOf<T>[];
  return states.filter((from) => canFollow(transitions, from, to));
}
