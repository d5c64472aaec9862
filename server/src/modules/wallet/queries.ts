import type { Queryable } from '../../platform/database.ts';

/** Whether an operator has closed the member's wallet. */
export async function isSuspended(on: Queryable, memberId: string): Promise<boolean> {
  const { rowCount } = await on.query('select from wallet_suspension where member_id = $1', [memberId], {
    name: 'wallet suspension',
  });
  return rowCount > 0;
}
