import type { Browser, Page } from '../../e2e/support/launch.ts';

/** How many times slower than this machine the page's processor is. */
export const SLOWER = 4;

/** What the compositor tells of each frame that it was asked for, as trace events. Times in µs. */
const CATEGORIES = ['cc', 'benchmark', 'disabled-by-default-devtools.timeline.frame'];

type Report = { state?: string; layer_tree_host_id?: number };
type TraceEvent = {
  name: string;
  ph: string;
  ts: number;
  pid: number;
  id2?: { local?: string };
  args?: { frame_reporter?: Report };
};

type Frames = {
  /** Frames that were wanted: something had changed. */
  wanted: number;
  /** Frames shown per second while they were wanted. */
  perSecond: number;
  /** How long one picture stood at most while the next was wanted, in ms. */
  longestMs: number;
  /** Share of the wanted frames that were not shown. */
  dropped: number;
};

/** The compositor is asked for so many frames in a second. */
const RATE = 60;

/** Whether each frame was shown that was wanted, in order, of the page alone: the browser's own frame has its own. */
function wantedOf(events: readonly TraceEvent[]): boolean[] {
  const hosts = new Map<string, boolean[]>();
  const reports = events.filter(({ name, ph }) => name === 'PipelineReporter' && ph === 'b');
  for (const { pid, args } of reports.toSorted((one, other) => one.ts - other.ts)) {
    const { state = '', layer_tree_host_id = 0 } = args?.frame_reporter ?? {};
    const isShown = state.startsWith('STATE_PRESENTED');
    if (!isShown && state !== 'STATE_DROPPED') continue;
    const host = `${pid} ${layer_tree_host_id}`;
    hosts.set(host, [...(hosts.get(host) ?? []), isShown]);
  }
  return [...hosts.values()].toSorted((one, other) => other.length - one.length)[0] ?? [];
}

/**
 * Reads a trace of movements by the frames that the compositor was asked for. Frames in which nothing would have
 * changed are not among them, so that idle time between movements does not improve the figures; every dropped frame
 * counts, whatever caused it.
 */
function framesOfTrace(trace: Buffer): Frames {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const frames = wantedOf(traceEvents);
  let [run, longest, shown] = [0, 0, 0];
  for (const isShown of frames) {
    run = isShown ? 0 : run + 1;
    longest = Math.max(longest, run);
    if (isShown) shown += 1;
  }
  return {
    wanted: frames.length,
    perSecond: (RATE * shown) / frames.length,
    longestMs: ((longest + 1) * 1_000) / RATE,
    dropped: 1 - shown / frames.length,
  };
}

/** The frames of a page while something moves on it. */
export async function framesOf(browser: Browser, page: Page, moves: () => Promise<void>): Promise<Frames> {
  await browser.startTracing(page, { categories: CATEGORIES });
  await moves();
  return framesOfTrace(await browser.stopTracing());
}

const DEADLINE_MS = 360_000;

/** Ends the program with a sentence when it isn't over in time. */
export function endWhenTooBusy(): void {
  setTimeout(() => {
    process.stderr.write('This machine is too busy to measure anything: it took longer than six minutes.\n');
    process.exit(1);
  }, DEADLINE_MS).unref();
}

/** Writes a line of the table of figures. */
export function print(...[name = '', ...figures]: (string | number)[]): void {
  process.stdout.write(`${String(name).padEnd(34)}${figures.map((cell) => String(cell).padStart(12)).join('')}\n`);
}

/** Writes the head of a table of frames; each line of it by {@link framesLine}. */
export const framesHead = (): void => print('', 'frames/s', 'longest ms', 'dropped', 'wanted');

export const framesLine = (name: string, { perSecond, longestMs, dropped, wanted }: Frames): void =>
  print(name, perSecond.toFixed(1), longestMs.toFixed(1), `${(dropped * 100).toFixed(1)} %`, wanted);
