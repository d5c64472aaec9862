import { monotonicMs } from '@krapao/server/src/platform/time.ts';
import type { Command } from './commands.ts';
import { ageQrcodes, type Member } from './members.ts';
import { readCpu } from '../process-tree.ts';
import type { System } from './system.ts';

/** Figures of one measurement; CPU in ms and WAL in bytes are per command. */
export type Window = {
  count: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  apiMs: number;
  postgresMs: number;
  simulatorsMs: number;
  /** CPU of this process, the load generator. */
  loadMs: number;
  walBytes: number;
};

export type MeasureOptions = {
  inFlight: number;
  durationMs: number;
  countMax?: number;
  /** Wraps the measured run without its preparation. */
  observe?: (run: () => Promise<void>) => Promise<void>;
};

type Usage = { api: number; postgres: number; simulators: number; load: number; wal: number };

/** Number of runs in all measurements; each run has a unique turn, which commands may depend on. */
let turns = 0;

/**
 * Runs a command for some time with concurrent callers that wait for the outcome. Splits the run into batches if a limit per member or
 * a preparation requires it.
 * @throws {Error} the first failure of a command
 */
export async function measure(
  system: System,
  members: readonly Member[],
  command: Command,
  options: MeasureOptions,
): Promise<Window> {
  const { inFlight, durationMs, countMax = Infinity, observe = (run) => run() } = options;
  const latencies: number[] = [];
  const spent: Usage = { api: 0, postgres: 0, simulators: 0, load: 0, wal: 0 };
  let ms = 0;
  const runOne = async (member: Member): Promise<void> => {
    const from = monotonicMs();
    turns += 1;
    await command.run(system, member, turns);
    latencies.push(monotonicMs() - from);
  };
  const batchMax = members.length * (command.maxPerMember ?? Infinity);
  do {
    const before = latencies.length;
    await ageQrcodes(system);
    await forAll(members, inFlight, command.prepare && ((member) => command.prepare?.(system, member, 0)));
    await observe(async () => {
      const used = await readUsage(system);
      const start = monotonicMs();
      const isOver = (started: number): boolean =>
        started >= batchMax ||
        (!command.prepare && (ms + monotonicMs() - start >= durationMs || before + started >= countMax));
      await runUntil(isOver, inFlight, members, runOne);
      ms += monotonicMs() - start;
      addDifference(spent, used, await readUsage(system));
    });
    await forAll(members, inFlight, command.finish && ((member) => command.finish?.(system, member, 0)));
  } while (ms < durationMs && latencies.length < countMax);
  return windowOf(latencies, ms, spent);
}

function windowOf(latencies: number[], ms: number, spent: Usage): Window {
  const count = latencies.length;
  const sorted = latencies.toSorted((first, second) => first - second);
  const quantile = (share: number): number => sorted[Math.floor((count - 1) * share)] ?? Number.NaN;
  return {
    count,
    perSecond: (count / ms) * 1_000,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    apiMs: spent.api / count,
    postgresMs: spent.postgres / count,
    simulatorsMs: spent.simulators / count,
    loadMs: spent.load / count,
    walBytes: spent.wal / count,
  };
}

/** Runs callers until `isOver`; each uses a member that no other caller uses. */
async function runUntil(
  isOver: (started: number) => boolean,
  callers: number,
  members: readonly Member[],
  run: (member: Member) => Promise<void>,
): Promise<void> {
  const free = [...members];
  let started = 0;
  let failure: Error | undefined;
  const caller = async (): Promise<void> => {
    while (!failure && !isOver(started)) {
      const member = free.shift();
      if (!member) throw new Error('there are fewer members than callers');
      started += 1;
      await run(member).catch((error: Error) => (failure ??= error));
      free.push(member);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  if (failure) throw failure;
}

async function forAll(
  members: readonly Member[],
  callers: number,
  run: ((member: Member) => Promise<void> | undefined) | undefined,
): Promise<void> {
  if (run)
    await runUntil(
      (started) => started >= members.length,
      callers,
      members,
      async (member) => run(member),
    );
}

async function readUsage({ pids, operator, operatorPid }: System): Promise<Usage> {
  const { rows } = await operator.query<{ wal: string }>(`select (pg_current_wal_lsn() - '0/0')::bigint as wal`);
  const cpu = readCpu();
  return {
    api: cpu.of(pids.api, [pids.postgres]),
    postgres: cpu.of(pids.postgres, [operatorPid]),
    simulators: cpu.of(pids.simulators),
    load: process.cpuUsage().user / 1_000 + process.cpuUsage().system / 1_000,
    wal: Number(rows[0]?.wal),
  };
}

function addDifference(sum: Usage, before: Usage, after: Usage): void {
  for (const name of ['api', 'postgres', 'simulators', 'load', 'wal'] as const) sum[name] += after[name] - before[name];
}
