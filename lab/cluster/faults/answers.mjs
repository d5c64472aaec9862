const RESTS_IN_WALLET = 'RESTS_IN_WALLET';

/** Carried out, or under way, and kept under its key; another refusal may keep nothing. */
export const isKept = ({ status, body }) =>
  ((status === 200 || status === 202) && body?.success !== false) || body?.detail === RESTS_IN_WALLET;

/** Without an answer of a node, or asked to try again: the outcome is unknown. */
export const isUnknown = ({ status, body }) => [0, 500, 503, 504].includes(status) || body === undefined;

/** Not final yet: the same key has to be sent again. */
export const isOpen = ({ status }) => [0, 202, 429, 503].includes(status);

/** An answer 500 of a node, or 503 without Retry-After, which no fault excuses. */
export function isViolation({ status, body, hasRetryAfter }) {
  return (status === 500 && body !== undefined) || (status === 503 && !hasRetryAfter);
}

/** What was under way may have ended either way; every other acknowledgement is repeated as it was. */
export function isAsAcknowledged(first, now) {
  if (!isKept(first)) return true;
  if (first.status !== 202) return textOf(now) === textOf(first);
  return isKept(now) && now.body.reference !== undefined
    ? now.body.reference === first.body.reference
    : now.body?.message === 'TRANSFER_FAIL';
}

/** Whether answers to the same key, sent twice at the same time, are of one command. */
export function areCopies([one, other]) {
  return other === undefined || isAsAcknowledged(one, other) || isAsAcknowledged(other, one);
}

export const textOf = ({ status, body }) => JSON.stringify([status, body]);

/** What a command with its final answer has moved into a game and out of it, in satang. */
export function movedBy({ wish, final }, game) {
  const { from, to } = wish.body;
  const isDone = final?.status === 200;
  const satang = Math.round((wish.body.amount ?? final?.body?.amount ?? 0) * 100);
  return {
    in: isDone && to === game ? satang : 0,
    // From game to game, with the second half refused, the money has left the first game.
    out: (isDone || final?.body?.detail === RESTS_IN_WALLET) && from === game ? satang : 0,
  };
}
