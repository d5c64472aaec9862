import type { UploadLanes } from '../upload/upload-admission.ts';

/** How long a client may take, and how many connections there may be. */
export type HttpLimits = {
  /** How long the head of a request may take, and then its body, in ms; uploads have a patience of their own. */
  requestPatienceMs: number;
  /** An upload must bring 16 kB in each window of this many ms. */
  uploadWindowMs: number;
  /** Uploads at one moment, slips and chat files together. */
  uploads: UploadLanes;
  /** Most connections at once. */
  connectionsMax: number;
  /** Most connections at once of one address; of a trusted proxy any number. */
  connectionsPerAddress: number;
};

/** How late the event loop may be on average, in ms, before calls are told to come back. */
export const EVENT_LOOP_DELAY_MAX_MS = 1_000;

const MEGABYTE = 1024 * 1024;

/** A mobile network shows hundreds of its customers under one address; see limitConnections. */
export const HTTP_LIMITS: HttpLimits = {
  requestPatienceMs: 30_000,
  uploadWindowMs: 15_000,
  // Their bytes bound the memory; a place costs next to nothing by itself.
  uploads: { member: { places: 48, bytes: 160 * MEGABYTE }, visitor: { places: 12, bytes: 40 * MEGABYTE } },
  connectionsMax: 10_000,
  connectionsPerAddress: 1_000,
};
