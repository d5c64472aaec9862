import { launchEmbeddedPostgres } from '@krapao/server/src/platform/database/embedded-postgres/launch.ts';
import pg from 'pg';
import { HAND_WRITTEN_TABLES, HandWritten } from '../ledger/hand-written.ts';
import { hasPgbench, pgbench } from '../ledger/pgbench.ts';
import { transferOf } from '../ledger/transfers.ts';
import { load } from '../load.ts';

/** Reference of a run: hand-written double entry on a separate PostgreSQL with the product's settings. */
export type DoubleEntry = {
  driver: 'pgbench' | 'node-postgres';
  /** @returns transactions per second */
  measure(inFlight: number, seconds: number): Promise<number>;
  stop(): Promise<void>;
};

const MAX_CONNECTIONS = 300;

/** @param directory for its data; must not exist */
export async function startDoubleEntry(directory: string): Promise<DoubleEntry> {
  const postgres = await launchEmbeddedPostgres({ directory, maxConnections: MAX_CONNECTIONS });
  const client = new pg.Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(HAND_WRITTEN_TABLES);
  await client.end();
  const handWritten = hasPgbench() ? undefined : new HandWritten(postgres.url);
  let round = 0;
  return {
    driver: handWritten ? 'node-postgres' : 'pgbench',
    async measure(inFlight, seconds) {
      if (!handWritten) return pgbench(postgres.url, inFlight, Math.max(1, Math.ceil(seconds)));
      const run = `bench${(round += 1)}`;
      const figures = await load(inFlight, seconds * 1_000, (turn) =>
        handWritten.transfer(transferOf(turn, run, 'spread')),
      );
      return figures.perSecond;
    },
    async stop() {
      await handWritten?.close();
      await postgres.stop();
    },
  };
}
