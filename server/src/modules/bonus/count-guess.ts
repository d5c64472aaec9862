import type { BonusWork } from './bonus-work.ts';

/**
 * Counts a typed code: a caller who tries many is refused for a while, whether or not the codes exist. @param group the
 * caller's address, as limits count it
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
