import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { monotonicMs } from '@krapao/server/src/platform/time.ts';
import type { System } from './system.ts';

/** How often a statement ran, under which name it was prepared ('' none), and its time in PostgreSQL, planning included. */
export type CountedStatement = { text: string; name: string; calls: number; ms: number };

export type StatementCount = {
  /** As clients sent them, `begin` and `commit` included. */
  statements: number;
  /** Parsed and planned for each call: neither prepared under a name nor transaction control. */
  unnamed: number;
  /** Transactions that wrote. */
  commits: number;
  /** Of all kinds, most frequent first. */
  list: CountedStatement[];
};

export type Counted = StatementCount & { seconds: number };

/**
 * One line for each step of each statement, written when it is over: only then is the id of its transaction known, which
 * transactions that write have. Unlike `pg_stat_statements` this tells named statements from unnamed ones.
 */
const SETTINGS: Readonly<Record<string, string>> = {
  log_min_duration_statement: '0',
  log_line_prefix: '<%p %x %a> ',
};
const RELOADED_MS = 500;
/** What a command leaves to be done after its outcome. */
const TAIL_MS = 300;
const LINE =
  /^<(\d+) (\d+) (.*?)> LOG: {2}duration: ([\d.]+) ms {2}(parse|bind|execute|statement)(?: ([^:]*))?: (.*)$/s;
const CONTROL = /^(begin|start transaction|commit|rollback|savepoint|release)\b/i;
const TEXT_CHARACTERS = 160;
const NEGLIGIBLE_CALLS = 0.01;

/** Has a system's database log its statements while something runs. */
export async function whileLogged(system: System, run: () => Promise<void>): Promise<void> {
  await setAll(system, (name, value) => `alter system set ${name} = '${value}'`);
  try {
    await run();
  } finally {
    await setAll(system, (name) => `alter system reset ${name}`);
  }
}

/** Counts the statements that a system's server sends while something runs; inside {@link whileLogged}. */
export async function countStatements(system: System, run: () => Promise<void>): Promise<Counted> {
  const from = statSync(system.databaseLog).size;
  const start = monotonicMs();
  await run();
  await wait(TAIL_MS);
  const seconds = (monotonicMs() - start) / 1_000;
  return { ...summed(readFrom(system.databaseLog, from)), seconds };
}

/** What is left of a count for each of so many commands, without what the system does by itself in that time. */
export function perCommand(counted: Counted, commands: number, idle: StatementCount): StatementCount {
  const share = (own: number, idlePerSecond: number): number =>
    Math.max(0, own - idlePerSecond * counted.seconds) / commands;
  const list = counted.list.flatMap((one) => {
    const byItself = idle.list.find(({ text, name }) => text === one.text && name === one.name);
    const left = { ...one, calls: share(one.calls, byItself?.calls ?? 0), ms: share(one.ms, byItself?.ms ?? 0) };
    return left.calls < NEGLIGIBLE_CALLS ? [] : [left];
  });
  return {
    statements: share(counted.statements, idle.statements),
    unnamed: share(counted.unnamed, idle.unnamed),
    commits: share(counted.commits, idle.commits),
    list,
  };
}

async function setAll({ operator }: System, sql: (name: string, value: string) => string): Promise<void> {
  for (const [name, value] of Object.entries(SETTINGS)) await operator.query(sql(name, value));
  await operator.query('select pg_reload_conf()');
  await wait(RELOADED_MS);
}

/** The log is truncated when it is large, after it was copied. */
function readFrom(path: string, from: number): string {
  const size = statSync(path).size;
  return size >= from ? read(path, from) : read(`${path}.1`, from) + read(path, 0);
}

function read(path: string, from: number): string {
  const descriptor = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(descriptor).size - from));
    const length = readSync(descriptor, bytes, 0, bytes.length, from);
    return bytes.toString('utf8', 0, length);
  } finally {
    closeSync(descriptor);
  }
}

function summed(log: string): StatementCount {
  const byText = new Map<string, CountedStatement>();
  const writers = new Set<string>();
  const count: StatementCount = { statements: 0, unnamed: 0, commits: 0, list: [] };
  // The lines of a statement of several lines begin with a tab.
  for (const entry of log.split(/\n(?!\t)/)) {
    const [, , transaction = '0', application, ms, step, prepared = '', sql = ''] = LINE.exec(entry) ?? [];
    if (step === undefined || application === 'bench') continue;
    const text = sql.replaceAll(/\s+/g, ' ').trim().slice(0, TEXT_CHARACTERS);
    const name = prepared.split('/')[0]?.replace('<unnamed>', '') ?? '';
    const known = byText.get(`${name} ${text}`) ?? { text, name, calls: 0, ms: 0 };
    byText.set(`${name} ${text}`, known);
    known.ms += Number(ms);
    if (transaction !== '0') writers.add(transaction);
    if (step !== 'execute' && step !== 'statement') continue;
    known.calls += 1;
    count.statements += 1;
    if (name === '' && !CONTROL.test(text)) count.unnamed += 1;
  }
  const list = [...byText.values()].filter(({ calls }) => calls > 0).toSorted((one, other) => other.calls - one.calls);
  return { ...count, commits: writers.size, list };
}
