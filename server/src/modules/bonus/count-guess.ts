import type { BonusWork } from './bonus-work.ts';

/**
 * Counts a code that was typed: whoever tries many is told to wait, whatever the codes were.
 * @param group what the caller's address is counted as
 * @throws REQUEST_LIMIT_1MIN, REQUEST_LIMIT
 */
export async function countGuess(
  { operatorData, rateLimits }: BonusWork,
  { memberId, group }: { memberId: string; group: string },
): Promise<void> {
  const data = await operatorData();
  for (const [name, whom, code] of [
    ['promotion.address', group, 'REQUEST_LIMIT'],
    ['promotion.member', memberId, 'REQUEST_LIMIT_1MIN'],
    ['promotion.member.day', memberId, 'REQUEST_LIMIT'],
  ] as const) {
    const { hits, windowSeconds } = data.limit(name);
    await rateLimits.hit({ key: `${name}:${whom}`, max: hits, windowSeconds, code });
  }
}
