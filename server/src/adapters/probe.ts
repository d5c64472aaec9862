/** Outcome of a harmless call that carries a counterparty's credentials. */
export type ProbeOutcome =
  /** The reply shows that the party accepts them. `note`: what else it shows, for operators. */
  | { outcome: 'proven'; note?: string }
  /** The party refuses them, is silent, or replies with something else. */
  | { outcome: 'failed'; reason: string }
  /** Nothing is known: the party has no such call, or is closed. */
  | { outcome: 'unproven'; reason: string };

/**
 * Proves address and credentials by one call that changes nothing, sends nothing and costs nothing. Never throws on
 * failures of the party.
 */
export type Probe = () => Promise<ProbeOutcome>;

export const PROVEN: ProbeOutcome = { outcome: 'proven' };

export const failedProbe = (reason: string): ProbeOutcome => ({ outcome: 'failed', reason });
