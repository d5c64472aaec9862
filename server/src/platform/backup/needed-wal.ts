import type { Database } from '../database/database.ts';

const PERMISSION_DENIED = '42501';

/**
 * Notes the first WAL file that the kept backups need, as the comment of the database. Each database server reads it and
 * prunes its own archive (deploy/patroni/krapao-wal-prune): the machine with the backups doesn't see these archives.
 * @returns false: the user doesn't own the database
 */
export async function publishNeededWal(database: Database, fileName: string): Promise<boolean> {
  const { rows } = await database.query<{ statement: string }>(
    `select format('comment on database %I is %L', current_database(), $1::text) as statement`,
    [`backups need WAL from ${fileName}`],
  );
  try {
    await database.query(rows[0]?.statement ?? '');
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === PERMISSION_DENIED) return false;
    throw error;
  }
}
