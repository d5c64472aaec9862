import { isTemporary } from '../../platform/database/errors.ts';
import { failedWork } from '../../platform/jobs/failed-work.ts';
import { type Job, startPeriodicJob } from '../../platform/jobs/job.ts';
import { startPollingWorker } from '../../platform/jobs/polling-worker.ts';
import { PoolFull, WorkerDied } from '../../platform/jobs/worker-pool.ts';
import {
  claimDue,
  deleteExpired,
  deleteParts,
  endExport,
  exportWork,
  failExport,
  renewLease,
  type StatementExport,
  storePart,
} from './export-queries.ts';
import { packPeriod } from './pack-period.ts';
import { createPrinter, type Printer, printPart } from './print-part.ts';
import type { ExportDeps } from './request-export.ts';

/** Attempts to make a file. */
const TRIES_MAX = 5;
/** Longest time that the reading or one part takes. */
const LEASE_MS = 150_000;
const SWEEP_EVERY_MS = 10 * 60_000;

/** Makes the requested files, and deletes old ones. */
export function startExports(deps: ExportDeps): Pick<Job, 'wake' | 'stop'> {
  const { database, log } = deps;
  const printer = createPrinter();
  const writer = startPollingWorker({
    name: 'make statement files',
    concurrency: 1,
    claim: (limit) => claimDue(database, limit, LEASE_MS),
    handle: (row) => makeOrFail(deps, printer, row),
    failed: failedWork(database, exportWork),
    keyOf: ({ id }) => id,
    log,
    failureMessage: 'statement file to be made again',
    logFields: ({ id }) => ({ id }),
  });
  const sweep = (): Promise<void> => deleteExpired(database);
  const sweeper = startPeriodicJob({ name: 'delete statement files', everyMs: SWEEP_EVERY_MS, run: sweep, log });
  return {
    wake: () => writer.wake(),
    stop: async () => {
      await Promise.all([writer.stop(), sweeper.stop()]);
      await printer.close();
    },
  };
}

/** Makes a file. A final error fails it: the member may request another immediately. */
async function makeOrFail(deps: ExportDeps, printer: Printer, row: StatementExport): Promise<void> {
  try {
    await makeFile(deps, printer, row);
  } catch (error) {
    if (isTemporary(error) || error instanceof PoolFull || error instanceof WorkerDied) throw error;
    deps.log.error({ err: error, id: row.id }, 'statement file failed for good');
    await failExport(deps.database, row.id);
  }
}

async function makeFile(deps: ExportDeps, printer: Printer, row: StatementExport): Promise<void> {
  const { database } = deps;
  const { id, tries } = row;
  if (tries > TRIES_MAX) return failExport(database, id);
  const packed = await packPeriod(deps, row);
  await deleteParts(database, id);
  let [first, lines]: [Buffer | undefined, number] = [undefined, 0];
  for (const [index, part] of packed.entries()) {
    if (!(await renewLease(database, id, LEASE_MS))) return;
    const content = await printPart(printer, row.input, part, { part: index + 1, parts: packed.length });
    if (index === 0) first = content;
    else await storePart(database, id, index + 1, { content, lines: part.lines });
    lines += part.lines;
  }
  return endExport(database, id, { content: first ?? Buffer.alloc(0), lines });
}
