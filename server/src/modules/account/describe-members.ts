import type { Queryable } from '../../platform/database/database.ts';
import { selectPhones } from './holder-queries.ts';

/** Describes a member for an operator: id and phone. */
export type WhoIs = (memberId: string) => string;

/** Describes members for operators' output. Never for a log: logs contain no phone. */
export async function describeMembers(on: Queryable, memberIds: readonly string[]): Promise<WhoIs> {
  const phones = await selectPhones(on, memberIds);
  return (id) => `${id} (${phones.get(id) ?? 'no phone'})`;
}
