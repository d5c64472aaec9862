import type { GameTransfer, Players } from './players.ts';

type Order = Parameters<Players['transfer']>[0] & { reference: string };

/**
 * Moves credit once per reference, for protocols whose references are idempotent.
 * @returns the transfer, made now or before; `other-values` when the reference belongs to another one; or why it was
 * not made
 */
export function moveOnce(players: Players, order: Order): ReturnType<Players['transfer']> | 'other-values' {
  const known = players.transferByReference(order.reference);
  if (!known) return players.transfer(order);
  return isSame(known, order) ? known : 'other-values';
}

function isSame(known: GameTransfer, { username, direction, amount }: Order): boolean {
  if (known.username !== username.toLowerCase() || known.direction !== direction) return false;
  return direction === 'all-out' || known.asked === amount;
}
