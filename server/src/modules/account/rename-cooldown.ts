/** Time for the victim of a stolen payment to complain and for an operator to react. */
const COOLDOWN_MS = 24 * 60 * 60_000;

/**
 * Refuses a withdrawal within a day of replacing one English name by another: a fraudster who takes the name of another
 * sender to receive that sender's money has to wait. The first English spelling of a Thai or Lao name, which banks ask for,
 * starts no cooldown.
 * @param exchangedAt as `nameExchangedAt` reads it
 * @returns undefined when the member may withdraw
 */
export function renameCooldown(
  exchangedAt: Date | null,
  now: Date,
): { code: 'REQUEST_LIMIT'; detail: 'ACCOUNT_NAME_CHANGED' } | undefined {
  const isCoolingDown = exchangedAt !== null && exchangedAt.getTime() > now.getTime() - COOLDOWN_MS;
  return isCoolingDown ? { code: 'REQUEST_LIMIT', detail: 'ACCOUNT_NAME_CHANGED' } : undefined;
}
