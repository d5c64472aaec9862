import { setTimeout as wait } from 'node:timers/promises';
import { median } from '../load.ts';
import { type Command, commands } from './commands.ts';
import type { DoubleEntry } from './double-entry.ts';
import type { Member } from './members.ts';
import type { Options } from './options.ts';
import { type Counted, countStatements, perCommand, type StatementCount, whileLogged } from './statement-log.ts';
import type { System } from './system.ts';
import { measure, type Window } from './window.ts';

/** A system and the members who use it. */
export type Tree = { system: System; members: readonly Member[] };

/** Middle of the rounds, per command. */
export type Figures = Window & PerCommand;
type PerCommand = StatementCount & {
  /** What was counted, before what the system does by itself was taken off. */
  counted: { commands: number; seconds: number; statements: number; unnamed: number; commits: number };
};

export type Result = { command: string; tree: string; rounds: Window[]; figures: Figures };
export type Run = {
  results: Result[];
  doubleEntry?: { driver: string; rounds: number[]; perSecond: number };
  /** What each tree does by itself, per second. */
  idle: { tree: string; counted: StatementCount }[];
};

const WARM_UP_PART = 0.3;
/** Enough to count by; more would make the log of the database large. */
const COUNTED_MAX = 300;
const COUNTED_MS = 1_500;
const IDLE_MS_MIN = 1_000;
const NOTHING: StatementCount = { statements: 0, unnamed: 0, commits: 0, list: [] };

/**
 * Measures every command of every tree in turn, round by round: what else the machine does then hurts all alike.
 * @param doubleEntry yardstick, measured in each round
 */
export async function runRounds(
  options: Options,
  trees: readonly Tree[],
  doubleEntry: DoubleEntry | undefined,
  say: (line: string) => void,
): Promise<Run> {
  const { rounds, seconds, inFlight } = options;
  const measured = commands
    .filter(({ name }) => options.only.includes(name))
    .flatMap((command) => trees.map((tree) => ({ command, tree, windows: [] as Window[] })));
  const yardstick: number[] = [];
  // The first warms caches, plans and the compiler, and isn't kept.
  for (let round = options.warmUp ? 0 : 1; round <= rounds; round += 1) {
    say(round === 0 ? 'warming up …' : `round ${round} of ${rounds} …`);
    const forMs = seconds * 1_000 * (round === 0 ? WARM_UP_PART : 1);
    const perSecond = await doubleEntry?.measure(inFlight, forMs / 1_000);
    if (round > 0 && perSecond !== undefined) yardstick.push(perSecond);
    for (const { command, tree, windows } of measured) {
      const window = await named(command, tree, () => measure(tree.system, tree.members, command, { inFlight, forMs }));
      if (round > 0) windows.push(window);
    }
  }
  say('counting statements …');
  const counts = new Map<Tree, Counts>();
  for (const tree of trees)
    counts.set(
      tree,
      await countAll(
        measured.filter((one) => one.tree === tree),
        tree,
        options,
      ),
    );
  const results = measured.flatMap(({ command, tree, windows }): Result[] => {
    const counted = counts.get(tree)?.byCommand.get(command.name);
    if (!counted) throw new Error(`${command.name} was not counted`);
    return [
      { command: command.name, tree: tree.system.name, rounds: windows, figures: { ...middle(windows), ...counted } },
    ];
  });
  return {
    results,
    idle: [...counts].map(([{ system }, { idle }]) => ({ tree: system.name, counted: idle })),
    ...(doubleEntry && {
      doubleEntry: { driver: doubleEntry.driver, rounds: yardstick, perSecond: median(yardstick) },
    }),
  };
}

/** Of one tree: what it does by itself per second, and of each command. */
type Counts = { idle: StatementCount; byCommand: Map<string, PerCommand> };

async function countAll(measured: readonly { command: Command }[], tree: Tree, options: Options): Promise<Counts> {
  const counts: Counts = { idle: NOTHING, byCommand: new Map() };
  await whileLogged(tree.system, async () => {
    counts.idle = await countIdle(tree, options.seconds);
    for (const { command } of measured) {
      const counted = await named(command, tree, () => countFor(command, tree, options, counts.idle));
      counts.byCommand.set(command.name, counted);
    }
  });
  return counts;
}

async function countFor(
  command: Command,
  { system, members }: Tree,
  options: Options,
  idle: StatementCount,
): Promise<PerCommand> {
  let counted: Counted | undefined;
  const { count } = await measure(system, members, command, {
    inFlight: options.inFlight,
    forMs: Math.min(COUNTED_MS, options.seconds * 1_000),
    // In one part.
    countMax: Math.min(COUNTED_MAX, members.length * (command.mostEach ?? Infinity)),
    observe: async (run) => {
      counted = await countStatements(system, run);
    },
  });
  if (!counted) throw new Error('nothing was counted');
  const { seconds, statements, unnamed, commits } = counted;
  return { ...perCommand(counted, count, idle), counted: { commands: count, seconds, statements, unnamed, commits } };
}

/** What a system does by itself, per second. */
async function countIdle({ system }: Tree, seconds: number): Promise<StatementCount> {
  const counted = await countStatements(system, () => wait(IDLE_MS_MIN + seconds * 1_000));
  return perCommand(counted, counted.seconds, NOTHING);
}

function middle(windows: readonly Window[]): Window {
  const of = (key: keyof Window): number => median(windows.map((window) => window[key]));
  return {
    count: of('count'),
    perSecond: of('perSecond'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    apiMs: of('apiMs'),
    postgresMs: of('postgresMs'),
    simulatorsMs: of('simulatorsMs'),
    loadMs: of('loadMs'),
    walBytes: of('walBytes'),
  };
}

/** Says of a failure what was measured. */
async function named<T>({ name }: Command, { system }: Tree, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw new Error(`${name} (${system.name}) failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
