/**
 * Runs at most `width` concurrent jobs and queues at most `queueMax`. One more is refused by `onFull`, which throws.
 */
export function createSemaphore(
  width: number,
  queueMax: number,
  onFull: () => never,
): <T>(job: () => Promise<T>) => Promise<T> {
  let runningCount = 0;
  const waiters: (() => void)[] = [];
  return async (job) => {
    if (runningCount >= width) {
      if (waiters.length >= queueMax) onFull();
      // A finished job hands its slot to the next waiter, so the count does not change in between.
      await new Promise<void>((resolve) => waiters.push(resolve));
    } else {
      runningCount += 1;
    }
    try {
      return await job();
    } finally {
      const nextWaiter = waiters.shift();
      if (nextWaiter) nextWaiter();
      else runningCount -= 1;
    }
  };
}

/**
 * Runs the work of each key one at a time. Callers that arrive during a run share the next run, so that no result is
 * older than its request. A thousand concurrent calls for one key run twice.
 */
export function singleFlight<Answer>(): (key: string, work: () => Promise<Answer>) => Promise<Answer> {
  type Flights = { current: Promise<unknown>; next: Promise<Answer> | undefined };
  const flightsOf = new Map<string, Flights>();

  const start = (key: string, work: () => Promise<Answer>): Promise<Answer> => {
    const flights: Flights = { current: Promise.resolve(), next: undefined };
    flightsOf.set(key, flights);
    const flight = work().finally(() => {
      if (flights.next === undefined) flightsOf.delete(key);
    });
    // A failure rejects only the callers of this run; waiting callers get a separate run.
    flights.current = flight.catch(() => {});
    return flight;
  };

  return (key, work) => {
    const flights = flightsOf.get(key);
    if (!flights) return start(key, work);
    flights.next ??= flights.current.then(() => start(key, work));
    return flights.next;
  };
}

/**
 * Batches requests: those of one turn of the event loop are sent together immediately, those made during a call form
 * the next batch. Under load one round trip serves many. A request never joins a running call, so that no reply is
 * older than its request.
 * @param load resolves many requests by their keys; a key without a result resolves to undefined
 * @param keyOf requests with the same key share a result
 * @param batchMax maximum requests per call
 */
export function coalesce<Request, Answer>(
  load: (requests: readonly Request[]) => Promise<ReadonlyMap<string, Answer>>,
  keyOf: (request: Request) => string,
  batchMax = 256,
): (request: Request) => Promise<Answer | undefined> {
  type Caller = { resolve: (answer: Answer | undefined) => void; reject: (error: unknown) => void };
  const pendingCalls = new Map<string, { request: Request; callers: Caller[] }>();
  let isLoading = false;

  const loadBatch = async (): Promise<void> => {
    isLoading = true;
    // Lets further requests of the same turn join the batch.
    await Promise.resolve();
    while (pendingCalls.size > 0) {
      const batch = [...pendingCalls].slice(0, batchMax);
      for (const [key] of batch) pendingCalls.delete(key);
      try {
        const results = await load(batch.map(([, { request }]) => request));
        for (const [key, { callers }] of batch) for (const { resolve } of callers) resolve(results.get(key));
      } catch (error) {
        for (const [, { callers }] of batch) for (const { reject } of callers) reject(error);
      }
    }
    isLoading = false;
  };

  return (request) =>
    new Promise((resolve, reject) => {
      const key = keyOf(request);
      const pendingCall = pendingCalls.get(key);
      if (pendingCall) pendingCall.callers.push({ resolve, reject });
      else pendingCalls.set(key, { request, callers: [{ resolve, reject }] });
      if (!isLoading) void loadBatch();
    });
}

/** Queue length from which a queue is a burst; the calls of one member are fewer. */
const BURST_JOBS = 32;

/**
 * Starts jobs in order of arrival, one per turn of the event loop. During a burst it starts one per `gapMs`, which
 * leaves processor time for other requests.
 */
export function staggerBursts(gapMs: number): <T>(job: () => Promise<T>) => Promise<T> {
  const waiters: (() => void)[] = [];
  let isDraining = false;
  const startBurst = (): void => {
    const start = waiters.shift();
    isDraining = start !== undefined;
    if (!start) return;
    start();
    if (waiters.length > BURST_JOBS) setTimeout(startBurst, gapMs);
    else setImmediate(startBurst);
  };
  return (job) =>
    new Promise((resolve, reject) => {
      waiters.push(() => void job().then(resolve, reject));
      if (isDraining) return;
      isDraining = true;
      setImmediate(startBurst);
    });
}
