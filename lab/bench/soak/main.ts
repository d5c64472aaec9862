// `npm run lab -- soak`: the mix of a busy evening at a steady rate, and what the system holds meanwhile. Ends by itself.
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { commands } from '../product/commands.ts';
import { ageQrcodes, makeMembers } from '../product/members.ts';
import { startSystem } from '../product/system.ts';
import { type Closing, runToEnd, say } from '../run-to-end.ts';
import { type Options, readOptions } from './options.ts';
import { MEASURES, type Sample, takeSample } from './sample.ts';
import { type Progress, SteadyLoad } from './steady-load.ts';
import { verdictOf } from './verdict.ts';

const HERE = join(import.meta.dirname, '../../..');
/** Starting, members, audits. */
const AROUND_MS = 900_000;
const AGE_EVERY_MS = 10_000;

/** One row of the table. */
type Row = Sample & Progress & { minute: number };
const COLUMNS: readonly (keyof Row)[] = ['minute', 'done', 'failed', 'waiting', 'p50Ms', 'p99Ms', ...MEASURES];
const NUMBER_WIDTH = 7;

await runToEnd(async ({ folder, closing, limit }) => {
  const options = readOptions(process.argv.slice(2));
  limit(AROUND_MS + options.minutes * 60_000 * 1.2);
  await run(options, folder, closing);
});

async function run(options: Options, folder: string, closing: Closing): Promise<void> {
  const data = join(folder, 'soak');
  const system = await startSystem({
    name: 'soak',
    root: HERE,
    data,
    nice: 0,
    apiProcesses: undefined,
    onLaunched: (stop) => closing.push(stop),
  });
  closing.push(() => system.close());
  const mix = commands.find(({ name }) => name === 'mix');
  if (!mix) throw new Error('there is no mix');
  const members = await makeMembers(system, options.members);
  closing.push(async () => members.forEach(({ socket }) => socket.close()));
  const load = new SteadyLoad(system, members, mix);
  const rows: Row[] = [];
  say(COLUMNS.map((title) => title.padStart(widthOf(title))).join(' '));
  const ending = new AbortController();
  const aging = repeat(AGE_EVERY_MS, ending.signal, () => ageQrcodes(system));
  const started = Date.now();
  const sampling = repeat(options.everySeconds * 1_000, ending.signal, async () => {
    const row = { minute: (Date.now() - started) / 60_000, ...load.look(), ...(await takeSample(system, data)) };
    rows.push(row);
    say(lineOf(row));
  });
  const loading = load.run(options.perSecond, options.minutes * 60_000).finally(() => ending.abort());
  await Promise.all([loading, aging, sampling]);
  for (const reason of load.reasons) say(`failed: ${reason}`);
  const verdict = verdictOf(rows);
  for (const { measure, first, last, isBounded } of verdict) {
    say(`${measure}: ${first.toFixed(1)} → ${last.toFixed(1)}${isBounded ? '' : ', which grows'}`);
  }
  const audits = ['audit', 'reconcile'].map((name) => ({ name, status: command(name, data) }));
  for (const { name, status } of audits) say(`${name}: ${status === 0 ? 'nothing wrong' : `ended with ${status}`}`);
  mkdirSync(dirname(options.output), { recursive: true });
  const report = {
    at: new Date().toISOString(),
    load: loadavg(),
    options,
    rows,
    verdict,
    audits,
    reasons: load.reasons,
  };
  writeFileSync(options.output, `${JSON.stringify(report, null, 2)}\n`);
  if (load.reasons.length > 0) throw new Error('commands failed');
  if (verdict.some(({ isBounded }) => !isBounded)) throw new Error('the system holds more and more');
  if (audits.some(({ status }) => status !== 0)) throw new Error('the audits found something');
}

function widthOf(title: string): number {
  return Math.max(NUMBER_WIDTH, title.length);
}

function lineOf(row: Row): string {
  const text = (value: number): string => (Number.isNaN(value) ? '-' : value.toFixed(Number.isInteger(value) ? 0 : 1));
  return COLUMNS.map((title) => text(row[title]).padStart(widthOf(title))).join(' ');
}

async function repeat(everyMs: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await work();
    await wait(everyMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Runs a command of the operator beside the running system. @returns its exit code */
function command(name: string, data: string): number {
  try {
    const path = join(HERE, `server/src/cli/${name}.ts`);
    execFileSync(process.execPath, [path], { cwd: HERE, env: { ...process.env, DATA_DIR: data }, stdio: 'pipe' });
    return 0;
  } catch (error) {
    return error instanceof Error && 'status' in error ? Number(error.status) : -1;
  }
}
