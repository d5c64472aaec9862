/** What the compositor tells of each frame that it was asked for, as trace events. Times in µs. */
export const CATEGORIES = ['cc', 'benchmark', 'disabled-by-default-devtools.timeline.frame'];

type Report = { state?: string; layer_tree_host_id?: number };
type TraceEvent = {
  name: string;
  ph: string;
  ts: number;
  pid: number;
  id2?: { local?: string };
  args?: { frame_reporter?: Report };
};

export type Frames = {
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
 * Reads a trace of movements by the frames that the compositor was asked for. Frames in which nothing would have changed
 * are not among them, so that rest between movements flatters nothing; every dropped one counts, whoever was late.
 */
export function framesOfTrace(trace: Buffer): Frames {
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
