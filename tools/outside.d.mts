/** Secrets of a data folder: created once, never replaced, readable only by their owner. */
export function ensureSecrets(path: string): object;

/** Writes addresses and credentials of the simulated outside, for the server and the simulators. */
export function writeOutside(
  path: string,
  secrets: object,
  addresses: {
    url: string;
    outside: string;
    publicUrl: string;
    simulatorsUrl?: string;
    followHost: readonly string[];
  },
  timeoutMs: number,
): void;
