import { createHash } from 'node:crypto';
import { join } from 'node:path';
import pg from 'pg';
import { type Database, openDatabase } from '../../src/platform/database/database.ts';
import { MIGRATIONS, migrate, readMigrations } from '../../src/platform/database/migrate.ts';
import { readFunctionFiles } from '../../src/platform/database/sql-functions.ts';
import { newReference } from '../../src/platform/ids.ts';
import { sharedClusterUrl } from './cluster.ts';

export type FreshDatabase = {
  url: string;
  database: Database;
  /** Closes the pool and drops the database. */
  dropDatabase(): Promise<void>;
};

/** A migrated database of its own, cloned from a template in some 20 ms. */
export const freshDatabase = (): Promise<FreshDatabase> => createDatabase(ensureTemplate);

/** A database without any table. */
export const emptyDatabase = (): Promise<FreshDatabase> => createDatabase(async () => 'template1');

/** @param ensureTemplateDatabase returns the name of the template database */
async function createDatabase(ensureTemplateDatabase: typeof ensureTemplate): Promise<FreshDatabase> {
  const cluster = await sharedClusterUrl();
  const name = `test_${newReference(12).toLowerCase()}`;
  await runAsAdmin(cluster, async (admin) => {
    const template = await ensureTemplateDatabase(cluster, admin);
    await admin.query(`create database ${name} template ${template}`);
  });
  const url = databaseUrlOf(cluster, name);
  const database = openDatabase({ url });
  return {
    url,
    database,
    async dropDatabase() {
      await database.close();
      await runAsAdmin(cluster, (admin) => admin.query(`drop database if exists ${name} with (force)`));
    },
  };
}

// Named by its content, so that work trees with different migrations can share one cluster.
async function ensureTemplate(cluster: string, admin: pg.Client): Promise<string> {
  const migrations = readMigrations(MIGRATIONS);
  const functionFiles = readFunctionFiles(join(MIGRATIONS, '../sql'), new Set(migrations.map(({ number }) => number)));
  const content = [...migrations, ...functionFiles].map(({ sha256 }) => sha256);
  const template = `template_${createHash('sha256').update(content.join()).digest('hex').slice(0, 16)}`;
  await admin.query('select pg_advisory_lock(hashtext($1))', [template]);
  try {
    const { rows } = await admin.query<{ ready: boolean }>(
      'select datistemplate as ready from pg_database where datname = $1',
      [template],
    );
    if (rows[0]?.ready) return template;
    if (rows[0]) await admin.query(`drop database ${template} with (force)`);
    await admin.query(`create database ${template}`);
    const database = openDatabase({ url: databaseUrlOf(cluster, template) });
    try {
      await migrate(database);
    } finally {
      await database.close();
    }
    await admin.query(`alter database ${template} with is_template true allow_connections false`);
    return template;
  } finally {
    await admin.query('select pg_advisory_unlock(hashtext($1))', [template]);
  }
}

async function runAsAdmin<T>(cluster: string, useAdmin: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = new pg.Client({ connectionString: cluster });
  await admin.connect();
  try {
    return await useAdmin(admin);
  } finally {
    await admin.end();
  }
}

function databaseUrlOf(cluster: string, database: string): string {
  return cluster.replace(/\/[^/?]*(\?|$)/, `/${database}$1`);
}
