import { countShared } from '../lookup/module.ts';
import type { BonusWork } from './bonus-work.ts';

/**
 * Counts a typed code: a caller who tries many is refused for a while, whether or not the codes exist. @param group the
 * caller's address, as limits count it
 * @throws REQUEST_LIMIT_1MIN, REQUEST_LIMIT
 */
export async function countGuess(
  work: Pick<BonusWork, 'operatorData' | 'rateLimits'>,
  { memberId, group }: { memberId: string; group: string },
): Promise<void> {
  await countShared(work, {
    own: ['promotion.member', 'promotion.member.day'],
    whom: memberId,
    shared: 'promotion.address',
    group,
  });
}
