/**
 * Batches the keys that are requested while a call is running into the next call. A single request goes out
 * immediately; under load one round trip serves many. A request never joins a call that has begun, so that no answer is
 * older than its request.
 * @param load loads many keys and returns values in any order; `keyOf` gives the key of a value. A key without a value
 * resolves to undefined
 * @param atMost keys in one call
 */
export function coalesce<Answer>(
  load: (keys: readonly string[]) => Promise<readonly Answer[]>,
  keyOf: (answer: Answer) => string,
  atMost = 256,
): (key: string) => Promise<Answer | undefined> {
  type Waiting = { resolve: (answer: Answer | undefined) => void; reject: (error: unknown) => void };
  const waiting = new Map<string, Waiting[]>();
  let isAsking = false;

  const ask = async (): Promise<void> => {
    isAsking = true;
    while (waiting.size > 0) {
      const asked = [...waiting].slice(0, atMost);
      for (const [key] of asked) waiting.delete(key);
      try {
        const answers = await load(asked.map(([key]) => key));
        const byKey = new Map(answers.map((answer) => [keyOf(answer), answer]));
        for (const [key, people] of asked) for (const { resolve } of people) resolve(byKey.get(key));
      } catch (error) {
        for (const [, people] of asked) for (const { reject } of people) reject(error);
      }
    }
    isAsking = false;
  };

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.set(key, [...(waiting.get(key) ?? []), { resolve, reject }]);
      if (!isAsking) void ask();
    });
}
