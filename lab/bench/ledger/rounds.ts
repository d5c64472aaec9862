import type { Database } from '@krapao/server/src/platform/database/database.ts';
import type { EmbeddedPostgres } from '@krapao/server/src/platform/database/embedded-postgres/launch.ts';
import { type Figures, load, median } from '../load.ts';
import { readUsage } from '../postgres-usage.ts';
import type { HandWritten } from './hand-written.ts';
import type { InProcess } from './in-process.ts';
import { pgbench } from './pgbench.ts';
import type { ThroughHttp } from './through-http.ts';
import { transferOf } from './transfers.ts';

export const IN_FLIGHT = [1, 8, 64, 256];
/** Calls in flight at which the contenders are compared. */
export const COMPARED = 64;

type Sample = Figures & { cpuUs: number; walBytes: number; tableBytes: number };
export type Result = { name: string; inFlight: number; samples: Sample[] };
export type Plan = {
  rounds: number;
  roundMs: number;
  withPgbench: boolean;
  postgres: EmbeddedPostgres;
  database: Database;
  ledger: InProcess;
  handWritten: HandWritten;
  http: ThroughHttp;
};

/** Runs the contenders alternately in rounds. */
export async function measure(plan: Plan): Promise<Result[]> {
  const { database, ledger, handWritten, http, postgres } = plan;
  const results = new Map<string, Result>();
  const addSample = (name: string, inFlight: number, sample: Sample): void => {
    const result = results.get(`${name} ${inFlight}`) ?? { name, inFlight, samples: [] };
    result.samples.push(sample);
    results.set(`${name} ${inFlight}`, result);
  };
  const run = async (
    name: string,
    contender: InProcess | HandWritten | ThroughHttp,
    inFlight: number,
    house: 'hot' | 'spread',
    round: number,
  ) => {
    const label = `${name.replaceAll(' ', '')}${inFlight}r${round}`;
    const schema = contender === handWritten ? 'plain' : 'ledger';
    await database.query('checkpoint');
    const usageBefore = await readUsage(postgres.pid, database, schema);
    const figures = await load(inFlight, plan.roundMs, (turn) => contender.transfer(transferOf(turn, label, house)));
    const usageAfter = await readUsage(postgres.pid, database, schema);
    const perTransfer = (key: keyof typeof usageAfter): number => (usageAfter[key] - usageBefore[key]) / figures.count;
    addSample(name, inFlight, {
      ...figures,
      cpuUs: perTransfer('cpuUs'),
      walBytes: perTransfer('walBytes'),
      tableBytes: perTransfer('tableBytes'),
    });
  };
  for (let round = 0; round <= plan.rounds; round += 1) {
    // The first round warms caches, plans and the compiler and is discarded.
    if (round === 1) results.clear();
    for (const inFlight of IN_FLIGHT) {
      await run('hand-written', handWritten, inFlight, 'spread', round);
      await run('ledger in process', ledger, inFlight, 'spread', round);
      await run('ledger through HTTP', http, inFlight, 'spread', round);
    }
    await run('hand-written, hot house', handWritten, COMPARED, 'hot', round);
    await run('ledger in process, hot house', ledger, COMPARED, 'hot', round);
    if (!plan.withPgbench) continue;
    const perSecond = await pgbench(postgres.url, COMPARED, Math.ceil(plan.roundMs / 1000));
    addSample('pgbench', COMPARED, {
      perSecond,
      p50Ms: (COMPARED / perSecond) * 1000,
      p99Ms: Number.NaN,
      count: 0,
      cpuUs: Number.NaN,
      walBytes: Number.NaN,
      tableBytes: Number.NaN,
    });
  }
  return [...results.values()];
}

/** Median of each figure over the rounds. */
export function medians({ samples }: Result): Sample {
  const medianOf = (key: keyof Sample): number => median(samples.map((sample) => sample[key]));
  return {
    perSecond: medianOf('perSecond'),
    p50Ms: medianOf('p50Ms'),
    p99Ms: medianOf('p99Ms'),
    count: medianOf('count'),
    cpuUs: medianOf('cpuUs'),
    walBytes: medianOf('walBytes'),
    tableBytes: medianOf('tableBytes'),
  };
}
