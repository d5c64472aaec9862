import { toWire } from '@krapao/contract/money';
import type { Reply } from '../../api/endpoint-types.ts';
import { minorOf } from '../wallet/minor-of.ts';

/** What must be met before money can be withdrawn, as the server tells it. */
export type OpenCondition = Reply<'GET /api/bonus/check/active'>['conditions'][number];

/** With what is still missing of its target: what a member wants to know of it. */
export function withMissing(condition: OpenCondition): OpenCondition & { missing: number } {
  const missing = (minorOf(condition.target) ?? 0n) - (minorOf(condition.current) ?? 0n);
  return { ...condition, missing: toWire(missing > 0n ? missing : 0n) };
}
