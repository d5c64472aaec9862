/**
 * Runs the work of each key one at a time. Callers that arrive during a run share the next run, so that no answer is older
 * than its request, and a thousand concurrent calls for one key run twice.
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
