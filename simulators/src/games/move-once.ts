import type { GameTransfer, Players } from './players.ts';

type TransferOrder = Parameters<Players['transfer']>[0] & { reference: string };

/**
 * Moves credit once per reference, for protocols with idempotent references.
 * @returns the transfer, new or existing; `other-values` when the reference belongs to another transfer; or the reason
 *   of a failure
 */
export function moveOnce(players: Players, order: TransferOrder): ReturnType<Players['transfer']> | 'other-values' {
  const earlierTransfer = players.transferByReference(order.reference);
  if (!earlierTransfer) return players.transfer(order);
  return isSameOrder(earlierTransfer, order) ? earlierTransfer : 'other-values';
}

function isSameOrder(earlierTransfer: GameTransfer, { username, direction, amount }: TransferOrder): boolean {
  if (earlierTransfer.username !== username.toLowerCase() || earlierTransfer.direction !== direction) return false;
  return direction === 'all-out' || earlierTransfer.asked === amount;
}
