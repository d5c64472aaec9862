// `npm run lab -- soak`: the mix of a busy evening at a steady rate, and the resources that the system uses.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { commands } from '../product/commands.ts';
import { ageQrcodes, createMembers } from '../product/members.ts';
import { startSystem } from '../product/system.ts';
import { type StopFunctions, runToEnd, log } from '../run-to-end.ts';
import { type Options, readOptions } from './options.ts';
import { MEASURES, type Sample, takeSample } from './sample.ts';
import { type Progress, SteadyLoad } from './steady-load.ts';
import { verdictOf } from './verdict.ts';

const ROOT = join(import.meta.dirname, '../../..');
/** Time for the start, members and audits. */
const OVERHEAD_MS = 900_000;
const AGE_INTERVAL_MS = 10_000;

/** One row of the table. */
type SampleRow = Sample & Progress & { minute: number };
const TABLE_COLUMNS: readonly (keyof SampleRow)[] = [
  'minute',
  'done',
  'failed',
  'waiting',
  'p50Ms',
  'p99Ms',
  ...MEASURES,
];
const NUMBER_WIDTH = 7;

await runToEnd(async ({ folder, stopFunctions, limit }) => {
  const options = readOptions(process.argv.slice(2));
  limit(OVERHEAD_MS + options.minutes * 60_000 * 1.2);
  await run(options, folder, stopFunctions);
});

async function run(options: Options, folder: string, stopFunctions: StopFunctions): Promise<void> {
  const data = join(folder, 'soak');
  const system = await startSystem({
    name: 'soak',
    root: ROOT,
    data,
    nice: 0,
    apiProcesses: undefined,
    onLaunched: (stop) => stopFunctions.push(stop),
  });
  stopFunctions.push(() => system.close());
  const mixCommand = commands.find(({ name }) => name === 'mix');
  if (!mixCommand) throw new Error('there is no mix');
  const members = await createMembers(system, options.members);
  stopFunctions.push(async () => members.forEach(({ socket }) => socket.close()));
  const load = new SteadyLoad(system, members, mixCommand);
  const rows: SampleRow[] = [];
  log(TABLE_COLUMNS.map((title) => title.padStart(widthOf(title))).join(' '));
  const endController = new AbortController();
  const agingLoop = repeat(AGE_INTERVAL_MS, endController.signal, () => ageQrcodes(system));
  const startedAt = Date.now();
  const samplingLoop = repeat(options.everySeconds * 1_000, endController.signal, async () => {
    const row = {
      minute: (Date.now() - startedAt) / 60_000,
      ...load.takeProgress(),
      ...(await takeSample(system, data)),
    };
    rows.push(row);
    log(formatRow(row));
  });
  const loadRun = load.run(options.perSecond, options.minutes * 60_000).finally(() => endController.abort());
  await Promise.all([loadRun, agingLoop, samplingLoop]);
  for (const reason of load.reasons) log(`failed: ${reason}`);
  const verdicts = verdictOf(rows);
  for (const { measure, first, last, isBounded } of verdicts) {
    log(`${measure}: ${first.toFixed(1)} → ${last.toFixed(1)}${isBounded ? '' : ', growing'}`);
  }
  const audits = ['audit', 'reconcile'].map((name) => ({ name, status: runCommand(name, data) }));
  for (const { name, status } of audits) log(`${name}: ${status === 0 ? 'no differences' : `ended with ${status}`}`);
  mkdirSync(dirname(options.output), { recursive: true });
  const report = {
    at: new Date().toISOString(),
    load: loadavg(),
    options,
    rows,
    verdict: verdicts,
    audits,
    reasons: load.reasons,
  };
  writeFileSync(options.output, `${JSON.stringify(report, null, 2)}\n`);
  if (load.reasons.length > 0) throw new Error('commands failed');
  if (verdicts.some(({ isBounded }) => !isBounded)) throw new Error('a resource grows without bound');
  if (audits.some(({ status }) => status !== 0)) throw new Error('the audits found differences');
}

function widthOf(title: string): number {
  return Math.max(NUMBER_WIDTH, title.length);
}

function formatRow(row: SampleRow): string {
  const text = (value: number): string => (Number.isNaN(value) ? '-' : value.toFixed(Number.isInteger(value) ? 0 : 1));
  return TABLE_COLUMNS.map((title) => text(row[title]).padStart(widthOf(title))).join(' ');
}

async function repeat(everyMs: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await work();
    await wait(everyMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Runs an operator command beside the running system. @returns exit code */
function runCommand(name: string, data: string): number {
  try {
    const path = join(ROOT, 'server/src/cli/krapao.ts');
    execFileSync(process.execPath, [path, name], { cwd: ROOT, env: { ...process.env, DATA_DIR: data }, stdio: 'pipe' });
    return 0;
  } catch (error) {
    return error instanceof Error && 'status' in error ? Number(error.status) : -1;
  }
}
