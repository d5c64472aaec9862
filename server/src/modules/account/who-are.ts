import type { Queryable } from '../../platform/database.ts';
import { selectPhones } from './holder-queries.ts';

/** Says who a member is: the id that commands take, and the phone that the member is called by. */
export type WhoIs = (memberId: string) => string;

/** Who these members are, in words for operators alone: a phone stands in no log. */
export async function whoAre(on: Queryable, memberIds: readonly string[]): Promise<WhoIs> {
  const phones = await selectPhones(on, memberIds);
  return (id) => `${id} (${phones.get(id) ?? 'no phone'})`;
}
