import type { FastifyInstance } from 'fastify';
import { describeRows, type DescribeDeps } from './describe-rows.ts';
import { statementRoutes, type StatementRouteDeps } from './http.ts';
import { startExports } from './write-exports.ts';

export { counterpartyOf } from './statement.ts';

export { exportQueue } from './export-queries.ts';

export type StatementDeps = Omit<StatementRouteDeps, 'describe'> & DescribeDeps;

export type StatementModule = {
  /** Starts to make requested files. Call once, after migration. */
  start(): void;
  /** Resolves when a file in progress is made. */
  stop(): Promise<void>;
};

/**
 * Lists the movements of a member's wallet, derived from the ledger. Bank and failure reason of a withdrawal are read
 * from the payout, name and end of an incentive from the incentive. Makes files of a period in the background.
 */
export function statementModule(app: FastifyInstance, options: StatementDeps): StatementModule {
  const deps: StatementRouteDeps = { ...options, describe: (...input) => describeRows(options, ...input) };
  let writer: ReturnType<typeof startExports> | undefined;
  statementRoutes(app, deps, () => writer?.wake());
  return {
    start: () => {
      writer ??= startExports(deps);
    },
    stop: async () => {
      await writer?.stop();
      writer = undefined;
    },
  };
}
