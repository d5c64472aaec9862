import type { timelineItem } from '@krapao/contract/endpoints/timeline';
import type { Currency } from '@krapao/contract/money';
import { MONEY_KEY } from '@krapao/contract/rules';
import type { z } from 'zod';
import type { Queryable } from '../../platform/database/database.ts';
import type { AccountModule } from '../account/index.ts';
import type { CustomerRef } from './chat.ts';

/** A movement of money as its member sees it: accounts outside are masked. */
export type Movement = z.input<typeof timelineItem>;

/** Finds a movement of one member. @returns undefined when the key names none of the member's own */
export type FindMovement = (member: { id: string; currency: Currency }, key: string) => Promise<Movement | undefined>;

type MovementDeps = {
  database: Queryable;
  account: Pick<AccountModule, 'memberById'>;
  findMovement: FindMovement;
};

/**
 * The movement that a message of a conversation names. A key is only a claim of the customer: another member's movement
 * is undefined, as one that does not exist. Visitors have none.
 */
export async function findMovementOf(
  { database, account, findMovement }: MovementDeps,
  { kind, id }: CustomerRef,
  key: string,
): Promise<Movement | undefined> {
  if (kind !== 'member' || !MONEY_KEY.test(key)) return undefined;
  const member = await account.memberById(database, id);
  return member && findMovement(member, key);
}
