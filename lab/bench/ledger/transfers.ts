/** How many members take part, each with money enough. */
export const MEMBERS = 1_000;

/** What every contender does: move an amount between a member's wallet and an account of the house. */
export type Transfer = { key: string; member: number; house: number; reference: string };

/**
 * The transfer of a turn. `hot`: all on one house account; `spread`: one of a thousand, so that nothing is shared.
 * The same turns give the same transfers to every contender.
 */
export function transferOf(turn: number, run: string, house: 'hot' | 'spread'): Transfer {
  // A multiplier without a common divisor with the number of members visits all of them, in no obvious order.
  const member = (turn * 617) % MEMBERS;
  return {
    key: `${run}:${turn}`,
    member,
    house: house === 'hot' ? 0 : (turn * 389) % MEMBERS,
    reference: `T${run}${turn}`,
  };
}
