import { monotonicMs } from '@krapao/server/src/platform/time.ts';
import type { Command } from './commands.ts';
import { ageQrcodes, type Member } from './members.ts';
import { readCpu } from '../process-tree.ts';
import type { System } from './system.ts';

/** What ran in one measurement. CPU in ms and WAL in bytes are per command. */
export type Window = {
  count: number;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  apiMs: number;
  postgresMs: number;
  simulatorsMs: number;
  /** CPU of this process, which makes the load. */
  loadMs: number;
  walBytes: number;
};

export type Wish = {
  inFlight: number;
  forMs: number;
  countMax?: number;
  /** Runs what is measured, without its preparation. */
  observe?: (run: () => Promise<void>) => Promise<void>;
};

type Used = { api: number; postgres: number; simulators: number; load: number; wal: number };

/** Turns of all measurements: what a command does may depend on its turn, and no turn is to come twice. */
let turns = 0;

/**
 * Runs a command for some time, by so many callers that each wait for the outcome: in parts, where members can't run it
 * more often at once, or have to be prepared for it.
 * @throws {Error} the first failure of a command
 */
export async function measure(
  system: System,
  members: readonly Member[],
  command: Command,
  wish: Wish,
): Promise<Window> {
  const { inFlight, forMs, countMax = Infinity, observe = (run) => run() } = wish;
  const latencies: number[] = [];
  const spent: Used = { api: 0, postgres: 0, simulators: 0, load: 0, wal: 0 };
  let ms = 0;
  const runOne = async (member: Member): Promise<void> => {
    const from = monotonicMs();
    turns += 1;
    await command.run(system, member, turns);
    latencies.push(monotonicMs() - from);
  };
  const partMax = members.length * (command.mostEach ?? Infinity);
  do {
    const before = latencies.length;
    await ageQrcodes(system);
    await forAll(members, inFlight, command.prepare && ((member) => command.prepare?.(system, member, 0)));
    await observe(async () => {
      const used = await usedBy(system);
      const start = monotonicMs();
      const isOver = (begun: number): boolean =>
        begun >= partMax || (!command.prepare && (ms + monotonicMs() - start >= forMs || before + begun >= countMax));
      await runUntil(isOver, inFlight, members, runOne);
      ms += monotonicMs() - start;
      addDifference(spent, used, await usedBy(system));
    });
    await forAll(members, inFlight, command.finish && ((member) => command.finish?.(system, member, 0)));
  } while (ms < forMs && latencies.length < countMax);
  return windowOf(latencies, ms, spent);
}

function windowOf(latencies: number[], ms: number, spent: Used): Window {
  const count = latencies.length;
  const sorted = latencies.toSorted((one, other) => one - other);
  const quantile = (part: number): number => sorted[Math.floor((count - 1) * part)] ?? Number.NaN;
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

/** Every caller takes a member who does nothing else meanwhile. */
async function runUntil(
  isOver: (begun: number) => boolean,
  callers: number,
  members: readonly Member[],
  run: (member: Member) => Promise<void>,
): Promise<void> {
  const free = [...members];
  let begun = 0;
  let failure: Error | undefined;
  const caller = async (): Promise<void> => {
    while (!failure && !isOver(begun)) {
      const member = free.shift();
      if (!member) throw new Error('there are fewer members than callers');
      begun += 1;
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
      (begun) => begun >= members.length,
      callers,
      members,
      async (member) => run(member),
    );
}

async function usedBy({ pids, operator, operatorPid }: System): Promise<Used> {
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

function addDifference(sum: Used, before: Used, after: Used): void {
  for (const name of ['api', 'postgres', 'simulators', 'load', 'wal'] as const) sum[name] += after[name] - before[name];
}
