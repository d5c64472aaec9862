import type { LedgerEvent } from '../../ledger/module.ts';
import type { Follower } from './follower.ts';

/** A member has a phone, a computer and a few forgotten tabs: past this many the oldest goes. */
const PER_MEMBER_MAX = 10;

/** All followers of this process, by member. */
export class Followers {
  readonly #byMember = new Map<string, Set<Follower>>();

  add(follower: Follower): void {
    const own = this.#byMember.get(follower.memberId) ?? new Set();
    this.#byMember.set(follower.memberId, own.add(follower));
    if (own.size <= PER_MEMBER_MAX) return;
    const [oldest] = own;
    if (!oldest) return;
    this.remove(oldest);
    oldest.sendAway();
  }

  remove(follower: Follower): void {
    const own = this.#byMember.get(follower.memberId);
    own?.delete(follower);
    if (own?.size === 0) this.#byMember.delete(follower.memberId);
    follower.stop();
  }

  tell(events: readonly LedgerEvent[]): void {
    for (const event of events) {
      for (const follower of this.#byMember.get(event.memberId) ?? []) follower.tell(event);
    }
  }

  tokens(): Set<string> {
    return new Set(this.#all().map(({ token }) => token));
  }

  /** Ends everyone who joined with a token. */
  endToken(token: string): void {
    for (const follower of this.#all()) {
      if (follower.token !== token) continue;
      this.remove(follower);
      follower.sendAway();
    }
  }

  #all(): Follower[] {
    return [...this.#byMember.values()].flatMap((own) => [...own]);
  }
}
