import type { Queryable } from '../../platform/database/database.ts';
import { type SnapshotPart, snapshotPart } from '../../platform/database/member-snapshot.ts';

/** Whether an operator has closed the member's wallet. */
export const suspended: SnapshotPart<boolean> = snapshotPart(
  'select exists (select from wallet_suspension s where s.member_id = $1::text)',
  (isThere: boolean) => isThere,
);

/** The same by itself. */
export async function isSuspended(on: Queryable, memberId: string): Promise<boolean> {
  const { rowCount } = await on.query('select from wallet_suspension where member_id = $1', [memberId], {
    name: 'wallet suspension',
  });
  return rowCount > 0;
}
