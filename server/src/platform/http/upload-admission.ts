/** The sender of a file. `group`: the network of the address, as in rate limits. */
export type Uploader = { kind: 'member' | 'visitor'; id: string; group: string };

/** Limits of one lane: concurrent uploads of this process, and their bytes in memory. */
export type UploadLane = { slots: number; bytes: number };

/** One lane per kind, so that unauthenticated visitors take no capacity from members. */
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
  /** Aborts when another upload takes the slot. */
  readonly signal: AbortSignal;
  /**
   * Adds bytes that are kept in memory.
   * @throws {NoUploadSlot} the memory of the lane is full, and no upload can yield
   */
  hold(bytes: number): void;
  /** Reports the recent progress. Undefined: too new to judge, or complete; such an upload can't yield. */
  rate(recentBytes: number | undefined): void;
};

/**
 * Runs an upload in a slot.
 * @throws {NoUploadSlot}
 */
export type UploadAdmission = <T>(uploader: Uploader, work: (slot: UploadSlot) => Promise<T>) => Promise<T>;

type OccupiedSlot = { uploader: Uploader; revoked: AbortController; bytes: number; recentBytes: number | undefined };

/**
 * Admits uploads. When a lane is full, by number or by memory, its slowest upload yields to the next, so that slow
 * senders can't block others.
 */
export function createUploadAdmission(lanes: UploadLanes): UploadAdmission {
  const occupiedSlots = new Set<OccupiedSlot>();
  const slotsOfKind = (kind: Uploader['kind']): OccupiedSlot[] =>
    [...occupiedSlots].filter(({ uploader }) => uploader.kind === kind);
  const yieldSlowest = (slots: OccupiedSlot[]): void => {
    let slowestSlot: OccupiedSlot | undefined;
    for (const slot of slots) {
      if (slot.recentBytes !== undefined && slot.recentBytes < (slowestSlot?.recentBytes ?? Infinity))
        slowestSlot = slot;
    }
    if (!slowestSlot) throw new NoUploadSlot('ALL');
    occupiedSlots.delete(slowestSlot);
    slowestSlot.revoked.abort();
  };
  const makeRoom = ({ kind, id, group }: Uploader): void => {
    if (slotsOfKind(kind).filter(({ uploader }) => uploader.id === id).length >= PER_UPLOADER_MAX)
      throw new NoUploadSlot('OWN');
    const sameAddressSlots = slotsOfKind(kind).filter(({ uploader }) => uploader.group === group);
    if (kind === 'visitor' && sameAddressSlots.length >= VISITORS_PER_ADDRESS_MAX) yieldSlowest(sameAddressSlots);
    if (slotsOfKind(kind).length >= lanes[kind].slots) yieldSlowest(slotsOfKind(kind));
  };
  const holdBytes = (slot: OccupiedSlot, bytes: number): void => {
    const { kind } = slot.uploader;
    slot.bytes += bytes;
    while (occupiedSlots.has(slot) && totalBytes(slotsOfKind(kind)) > lanes[kind].bytes)
      yieldSlowest(slotsOfKind(kind));
  };
  return async (uploader, work) => {
    makeRoom(uploader);
    const slot: OccupiedSlot = { uploader, revoked: new AbortController(), bytes: 0, recentBytes: undefined };
    occupiedSlots.add(slot);
    try {
      return await work({
        signal: slot.revoked.signal,
        hold: (bytes) => holdBytes(slot, bytes),
        rate: (recentBytes) => {
          slot.recentBytes = recentBytes;
        },
      });
    } finally {
      occupiedSlots.delete(slot);
    }
  };
}

const totalBytes = (slots: OccupiedSlot[]): number => slots.reduce((total, { bytes }) => total + bytes, 0);
