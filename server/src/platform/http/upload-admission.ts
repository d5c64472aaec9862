/** The sender of a file. `group`: the address, as rate limits count it. */
export type Uploader = { kind: 'member' | 'visitor'; id: string; group: string };

/** Concurrent uploads of this process, and their bytes in memory. */
export type UploadLane = { slots: number; bytes: number };

/** A separate lane for each kind, so that visitors, who are unauthenticated, take no capacity from members. */
export type UploadLanes = Readonly<Record<Uploader['kind'], UploadLane>>;

/** Concurrent uploads of one member or visitor, slips and chat files together. */
const PER_UPLOADER_MAX = 2;
/** Concurrent uploads of visitors per address: one caller can be any number of visitors. */
const VISITORS_PER_ADDRESS_MAX = 4;

/** `OWN`: the sender is at its own limit. `ALL`: the lane is full, and no upload in it can yield. */
export class NoUploadSlot extends Error {
  override readonly name = 'NoUploadSlot';
  readonly why: 'OWN' | 'ALL';

  constructor(why: 'OWN' | 'ALL') {
    super(why);
    this.why = why;
  }
}

/** The slot of one upload while it is received and stored. */
export type UploadSlot = {
  /** Aborts when the slot is given to another upload. */
  readonly signal: AbortSignal;
  /**
   * Counts bytes that are kept in memory.
   * @throws {NoUploadSlot} the memory of the lane is used up, and no upload can yield
   */
  hold(bytes: number): void;
  /** Reports the recent progress; undefined: too young to judge, or already complete. Then it can't yield. */
  rate(recentBytes: number | undefined): void;
};

/**
 * Runs an upload in a slot.
 * @throws {NoUploadSlot}
 */
export type UploadAdmission = <T>(uploader: Uploader, work: (slot: UploadSlot) => Promise<T>) => Promise<T>;

type Taken = { uploader: Uploader; revoked: AbortController; bytes: number; recentBytes: number | undefined };

/**
 * Admits uploads. When a lane is full, in number or in memory, its slowest upload yields to the next: a slow sender
 * costs little memory and can't block others.
 */
export function createUploadAdmission(lanes: UploadLanes): UploadAdmission {
  const taken = new Set<Taken>();
  const lane = (kind: Uploader['kind']): Taken[] => [...taken].filter(({ uploader }) => uploader.kind === kind);
  const yieldSlowest = (among: Taken[]): void => {
    let slowest: Taken | undefined;
    for (const one of among) {
      if (one.recentBytes !== undefined && one.recentBytes < (slowest?.recentBytes ?? Infinity)) slowest = one;
    }
    if (!slowest) throw new NoUploadSlot('ALL');
    taken.delete(slowest);
    slowest.revoked.abort();
  };
  const makeRoom = ({ kind, id, group }: Uploader): void => {
    if (lane(kind).filter(({ uploader }) => uploader.id === id).length >= PER_UPLOADER_MAX)
      throw new NoUploadSlot('OWN');
    const neighbours = lane(kind).filter(({ uploader }) => uploader.group === group);
    if (kind === 'visitor' && neighbours.length >= VISITORS_PER_ADDRESS_MAX) yieldSlowest(neighbours);
    if (lane(kind).length >= lanes[kind].slots) yieldSlowest(lane(kind));
  };
  const hold = (slot: Taken, bytes: number): void => {
    const { kind } = slot.uploader;
    slot.bytes += bytes;
    while (taken.has(slot) && bytesOf(lane(kind)) > lanes[kind].bytes) yieldSlowest(lane(kind));
  };
  return async (uploader, work) => {
    makeRoom(uploader);
    const slot: Taken = { uploader, revoked: new AbortController(), bytes: 0, recentBytes: undefined };
    taken.add(slot);
    try {
      return await work({
        signal: slot.revoked.signal,
        hold: (bytes) => hold(slot, bytes),
        rate: (recentBytes) => {
          slot.recentBytes = recentBytes;
        },
      });
    } finally {
      taken.delete(slot);
    }
  };
}

const bytesOf = (slots: Taken[]): number => slots.reduce((sum, { bytes }) => sum + bytes, 0);
