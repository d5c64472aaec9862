import type { FastifyInstance } from 'fastify';
import { Gauge, type Registry } from 'prom-client';
import type { Job } from '../../platform/job.ts';
import { countOpen } from './queries.ts';
import { transferRoutes } from './routes.ts';
import type { TransferWork } from './transfer-work.ts';
import { watchTransfers } from './watch-transfers.ts';

export type TransferModule = {
  /** Starts finishing what was left behind. Once, when the database is there. */
  start(): void;
  /** Ends after what is under way; before the ledger and the database close. */
  stop(): Promise<void>;
};

export type TransferModuleDeps = Omit<TransferWork, 'wakeResolver'> & { app: FastifyInstance; metrics: Registry };

/** Moving money between the wallet and game accounts: the member's call, and the resolver of what it leaves open. */
export function transferModule({ app, metrics, ...given }: TransferModuleDeps): TransferModule {
  let resolver: Job | undefined;
  const work: TransferWork = { ...given, wakeResolver: () => resolver?.wake() };
  transferRoutes(app, work);
  // Reads when it is asked: the table holds the truth for all nodes.
  new Gauge({
    name: 'krapao_transfers_open',
    help: 'Transfers whose outcome is not known, and those that wait for an operator',
    labelNames: ['state'],
    registers: [metrics],
    async collect() {
      const { unknown, manual } = await countOpen(work.database);
      this.set({ state: 'UNKNOWN' }, unknown);
      this.set({ state: 'MANUAL' }, manual);
    },
  });
  return {
    start: () => {
      resolver ??= watchTransfers(work);
    },
    stop: async () => {
      await resolver?.stop();
      resolver = undefined;
    },
  };
}
