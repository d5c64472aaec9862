import { monotonicMs } from './clock.ts';

type Reading<T> = { data: Promise<T>; readAtMs: number };

/** From this part of its time on something is read anew behind the back of whoever asks. */
const RENEWED_AT = 0.7;

/**
 * Reads something that all share once in a while, however many ask: nobody gets it older than `freshMs`, and where somebody
 * asks all the time nobody waits for it. A failed reading is not kept.
 */
export function keepFresh<T>(load: () => Promise<T>, freshMs: number, nowMs = monotonicMs): () => Promise<T> {
  let held: Reading<T> | undefined;
  let coming: Reading<T> | undefined;
  const read = (readAtMs: number): Reading<T> => {
    const reading = { data: load(), readAtMs };
    coming = reading;
    reading.data.then(
      () => {
        // One that was slow doesn't take the place of a newer one.
        if (!held || held.readAtMs < readAtMs) held = reading;
        if (coming === reading) coming = undefined;
      },
      () => {
        if (coming === reading) coming = undefined;
      },
    );
    return reading;
  };
  return () => {
    const now = nowMs();
    if (held && now - held.readAtMs < freshMs) {
      if (!coming && now - held.readAtMs >= freshMs * RENEWED_AT) read(now);
      return held.data;
    }
    return (coming && now - coming.readAtMs < freshMs ? coming : read(now)).data;
  };
}
