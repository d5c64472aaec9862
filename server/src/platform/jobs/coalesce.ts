/**
 * Batches requests into calls: those of the same turn of the event loop go out together at once, those that are made
 * while a call is running go into the next one. Under load one round trip serves many. A request never joins a call that
 * has begun, so that no answer is older than its request.
 * @param load answers many requests, by their keys. A key without an answer resolves to undefined
 * @param keyOf requests with the same key get the same answer
 * @param atMost requests in one call
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
