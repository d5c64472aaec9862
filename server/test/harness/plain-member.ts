import type { Queryable } from '../../src/platform/database/database.ts';
import { uuidV7 } from '../../src/platform/ids.ts';
import { newPhone } from './members.ts';

/** Inserts only the row of a member, for tests below the API whose tables reference members. @returns the id */
export async function insertPlainMember(queryable: Queryable, currency = 'BAHT'): Promise<string> {
  const now = new Date();
  const id = uuidV7(now);
  await queryable.query(
    `insert into member (id, phone, name, password_hash, currency, source_code, created_at)
     values ($1, $2, 'Somjai', 'x', $3, 'FRIEND', $4)`,
    [id, newPhone(), currency, now],
  );
  return id;
}
