import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { toDecimal } from '@krapao/contract/money';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Database } from '../platform/database/database.ts';
import { selectHouseAccountBalances } from './balances.ts';
import { BATCH_CHANNEL, type BatchTiming } from './writer.ts';

const SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const SIZE_BUCKETS = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** Registers metrics for batches, refused operations and house balances. @returns a function that stops measuring */
export function measureLedger(registry: Registry, database: Database): () => void {
  const registers = [registry];
  const batchSeconds = new Histogram({
    name: 'krapao_ledger_batch_seconds',
    help: 'Time of a batch from its start to its commit, retries included',
    buckets: SECONDS_BUCKETS,
    registers,
  });
  const batchSize = new Histogram({
    name: 'krapao_ledger_batch_operations',
    help: 'Operations of a batch',
    buckets: SIZE_BUCKETS,
    registers,
  });
  const refusedOperations = new Counter({
    name: 'krapao_ledger_refusals_total',
    help: 'Operations that the ledger refused, by reason; replays not counted',
    labelNames: ['reason'],
    registers,
  });
  new Gauge({
    name: 'krapao_house_balance',
    help: 'Balance of each house account in whole units: negative where the account owes, as a gateway does that took money',
    labelNames: ['account', 'currency'],
    // Every API process reads the same balances.
    aggregator: 'first',
    registers,
    async collect() {
      for (const { account, currency, posted } of await selectHouseAccountBalances(database)) {
        this.set({ account, currency }, Number(toDecimal(posted)));
      }
    },
  });
  const observeBatch = (message: unknown): void => {
    const batch = message as BatchTiming;
    batchSeconds.observe(batch.seconds);
    batchSize.observe(batch.verdicts.length);
    for (const { reason, replayed } of batch.verdicts) if (reason && !replayed) refusedOperations.inc({ reason });
  };
  subscribe(BATCH_CHANNEL, observeBatch);
  return () => void unsubscribe(BATCH_CHANNEL, observeBatch);
}
