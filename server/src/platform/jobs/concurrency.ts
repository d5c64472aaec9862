/**
 * Runs at most `width` concurrent jobs and queues at most `queueMax`; one more is refused by `onFull`, which throws.
 */
export function createSemaphore(
  width: number,
  queueMax: number,
  onFull: () => never,
): <T>(job: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];
  return async (job) => {
    if (running >= width) {
      if (waiting.length >= queueMax) onFull();
      // A finished job hands its slot to the next: `running` does not change in between.
      await new Promise<void>((resolve) => waiting.push(resolve));
    } else {
      running += 1;
    }
    try {
      return await job();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}

/**
 * Runs the work of each key one at a time. Callers that arrive during a run share the next run, so that no answer is
 * older than its request, and a thousand concurrent calls for one key run twice.
 */
export function singleFlight<Answer>(): (key: string, work: () => Promise<Answer>) => Promise<Answer> {
  type Flights = { current: Promise<unknown>; next: Promise<Answer> | undefined };
  const flightsOf = new Map<string, Flights>();

  const start = (key: string, work: () => Promise<Answer>): Promise<Answer> => {
    const flights: Flights = { current: Promise.resolve(), next: undefined };
    flightsOf.set(key, flights);
    const answer = work().finally(() => {
      if (flights.next === undefined) flightsOf.delete(key);
    });
    // A failure rejects only the callers of this run; waiting callers get a run of their own.
    flights.current = answer.catch(() => {});
    return answer;
  };

  return (key, work) => {
    const flights = flightsOf.get(key);
    if (!flights) return start(key, work);
    flights.next ??= flights.current.then(() => start(key, work));
    return flights.next;
  };
}

/**
 * Batches requests into calls: those of one turn of the event loop are sent together immediately; those made during a
 * call form the next one. Under load one round trip serves many. A request never joins a call that has begun, so that
 * no reply is older than its request.
 * @param load resolves many requests by their keys; a key without a result resolves to undefined
 * @param keyOf requests with the same key share a result
 * @param atMost requests per call
 */
export function coalesce<Request, Answer>(
  load: (requests: readonly Request[]) => Promise<ReadonlyMap<string, Answer>>,
  keyOf: (request: Request) => string,
  atMost = 256,
): (request: Request) => Promise<Answer | undefined> {
  type Caller = { resolve: (answer: Answer | undefined) => void; reject: (error: unknown) => void };
  const waiting = new Map<string, { request: Request; callers: Caller[] }>();
  let isAsking = false;

  const ask = async (): Promise<void> => {
    isAsking = true;
    // Requests that are made in the same turn join.
    await Promise.resolve();
    while (waiting.size > 0) {
      const asked = [...waiting].slice(0, atMost);
      for (const [key] of asked) waiting.delete(key);
      try {
        const answers = await load(asked.map(([, { request }]) => request));
        for (const [key, { callers }] of asked) for (const { resolve } of callers) resolve(answers.get(key));
      } catch (error) {
        for (const [, { callers }] of asked) for (const { reject } of callers) reject(error);
      }
    }
    isAsking = false;
  };

  return (request) =>
    new Promise((resolve, reject) => {
      const key = keyOf(request);
      const known = waiting.get(key);
      if (known) known.callers.push({ resolve, reject });
      else waiting.set(key, { request, callers: [{ resolve, reject }] });
      if (!isAsking) void ask();
    });
}

/** A longer queue is a burst; the calls of one member are fewer. */
const BURST_JOBS = 32;

/**
 * Starts jobs in order of arrival, one per turn of the event loop. During a burst it starts one per `gapMs` instead:
 * the burst takes longer, and other requests get the processor in between.
 */
export function staggerBursts(gapMs: number): <T>(job: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let isTurning = false;
  const turn = (): void => {
    const start = waiting.shift();
    isTurning = start !== undefined;
    if (!start) return;
    start();
    if (waiting.length > BURST_JOBS) setTimeout(turn, gapMs);
    else setImmediate(turn);
  };
  return (job) =>
    new Promise((resolve, reject) => {
      waiting.push(() => void job().then(resolve, reject));
      if (isTurning) return;
      isTurning = true;
      setImmediate(turn);
    });
}
