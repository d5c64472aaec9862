/**
 * Runs one kind of work for each key one at a time. Who asks while it runs waits for the next run and shares it with all
 * others who wait: so nobody gets an answer older than their question, and a key that is asked for a thousand times at
 * once runs twice.
 */
export function takeTurns<Answer>(): (key: string, work: () => Promise<Answer>) => Promise<Answer> {
  type Turns = { current: Promise<unknown>; next: Promise<Answer> | undefined };
  const turnsOf = new Map<string, Turns>();

  const start = (key: string, work: () => Promise<Answer>): Promise<Answer> => {
    const turns: Turns = { current: Promise.resolve(), next: undefined };
    turnsOf.set(key, turns);
    const answer = work().finally(() => {
      if (turns.next === undefined) turnsOf.delete(key);
    });
    // A failure is its askers' to hear; whoever waits has a run of their own.
    turns.current = answer.catch(() => {});
    return answer;
  };

  return (key, work) => {
    const turns = turnsOf.get(key);
    if (!turns) return start(key, work);
    turns.next ??= turns.current.then(() => start(key, work));
    return turns.next;
  };
}
