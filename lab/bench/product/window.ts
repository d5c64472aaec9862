import { monotonicMs } from '@krapao/server/src/platform/time.ts';
import { readCpu } from '../process-tree.ts';
import type { Command } from './commands.ts';
import { ageQrcodes, type Member } from './members.ts';
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

type ResourceUsage = { api: number; postgres: number; simulators: number; load: number; wal: number };

/** Number of runs in all measurements; each run has a unique turn, which commands may depend on. */
let lastTurn = 0;

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
  const spentUsage: ResourceUsage = { api: 0, postgres: 0, simulators: 0, load: 0, wal: 0 };
  let ms = 0;
  const runOne = async (member: Member): Promise<void> => {
    const startedAtMs = monotonicMs();
    lastTurn += 1;
    await command.run(system, member, lastTurn);
    latencies.push(monotonicMs() - startedAtMs);
  };
  const batchMax = members.length * (command.maxPerMember ?? Infinity);
  do {
    const countBefore = latencies.length;
    await ageQrcodes(system);
    await forAll(members, inFlight, command.prepare && ((member) => command.prepare?.(system, member, 0)));
    await observe(async () => {
      const usageBefore = await readUsage(system);
      const start = monotonicMs();
      const isOver = (startedCount: number): boolean =>
        startedCount >= batchMax ||
        (!command.prepare && (ms + monotonicMs() - start >= durationMs || countBefore + startedCount >= countMax));
      await runUntil(isOver, inFlight, members, runOne);
      ms += monotonicMs() - start;
      addDifference(spentUsage, usageBefore, await readUsage(system));
    });
    await forAll(members, inFlight, command.finish && ((member) => command.finish?.(system, member, 0)));
  } while (ms < durationMs && latencies.length < countMax);
  return windowOf(latencies, ms, spentUsage);
}

function windowOf(latencies: number[], ms: number, spentUsage: ResourceUsage): Window {
  const count = latencies.length;
  const sorted = latencies.toSorted((first, second) => first - second);
  const quantile = (share: number): number => sorted[Math.floor((count - 1) * share)] ?? Number.NaN;
  return {
    count,
    perSecond: (count / ms) * 1_000,
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
    apiMs: spentUsage.api / count,
    postgresMs: spentUsage.postgres / count,
    simulatorsMs: spentUsage.simulators / count,
    loadMs: spentUsage.load / count,
    walBytes: spentUsage.wal / count,
  };
}

/** Runs callers until `isOver`; each uses a member that no other caller uses. */
async function runUntil(
  isOver: (startedCount: number) => boolean,
  callers: number,
  members: readonly Member[],
  run: (member: Member) => Promise<void>,
): Promise<void> {
  const freeMembers = [...members];
  let startedCount = 0;
  let failure: Error | undefined;
  const runCaller = async (): Promise<void> => {
    while (!failure && !isOver(startedCount)) {
      const member = freeMembers.shift();
      if (!member) throw new Error('there are fewer members than callers');
      startedCount += 1;
      await run(member).catch((error: Error) => (failure ??= error));
      freeMembers.push(member);
    }
  };
  await Promise.all(Array.from({ length: callers }, runCaller));
  if (failure) throw failure;
}

async function forAll(
  members: readonly Member[],
  callers: number,
  run: ((member: Member) => Promise<void> | undefined) | undefined,
): Promise<void> {
  if (run)
    await runUntil(
      (startedCount) => startedCount >= members.length,
      callers,
      members,
      async (member) => run(member),
    );
}

async function readUsage({ pids, operator, operatorPid }: System): Promise<ResourceUsage> {
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

function addDifference(total: ResourceUsage, before: ResourceUsage, after: ResourceUsage): void {
  for (const name of ['api', 'postgres', 'simulators', 'load', 'wal'] as const)
    total[name] += after[name] - before[name];
}
