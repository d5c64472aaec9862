import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';

// PostgreSQL writes the folder of its socket there.
const SOCKET_LINE = 4;

/** Changes what the operator sets, in the database of a system that runs (docs/runbooks/operator-data.md). */
export async function asOperator(dataFolder: string, sql: string, values: readonly unknown[]): Promise<void> {
  const host = readFileSync(join(dataFolder, 'postgres/postmaster.pid'), 'utf8').split('\n')[SOCKET_LINE] ?? '';
  const database = new Client({ host, user: 'krapao', database: 'krapao' });
  await database.connect();
  await database.query(sql, [...values]);
  await database.end();
}
