import { uuidV7 } from '../../../platform/ids.ts';
import type { Arrival, SeenArrival } from './bank-transfer.ts';
import { type BankTransferDeps, LEASE_MS } from './bank-transfer-deps.ts';
import { markSuspense, upsertArrival } from './queries.ts';

/**
 * Enters a transfer that was seen, or finds the row that it has; whoever sees it again changes nothing. One that two
 * tellers tell differently waits for an operator, unless it is credited already; then it is logged.
 * @param by who told: what a feed tells is matched by itself, what a slip's look-up tells only when it is claimed
 */
export async function sightArrival(
  deps: Pick<BankTransferDeps, 'database' | 'clock' | 'log' | 'wakeWork'>,
  seen: SeenArrival,
  by: 'FEED' | 'SLIP',
): Promise<Arrival> {
  const arrival = await upsertArrival(deps.database, uuidV7(deps.clock.now()), seen, by === 'FEED');
  if (!agrees(arrival, seen)) {
    deps.log.error({ ...seen.identity, by }, 'a transfer is told in two ways');
    if (await markSuspense(deps.database, arrival.id, 'DISPUTED', [], LEASE_MS)) {
      deps.wakeWork();
      return { ...arrival, state: 'SUSPENSE', reason: 'DISPUTED' };
    }
  }
  return arrival;
}

const agrees = (arrival: Arrival, seen: SeenArrival): boolean =>
  arrival.amount === seen.amount && arrival.currency === seen.currency && arrival.house === seen.house;
