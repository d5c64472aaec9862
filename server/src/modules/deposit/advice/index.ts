import type { FastifyInstance } from 'fastify';
import { type Job, type JobLog, startPeriodicJob } from '../../../platform/jobs/job.ts';
import { type AdviceDeps, adviceRoutes } from './http.ts';
import { MEASURE_EVERY_MS, type MeasureDeps, measureMethods } from './measure-methods.ts';

export { GIFT_METHOD, medianSecondsOf, qrMethod, SLIP_METHOD } from './advice.ts';
export { selectStats } from './queries.ts';

export type AdviceModuleDeps = AdviceDeps & MeasureDeps & { log: JobLog };

export type AdviceModule = { start(): void; stop(): Promise<void> };

/** What is known of each deposit method, and measuring it. */
export function adviceModule(app: FastifyInstance, deps: AdviceModuleDeps): AdviceModule {
  let job: Job | undefined;
  adviceRoutes(app, deps);
  return {
    start: () => {
      job ??= startPeriodicJob({
        name: 'deposit-method-stats',
        everyMs: MEASURE_EVERY_MS,
        run: () => measureMethods(deps),
        log: deps.log,
      });
    },
    stop: async () => {
      await job?.stop();
      job = undefined;
    },
  };
}
