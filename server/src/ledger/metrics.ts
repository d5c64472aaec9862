import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { toDecimal } from '@krapao/contract/money';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Database } from '../platform/database/database.ts';
import { selectHouseBalances } from './balances.ts';
import { BATCH_CHANNEL, type BatchTiming } from './writer.ts';

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];

/** Batches of the ledger, what it refuses, and the balances of the house. @returns stops it */
export function measureLedger(registry: Registry, database: Database): () => void {
  const registers = [registry];
  const seconds = new Histogram({
    name: 'krapao_ledger_batch_seconds',
    help: 'Time of a batch from its start to its commit, retries included',
    buckets: SECONDS,
    registers,
  });
  const size = new Histogram({
    name: 'krapao_ledger_batch_operations',
    help: 'Operations of a batch',
    buckets: SIZES,
    registers,
  });
  const refused = new Counter({
    name: 'krapao_ledger_refusals_total',
    help: 'Operations that the ledger refused, by reason; replays not counted',
    labelNames: ['reason'],
    registers,
  });
  new Gauge({
    name: 'krapao_house_balance',
    help: 'Balance of each house account in whole units: negative where the account owes, as a gateway does that took money',
    labelNames: ['account', 'currency'],
    // Every API process reads the same.
    aggregator: 'first',
    registers,
    async collect() {
      for (const { account, currency, posted } of await selectHouseBalances(database)) {
        this.set({ account, currency }, Number(toDecimal(posted)));
      }
    },
  });
  const observe = (message: unknown): void => {
    const batch = message as BatchTiming;
    seconds.observe(batch.seconds);
    size.observe(batch.verdicts.length);
    for (const { reason, replayed } of batch.verdicts) if (reason && !replayed) refused.inc({ reason });
  };
  subscribe(BATCH_CHANNEL, observe);
  return () => void unsubscribe(BATCH_CHANNEL, observe);
}
