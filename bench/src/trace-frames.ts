/** What the compositor tells of each frame that it was asked for, as trace events. Times in µs. */
export const CATEGORIES = ['cc', 'benchmark', 'disabled-by-default-devtools.timeline.frame'];

type TraceEvent = {
  name: string;
  ph: string;
  ts: number;
  pid: number;
  id2?: { local?: string };
  args?: { frame_reporter?: { state?: string; affects_smoothness?: boolean } };
};
type Frame = { at: number; isPresented: boolean };

export type Frames = {
  /** Time during which frames were wanted, in seconds. */
  seconds: number;
  /** Frames shown per second of that time. */
  perSecond: number;
  /** Longest time between two frames shown one after the other, in ms. */
  longestMs: number;
  /** Share of the wanted frames that were not shown. */
  dropped: number;
};

/** Two frames shown one after the other are at most this far apart, however wide the timer's steps are. */
const NEXT_US = 25_000;

/** The frames that were wanted, in order: shown at the end of their report, or dropped while something moved. */
function framesOf(events: readonly TraceEvent[]): Frame[] {
  const open = new Map<string, TraceEvent>();
  const frames: Frame[] = [];
  for (const event of events.filter(({ name }) => name === 'PipelineReporter').toSorted((a, b) => a.ts - b.ts)) {
    const key = `${event.pid} ${event.id2?.local ?? ''}`;
    if (event.ph === 'b') {
      open.set(key, event);
      continue;
    }
    const { state = '', affects_smoothness } = open.get(key)?.args?.frame_reporter ?? {};
    open.delete(key);
    const isPresented = state.startsWith('STATE_PRESENTED');
    if (isPresented || (state === 'STATE_DROPPED' && affects_smoothness)) frames.push({ at: event.ts, isPresented });
  }
  return frames;
}

/** How long each frame stood that was followed by another, in µs. Where none was wanted for a while nothing moved. */
function timesOf(frames: readonly Frame[]): number[] {
  const times: number[] = [];
  let last: number | undefined;
  let isWanted = false;
  for (const { at, isPresented } of frames) {
    if (!isPresented) {
      isWanted = true;
      continue;
    }
    if (last !== undefined && (isWanted || at - last <= NEXT_US)) times.push(at - last);
    last = at;
    isWanted = false;
  }
  return times;
}

/** Reads a trace of movements. Frames that nothing would have changed in don't count. */
export function framesOfTrace(trace: Buffer): Frames {
  const { traceEvents } = JSON.parse(trace.toString()) as { traceEvents: TraceEvent[] };
  const frames = framesOf(traceEvents);
  const times = timesOf(frames);
  const micros = times.reduce((sum, time) => sum + time, 0);
  return {
    seconds: micros / 1e6,
    perSecond: (times.length / micros) * 1e6,
    longestMs: Math.max(0, ...times) / 1e3,
    dropped: frames.filter(({ isPresented }) => !isPresented).length / frames.length,
  };
}
