/** Number of members; each has enough money. */
export const MEMBERS = 1_000;

/** A transfer between a member's wallet and a house account. */
export type Transfer = { key: string; member: number; house: number; reference: string };

/**
 * The transfer of a turn; equal for all contenders. `hot`: one house account; `spread`: one of a thousand, so that no row is
 * shared.
 */
export function transferOf(turn: number, run: string, house: 'hot' | 'spread'): Transfer {
  // A multiplier coprime with the number of members visits all of them in a scattered order.
  const member = (turn * 617) % MEMBERS;
  return {
    key: `${run}:${turn}`,
    member,
    house: house === 'hot' ? 0 : (turn * 389) % MEMBERS,
    reference: `T${run}${turn}`,
  };
}
