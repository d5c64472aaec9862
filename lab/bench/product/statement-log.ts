import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { monotonicMs } from '@krapao/server/src/platform/time.ts';
import type { System } from './system.ts';

/** Calls of a statement, its prepared name ('' if none), and its time in PostgreSQL including planning. */
export type CountedStatement = { text: string; name: string; calls: number; ms: number };

export type StatementCount = {
  /** Statements sent by clients, including `begin` and `commit`. */
  statements: number;
  /** Statements parsed and planned on each call: neither named nor transaction control. */
  unnamed: number;
  /** Transactions that wrote. */
  commits: number;
  /** All statements, most frequent first. */
  list: CountedStatement[];
};

export type Counted = StatementCount & { seconds: number };

/**
 * One log entry per phase of a statement, written at its end, when the transaction id of a writing transaction is known. Unlike
 * `pg_stat_statements` it distinguishes named statements from unnamed ones.
 */
const LOG_SETTINGS: Readonly<Record<string, string>> = {
  log_min_duration_statement: '0',
  log_line_prefix: '<%p %x %a> ',
};
const RELOADED_MS = 500;
/** Time for the work of a command after its outcome. */
const TAIL_MS = 300;
const LOG_ENTRY =
  /^<(\d+) (\d+) (.*?)> LOG: {2}duration: ([\d.]+) ms {2}(parse|bind|execute|statement)(?: ([^:]*))?: (.*)$/s;
const TRANSACTION_CONTROL = /^(begin|start transaction|commit|rollback|savepoint|release)\b/i;
const TEXT_LENGTH_MAX = 160;
const NEGLIGIBLE_CALLS = 0.01;

/** Enables the statement log of a system while `run` runs. */
export async function whileLogged(system: System, run: () => Promise<void>): Promise<void> {
  await setAll(system, (name, value) => `alter system set ${name} = '${value}'`);
  try {
    await run();
  } finally {
    await setAll(system, (name) => `alter system reset ${name}`);
  }
}

/** Counts the statements of the server while `run` runs; only inside {@link whileLogged}. */
export async function countStatements(system: System, run: () => Promise<void>): Promise<Counted> {
  const startOffset = statSync(system.databaseLog).size;
  const start = monotonicMs();
  await run();
  await wait(TAIL_MS);
  const seconds = (monotonicMs() - start) / 1_000;
  return { ...summarize(readFrom(system.databaseLog, startOffset)), seconds };
}

/** Counts per command, without the idle work of the same time. */
export function perCommand(counted: Counted, commands: number, idle: StatementCount): StatementCount {
  const perCommandShare = (total: number, idlePerSecond: number): number =>
    Math.max(0, total - idlePerSecond * counted.seconds) / commands;
  const list = counted.list.flatMap((entry) => {
    const idleEntry = idle.list.find(({ text, name }) => text === entry.text && name === entry.name);
    const otherCounts = {
      ...entry,
      calls: perCommandShare(entry.calls, idleEntry?.calls ?? 0),
      ms: perCommandShare(entry.ms, idleEntry?.ms ?? 0),
    };
    return otherCounts.calls < NEGLIGIBLE_CALLS ? [] : [otherCounts];
  });
  return {
    statements: perCommandShare(counted.statements, idle.statements),
    unnamed: perCommandShare(counted.unnamed, idle.unnamed),
    commits: perCommandShare(counted.commits, idle.commits),
    list,
  };
}

async function setAll({ operator }: System, sql: (name: string, value: string) => string): Promise<void> {
  for (const [name, value] of Object.entries(LOG_SETTINGS)) await operator.query(sql(name, value));
  await operator.query('select pg_reload_conf()');
  await wait(RELOADED_MS);
}

/** Reads the log from an offset. The log may have been rotated: copied, then truncated. */
function readFrom(path: string, startOffset: number): string {
  const size = statSync(path).size;
  return size >= startOffset ? readRange(path, startOffset) : readRange(`${path}.1`, startOffset) + readRange(path, 0);
}

function readRange(path: string, startOffset: number): string {
  const descriptor = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(descriptor).size - startOffset));
    const length = readSync(descriptor, bytes, 0, bytes.length, startOffset);
    return bytes.toString('utf8', 0, length);
  } finally {
    closeSync(descriptor);
  }
}

function summarize(log: string): StatementCount {
  const byText = new Map<string, CountedStatement>();
  const writingTransactions = new Set<string>();
  const count: StatementCount = { statements: 0, unnamed: 0, commits: 0, list: [] };
  // Continuation lines of a statement start with a tab.
  for (const entry of log.split(/\n(?!\t)/)) {
    const [, , transaction = '0', application, ms, phase, prepared = '', sql = ''] = LOG_ENTRY.exec(entry) ?? [];
    if (phase === undefined || application === 'bench') continue;
    const text = sql.replaceAll(/\s+/g, ' ').trim().slice(0, TEXT_LENGTH_MAX);
    const name = prepared.split('/')[0]?.replace('<unnamed>', '') ?? '';
    const statement = byText.get(`${name} ${text}`) ?? { text, name, calls: 0, ms: 0 };
    byText.set(`${name} ${text}`, statement);
    statement.ms += Number(ms);
    if (transaction !== '0') writingTransactions.add(transaction);
    if (phase !== 'execute' && phase !== 'statement') continue;
    statement.calls += 1;
    count.statements += 1;
    if (name === '' && !TRANSACTION_CONTROL.test(text)) count.unnamed += 1;
  }
  const list = [...byText.values()]
    .filter(({ calls }) => calls > 0)
    .toSorted((first, second) => second.calls - first.calls);
  return { ...count, commits: writingTransactions.size, list };
}
