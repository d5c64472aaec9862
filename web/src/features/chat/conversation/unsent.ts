import { onSessionEnd, storedToken } from '../../../api/session.ts';
import { type MessageCarrier, OutgoingStore } from './outgoing.ts';

/** Messages in flight or failed, of the visitor (null) and of the member who is logged in. */
const stores = new Map<string | null, OutgoingStore>();

/** What a member has not sent is not for the next one. */
onSessionEnd(() => {
  for (const [whose, store] of stores) {
    if (whose === null) continue;
    store.stop();
    stores.delete(whose);
  }
});

/**
 * The messages of the current customer, with those that the last conversation left unsent: nothing is lost by looking at
 * another page.
 */
export function outgoingBy(carrier: MessageCarrier): OutgoingStore {
  const whose = storedToken();
  const left = stores.get(whose);
  if (left) {
    left.carryBy(carrier);
    return left;
  }
  const store = new OutgoingStore(carrier);
  stores.set(whose, store);
  return store;
}
