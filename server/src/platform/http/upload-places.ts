import { monotonicMs } from '../clock.ts';

export type UploadPlacesOptions = {
  /** Uploads at one moment: of one holder, and of all in this process. Each is in memory until it is stored. */
  ofOne: number;
  ofAll: number;
  /** An upload that takes longer than this gives its place to somebody else when all are taken, in ms. */
  slowAfterMs: number;
};

/**
 * Runs an upload in one of few places; its signal says that somebody else has got it.
 * @throws {NoPlace}
 */
export type UploadPlaces = <T>(holder: string, work: (signal: AbortSignal) => Promise<T>) => Promise<T>;

/** `OWN`: the holder has as many under way as one may. `ALL`: everybody's places are taken. */
export class NoPlace extends Error {
  override readonly name = 'NoPlace';
  readonly why: 'OWN' | 'ALL';

  constructor(why: 'OWN' | 'ALL') {
    super(why);
    this.why = why;
  }
}

type Place = { holder: string; sinceMs: number; giveUp: AbortController };

/** Few places for uploads. A few who send byte by byte don't keep everybody else from sending: the oldest slow one goes. */
export function createUploadPlaces({ ofOne, ofAll, slowAfterMs }: UploadPlacesOptions): UploadPlaces {
  // Oldest first.
  const taken = new Set<Place>();
  const makeRoom = (): boolean => {
    const [oldest] = taken;
    if (!oldest || monotonicMs() - oldest.sinceMs < slowAfterMs) return false;
    oldest.giveUp.abort();
    taken.delete(oldest);
    return true;
  };
  return async (holder, work) => {
    const own = [...taken].filter((place) => place.holder === holder).length;
    if (own >= ofOne) throw new NoPlace('OWN');
    if (taken.size >= ofAll && !makeRoom()) throw new NoPlace('ALL');
    const place: Place = { holder, sinceMs: monotonicMs(), giveUp: new AbortController() };
    taken.add(place);
    try {
      return await work(place.giveUp.signal);
    } finally {
      taken.delete(place);
    }
  };
}

/** An upload that takes longer than so many windows of its patience makes room for others. */
export const SLOW_WINDOWS = 2;
