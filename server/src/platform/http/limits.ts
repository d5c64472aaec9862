import type { UploadLanes } from './upload-admission.ts';

/** How long a client may take, and how many connections there may be. */
export type HttpLimits = {
  /** How long the head of a request may take, and then its body, in ms; uploads have their own timeout. */
  requestPatienceMs: number;
  /** An upload has to deliver 16 kB in each window of this many ms. */
  uploadWindowMs: number;
  /** Concurrent uploads, slips and chat files together. */
  uploads: UploadLanes;
  /** Maximum number of connections. */
  connectionsMax: number;
  /** Maximum number of connections per address; unlimited for a trusted proxy. */
  connectionsPerAddress: number;
};

/** Average event loop delay, in ms, past which calls are refused with Retry-After. */
export const EVENT_LOOP_DELAY_MAX_MS = 1_000;

const MEGABYTE = 1024 * 1024;

/** A mobile network has hundreds of its customers behind one address; see limitConnections. */
export const HTTP_LIMITS: HttpLimits = {
  requestPatienceMs: 30_000,
  uploadWindowMs: 15_000,
  // Memory is bounded by their bytes; a slot itself costs next to nothing.
  uploads: { member: { slots: 48, bytes: 160 * MEGABYTE }, visitor: { slots: 12, bytes: 40 * MEGABYTE } },
  connectionsMax: 10_000,
  connectionsPerAddress: 1_000,
};

/** The part of one of several processes in limits that hold for all together. */
export function perProcessLimits(limits: HttpLimits, processes: number): HttpLimits {
  const part = (all: number): number => Math.ceil(all / processes);
  const { member, visitor } = limits.uploads;
  const lane = ({ slots, bytes }: typeof member) => ({ slots: part(slots), bytes: part(bytes) });
  return {
    ...limits,
    uploads: { member: lane(member), visitor: lane(visitor) },
    connectionsMax: part(limits.connectionsMax),
    connectionsPerAddress: part(limits.connectionsPerAddress),
  };
}
