const RESTS_IN_WALLET = 'RESTS_IN_WALLET';

/** Whether the server keeps the reply under its key: applied, pending, or refused with money in the wallet. */
export const isKept = ({ status, body }) =>
  ((status === 200 || status === 202) && body?.success !== false) || body?.detail === RESTS_IN_WALLET;

/** Whether the outcome is unknown: no reply of a node, or a request to retry. */
export const isUnknown = ({ status, body }) => [0, 500, 503, 504].includes(status) || body === undefined;

/** Whether the reply is not final: the key must be sent again. */
export const isOpen = ({ status }) => [0, 202, 429, 503].includes(status);

/** Violations that no fault excuses: 500 of a node, or 503 without Retry-After. */
export function isViolation({ status, body, hasRetryAfter }) {
  return (status === 500 && body !== undefined) || (status === 503 && !hasRetryAfter);
}

/** Whether a later reply matches the first: pending may have become any outcome, all others must be equal. */
export function isAsAcknowledged(first, now) {
  if (!isKept(first)) return true;
  if (first.status !== 202) return textOf(now) === textOf(first);
  return isKept(now) && now.body.reference !== undefined
    ? now.body.reference === first.body.reference
    : now.body?.message === 'TRANSFER_FAIL';
}

/** Whether replies to two concurrent calls with one key belong to one command. */
export function areCopies([firstReply, secondReply]) {
  return (
    secondReply === undefined || isAsAcknowledged(firstReply, secondReply) || isAsAcknowledged(secondReply, firstReply)
  );
}

export const textOf = ({ status, body }) => JSON.stringify([status, body]);

/** Amounts in satang that a command moved into and out of a game, by its final reply. */
export function movedAmounts({ request, final }, game) {
  const { from, to } = request.body;
  const isDone = final?.status === 200;
  const amountSatang = Math.round((request.body.amount ?? final?.body?.amount ?? 0) * 100);
  return {
    in: isDone && to === game ? amountSatang : 0,
    // Game to game with a refused second leg: the money has left the first game.
    out: (isDone || final?.body?.detail === RESTS_IN_WALLET) && from === game ? amountSatang : 0,
  };
}
