/**
 * Collects what is asked for while an answer is on its way, and asks for all of it at once in the next call. A call alone
 * goes out immediately; under load one round trip serves many. What is asked for never joins a call that has begun, so
 * that nobody gets an answer older than their question.
 * @param load answers many keys, in any order; `keyOf` says whose answer one is. A key without an answer is undefined
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
