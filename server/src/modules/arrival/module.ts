import type { ArrivalIdentity, Arrival, SeenArrival } from './arrival.ts';
import type { ArrivalDeps } from './arrival-deps.ts';
import { creditArrival, type CreditOutcome, type CreditRequest } from './credit-arrival.ts';
import { findArrival } from './queries.ts';
import { sightArrival } from './sight-arrival.ts';

export { houseOf, WALLET_APP } from './arrival.ts';
export type { Arrival, ArrivalIdentity, SeenArrival, Sender, Via } from './arrival.ts';
export type { CreditOutcome, CreditRequest } from './credit-arrival.ts';
export { senderFits } from './matching.ts';

export type ArrivalModule = {
  /** Enters a transfer to an account of ours that the look-up of a slip has told of, or finds its row. */
  sight(seen: SeenArrival): Promise<Arrival>;
  find(identity: ArrivalIdentity): Promise<Arrival | undefined>;
  /** Credits a transfer that was seen to a member, once. Never straight to the ledger. */
  creditArrival(request: CreditRequest): Promise<CreditOutcome>;
  /** Starts reading the feeds and finishing what was begun. Once, when the database is there. */
  start(): void;
  /** Ends after the work that is under way; before the ledger and the database close. */
  stop(): Promise<void>;
};

export type ArrivalModuleDeps = Omit<ArrivalDeps, 'wakeWork'>;

/** Money that comes to accounts of ours: who sees it, whose it is, and that it is credited once. */
export function arrivalModule(given: ArrivalModuleDeps): ArrivalModule {
  const deps: ArrivalDeps = { ...given, wakeWork: () => {} };
  return {
    sight: (seen) => sightArrival(deps, seen, 'SLIP'),
    find: (identity) => findArrival(deps.database, identity),
    creditArrival: (request) => creditArrival(deps, request),
    start: () => {},
    stop: async () => {},
  };
}
