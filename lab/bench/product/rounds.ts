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

/** Medians of the rounds, per command. */
export type Figures = Window & PerCommand;
type PerCommand = StatementCount & {
  /** Counts including the idle work of the system. */
  counted: { commands: number; seconds: number; statements: number; unnamed: number; commits: number };
};

export type Result = { command: string; tree: string; rounds: Window[]; figures: Figures };
export type Run = {
  results: Result[];
  doubleEntry?: { driver: string; rounds: number[]; perSecond: number };
  /** Idle work of each tree, per second. */
  idle: { tree: string; counted: StatementCount }[];
};

const WARM_UP_SHARE = 0.3;
/** Limits the size of the database log. */
const COUNTED_MAX = 300;
const COUNTED_MS = 1_500;
const IDLE_MS_MIN = 1_000;
const NO_STATEMENTS: StatementCount = { statements: 0, unnamed: 0, commits: 0, list: [] };

/**
 * Measures all commands of all trees alternately in rounds, so that other load affects all equally.
 * @param doubleEntry reference, measured in each round
 */
export async function runRounds(
  options: Options,
  trees: readonly Tree[],
  doubleEntry: DoubleEntry | undefined,
  log: (line: string) => void,
): Promise<Run> {
  const { rounds, seconds, inFlight } = options;
  const measurements = commands
    .filter(({ name }) => options.only.includes(name))
    .flatMap((command) => trees.map((tree) => ({ command, tree, windows: [] as Window[] })));
  const references: number[] = [];
  // The first round warms caches, plans and the compiler and is discarded.
  for (let round = options.warmUp ? 0 : 1; round <= rounds; round += 1) {
    log(round === 0 ? 'warming up …' : `round ${round} of ${rounds} …`);
    const durationMs = seconds * 1_000 * (round === 0 ? WARM_UP_SHARE : 1);
    const perSecond = await doubleEntry?.measure(inFlight, durationMs / 1_000);
    if (round > 0 && perSecond !== undefined) references.push(perSecond);
    for (const { command, tree, windows } of measurements) {
      const window = await withCommandName(command, tree, () =>
        measure(tree.system, tree.members, command, { inFlight, durationMs }),
      );
      if (round > 0) windows.push(window);
    }
  }
  log('counting statements …');
  const countsByTree = new Map<Tree, TreeCounts>();
  for (const tree of trees)
    countsByTree.set(
      tree,
      await countAll(
        measurements.filter((entry) => entry.tree === tree),
        tree,
        options,
      ),
    );
  const results = measurements.flatMap(({ command, tree, windows }): Result[] => {
    const counted = countsByTree.get(tree)?.byCommand.get(command.name);
    if (!counted) throw new Error(`${command.name} was not counted`);
    return [
      { command: command.name, tree: tree.system.name, rounds: windows, figures: { ...medians(windows), ...counted } },
    ];
  });
  return {
    results,
    idle: [...countsByTree].map(([{ system }, { idle: idleCount }]) => ({ tree: system.name, counted: idleCount })),
    ...(doubleEntry && {
      doubleEntry: { driver: doubleEntry.driver, rounds: references, perSecond: median(references) },
    }),
  };
}

/** Counts of one tree: idle per second, and per command. */
type TreeCounts = { idle: StatementCount; byCommand: Map<string, PerCommand> };

async function countAll(measured: readonly { command: Command }[], tree: Tree, options: Options): Promise<TreeCounts> {
  const treeCounts: TreeCounts = { idle: NO_STATEMENTS, byCommand: new Map() };
  await whileLogged(tree.system, async () => {
    treeCounts.idle = await countIdle(tree, options.seconds);
    for (const { command } of measured) {
      const countedCommand = await withCommandName(command, tree, () =>
        countFor(command, tree, options, treeCounts.idle),
      );
      treeCounts.byCommand.set(command.name, countedCommand);
    }
  });
  return treeCounts;
}

async function countFor(
  command: Command,
  { system, members }: Tree,
  options: Options,
  idleCount: StatementCount,
): Promise<PerCommand> {
  let countedCommand: Counted | undefined;
  const { count } = await measure(system, members, command, {
    inFlight: options.inFlight,
    durationMs: Math.min(COUNTED_MS, options.seconds * 1_000),
    // A single batch.
    countMax: Math.min(COUNTED_MAX, members.length * (command.maxPerMember ?? Infinity)),
    observe: async (run) => {
      countedCommand = await countStatements(system, run);
    },
  });
  if (!countedCommand) throw new Error('nothing was counted');
  const { seconds, statements, unnamed, commits } = countedCommand;
  return {
    ...perCommand(countedCommand, count, idleCount),
    counted: { commands: count, seconds, statements, unnamed, commits },
  };
}

/** Idle work of a system, per second. */
async function countIdle({ system }: Tree, seconds: number): Promise<StatementCount> {
  const idleStatements = await countStatements(system, () => wait(IDLE_MS_MIN + seconds * 1_000));
  return perCommand(idleStatements, idleStatements.seconds, NO_STATEMENTS);
}

function medians(windows: readonly Window[]): Window {
  const medianOf = (key: keyof Window): number => median(windows.map((window) => window[key]));
  return {
    count: medianOf('count'),
    perSecond: medianOf('perSecond'),
    p50Ms: medianOf('p50Ms'),
    p99Ms: medianOf('p99Ms'),
    apiMs: medianOf('apiMs'),
    postgresMs: medianOf('postgresMs'),
    simulatorsMs: medianOf('simulatorsMs'),
    loadMs: medianOf('loadMs'),
    walBytes: medianOf('walBytes'),
  };
}

/** Adds the measured command to an error. */
async function withCommandName<T>({ name }: Command, { system }: Tree, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw new Error(`${name} (${system.name}) failed: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
