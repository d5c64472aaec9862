// Started by embedded-postgres.slow.test.ts: prints the postmaster's pid, then each committed number.
import { writeSync } from 'node:fs';
import pg from 'pg';
import { launchEmbeddedPostgres } from '../../../src/platform/database/embedded-postgres/launch.ts';

const postgres = await launchEmbeddedPostgres({ directory: process.argv[2] ?? '' });
const client = new pg.Client({ connectionString: postgres.url });
client.on('error', () => {});
await client.connect();
await client.query('create table if not exists written (n integer primary key)');
writeSync(1, `${postgres.pid}\n`);
for (let n = 1; n < 100_000; n += 1) {
  await client.query('insert into written values ($1)', [n]);
  writeSync(1, `${n}\n`);
}
