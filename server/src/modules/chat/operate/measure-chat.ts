import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../../../platform/database/database.ts';
import { countUntold } from '../backend/backend-queries.ts';
import { countWaiting } from './operator-queries.ts';

/** What should not be many. Reads when it is asked: the tables hold the truth for all nodes. */
export function measureChat(metrics: Registry, database: Database, { hasBackend }: { hasBackend: boolean }): void {
  new Gauge({
    name: 'krapao_chat_waiting',
    help: 'Conversations that wait for an answer, and how long the first of them has',
    labelNames: ['what'],
    // Every API process reads the same.
    aggregator: 'first',
    registers: [metrics],
    async collect() {
      const { waiting, seconds } = await countWaiting(database);
      this.set({ what: 'conversations' }, waiting);
      this.set({ what: 'seconds' }, seconds);
    },
  });
  if (!hasBackend) return;
  new Gauge({
    name: 'krapao_chat_messages_untold',
    help: 'Messages of customers that the chat backend has not taken yet',
    // Every API process reads the same.
    aggregator: 'first',
    registers: [metrics],
    async collect() {
      this.set(await countUntold(database));
    },
  });
}
