import type { Browser, Page } from '../../e2e/support/launch.ts';

/** CPU slowdown factor of the page. */
export const CPU_SLOWDOWN = 4;

/** Trace categories with the compositor's report per requested frame; times in µs. */
const TRACE_CATEGORIES = ['cc', 'benchmark', 'disabled-by-default-devtools.timeline.frame'];

type FrameReport = { state?: string; layer_tree_host_id?: number };
type TraceEvent = {
  name: string;
  ph: string;
  ts: number;
  pid: number;
  id2?: { local?: string };
  args?: { frame_reporter?: FrameReport };
};

type FrameStatistics = {
  /** Frames that had changes to show. */
  requested: number;
  /** Frames shown per second while frames were requested. */
  perSecond: number;
  /** Longest time without a new frame while one was requested, in ms. */
  longestMs: number;
  /** Share of requested frames that were not shown. */
  dropped: number;
};

/** Frames requested per second. */
const FRAMES_PER_SECOND = 60;

/** Whether each requested frame of the page was shown, in order; excludes the browser's own frames. */
function requestedFrames(events: readonly TraceEvent[]): boolean[] {
  const shownByHost = new Map<string, boolean[]>();
  const reports = events.filter(({ name, ph }) => name === 'PipelineReporter' && ph === 'b');
  for (const { pid, args } of reports.toSorted((first, second) => first.ts - second.ts)) {
    const { state = '', layer_tree_host_id = 0 } = args?.frame_reporter ?? {};
    const isShown = state.startsWith('STATE_PRESENTED');
    if (!isShown && state !== 'STATE_DROPPED') continue;
    const host = `${pid} ${layer_tree_host_id}`;
    shownByHost.set(host, [...(shownByHost.get(host) ?? []), isShown]);
  }
  return [...shownByHost.values()].toSorted((first, second) => second.length - first.length)[0] ?? [];
}

/**
 * Summarizes the requested frames of a trace. Frames without changes are not requested, so idle time does not improve the figures.
 * Every dropped frame counts, whatever its cause.
 */
function summarizeTrace(trace: Buffer): FrameStatistics {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const shownFrames = requestedFrames(traceEvents);
  let [currentGap, longestGap, shownCount] = [0, 0, 0];
  for (const isShown of shownFrames) {
    currentGap = isShown ? 0 : currentGap + 1;
    longestGap = Math.max(longestGap, currentGap);
    if (isShown) shownCount += 1;
  }
  return {
    requested: shownFrames.length,
    perSecond: (FRAMES_PER_SECOND * shownCount) / shownFrames.length,
    longestMs: ((longestGap + 1) * 1_000) / FRAMES_PER_SECOND,
    dropped: 1 - shownCount / shownFrames.length,
  };
}

/** Measures the frames of a page while `move` runs. */
export async function measureFramesOf(
  browser: Browser,
  page: Page,
  move: () => Promise<void>,
): Promise<FrameStatistics> {
  await browser.startTracing(page, { categories: TRACE_CATEGORIES });
  await move();
  return summarizeTrace(await browser.stopTracing());
}

const DEADLINE_MS = 360_000;

/** Exits with a message if the run takes too long. */
export function limitRunTime(): void {
  setTimeout(() => {
    process.stderr.write('This machine is too busy: the measurement took longer than six minutes.\n');
    process.exit(1);
  }, DEADLINE_MS).unref();
}

/** Prints a row of the table. */
export function print(...[name = '', ...figures]: (string | number)[]): void {
  process.stdout.write(`${String(name).padEnd(34)}${figures.map((cell) => String(cell).padStart(12)).join('')}\n`);
}

/** Prints the table head; {@link printFrames} prints its rows. */
export const printFramesHead = (): void => print('', 'frames/s', 'longest ms', 'dropped', 'requested');

export const printFrames = (name: string, { perSecond, longestMs, dropped, requested }: FrameStatistics): void =>
  print(name, perSecond.toFixed(1), longestMs.toFixed(1), `${(dropped * 100).toFixed(1)} %`, requested);
