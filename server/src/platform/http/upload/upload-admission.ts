/** Who sends a file. `group`: the address, as limits count it. */
export type Uploader = { kind: 'member' | 'visitor'; id: string; group: string };

/** Uploads at one moment in this process, and the bytes of them that are in memory. */
export type UploadLane = { places: number; bytes: number };

/** A lane of its own for each kind, so that visitors, who are anybody, take nothing from members. */
export type UploadLanes = Readonly<Record<Uploader['kind'], UploadLane>>;

/** Uploads at one moment of one member or visitor, slips and chat files together. */
const OF_ONE = 2;
/** Visitors are as many as they like: what one address may have of them at one moment. */
const VISITORS_OF_ADDRESS = 4;

/** `OWN`: the sender has as many under way as one may. `ALL`: the lane is full, and no upload in it can yield. */
export class NoPlace extends Error {
  override readonly name = 'NoPlace';
  readonly why: 'OWN' | 'ALL';

  constructor(why: 'OWN' | 'ALL') {
    super(why);
    this.why = why;
  }
}

/** The place of one upload while it is received and stored. */
export type UploadPlace = {
  /** Aborts when the place is given to another upload. */
  readonly signal: AbortSignal;
  /**
   * Counts bytes that are kept in memory.
   * @throws {NoPlace} the memory of the lane is used up, and no upload can yield
   */
  hold(bytes: number): void;
  /** Tells how much came lately; undefined: it is too young to judge, or nothing is missing any more. Then it can't yield. */
  rate(recentBytes: number | undefined): void;
};

/**
 * Runs an upload in a place of its own.
 * @throws {NoPlace}
 */
export type UploadAdmission = <T>(uploader: Uploader, work: (place: UploadPlace) => Promise<T>) => Promise<T>;

type Taken = { uploader: Uploader; revoked: AbortController; bytes: number; recentBytes: number | undefined };

/**
 * Admits uploads. When a lane is full, in number or in memory, its slowest upload yields to the next: a slow sender costs
 * little memory and can't keep anybody out.
 */
export function createUploadAdmission(lanes: UploadLanes): UploadAdmission {
  const taken = new Set<Taken>();
  const lane = (kind: Uploader['kind']): Taken[] => [...taken].filter(({ uploader }) => uploader.kind === kind);
  const yieldSlowest = (among: Taken[]): void => {
    let slowest: Taken | undefined;
    for (const one of among) {
      if (one.recentBytes !== undefined && one.recentBytes < (slowest?.recentBytes ?? Infinity)) slowest = one;
    }
    if (!slowest) throw new NoPlace('ALL');
    taken.delete(slowest);
    slowest.revoked.abort();
  };
  const makeRoom = ({ kind, id, group }: Uploader): void => {
    if (lane(kind).filter(({ uploader }) => uploader.id === id).length >= OF_ONE) throw new NoPlace('OWN');
    const neighbours = lane(kind).filter(({ uploader }) => uploader.group === group);
    if (kind === 'visitor' && neighbours.length >= VISITORS_OF_ADDRESS) yieldSlowest(neighbours);
    if (lane(kind).length >= lanes[kind].places) yieldSlowest(lane(kind));
  };
  const hold = (place: Taken, bytes: number): void => {
    const { kind } = place.uploader;
    place.bytes += bytes;
    while (taken.has(place) && bytesOf(lane(kind)) > lanes[kind].bytes) yieldSlowest(lane(kind));
  };
  return async (uploader, work) => {
    makeRoom(uploader);
    const place: Taken = { uploader, revoked: new AbortController(), bytes: 0, recentBytes: undefined };
    taken.add(place);
    try {
      return await work({
        signal: place.revoked.signal,
        hold: (bytes) => hold(place, bytes),
        rate: (recentBytes) => {
          place.recentBytes = recentBytes;
        },
      });
    } finally {
      taken.delete(place);
    }
  };
}

const bytesOf = (places: Taken[]): number => places.reduce((sum, { bytes }) => sum + bytes, 0);
