import { type MemberEvent, memberRoom } from '@krapao/contract/events';
import { toWire } from '@krapao/contract/money';
import { z } from 'zod';
import type { LedgerEvent, Ledger } from '../../ledger/index.ts';
import type { RoomSubscription } from '../../platform/socket/rooms.ts';
import type { SocketSender } from '../../platform/socket/socket.ts';

/** Sequences are operation ids of the ledger: 63 bits. */
const SEQUENCE_PATTERN = /^\d{1,18}$/;

/** The app's request to receive a member's money events. */
export const joinRequest = z.object({
  room: z.string().max(128),
  token: z.string().min(1).max(512),
  since: z.string().regex(SEQUENCE_PATTERN).optional(),
});

/** Members can join only their own room. */
export const isOwnRoom = (room: string, memberId: string): boolean => room === memberRoom(memberId);

const EVENT_KINDS: Readonly<Record<string, MemberEvent['kind']>> = {
  deposit: 'deposit',
  withdraw: 'withdraw',
  transfer: 'transfer',
  play: 'play',
  bonus: 'bonus',
  finish_bonus: 'bonus',
};

/** A money event in wire format. @throws for an unknown kind of movement */
export function toMemberEvent(event: LedgerEvent): MemberEvent {
  const kind = EVENT_KINDS[event.kind];
  if (!kind) throw new Error(`movements of the kind "${event.kind}" have no event`);
  return {
    sequence: String(event.operationId),
    kind,
    state: event.state,
    reference: event.reference,
    amount: toWire(event.amount),
    at: event.at.toISOString(),
  };
}

export type FollowerSender = Pick<SocketSender, 'backlog' | 'drained' | 'drop'> & { send(event: MemberEvent): void };

export type FollowerOptions = {
  memberId: string;
  /** Sequence of the last event that the client has received. */
  since: bigint;
  ledger: Pick<Ledger, 'eventsSince'>;
  sender: FollowerSender;
  /** Called when events could not be read, after dropping the connection. */
  onError: (error: unknown) => void;
};

const EVENTS_PER_READ = 200;
export const BACKLOG_MAX = 200;
const SENT_SEQUENCES_MAX = 1_000;

/**
 * Sends the money events of a member to one socket, after the last received one, each once and in order. Events are
 * read from the ledger. A notification only triggers a read, because batches of several processes arrive unordered.
 */
export class Follower implements RoomSubscription {
  readonly #options: FollowerOptions;
  #lastSequence: bigint;
  #state: 'waiting' | 'reading' | 'stopped' = 'waiting';
  /** Whether an event was announced since the last read started. */
  #hasUnreadEvents = false;
  /** Sequences of recently sent events. */
  readonly #sentSequences = new Set<bigint>();

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#lastSequence = options.since;
  }

  /** Sends missed events, and resolves when all are sent. Call after subscribing to notifications. */
  async start(): Promise<void> {
    this.#hasUnreadEvents = true;
    await this.#read();
  }

  /** Handles a notification of the ledger about the member's money. */
  notify(event: LedgerEvent): void {
    if (event.operationId > this.#lastSequence) {
      this.#hasUnreadEvents = true;
      void this.#read();
    } else if (event.operationId > this.#options.since && !this.#sentSequences.has(event.operationId)) {
      // Two processes moved different accounts of the member, and the lower id was committed last.
      this.#send(event);
    }
  }

  leave(): void {
    this.#state = 'stopped';
  }

  async #read(): Promise<void> {
    if (this.#state !== 'waiting') return;
    this.#state = 'reading';
    try {
      while (this.#hasUnreadEvents && this.#isReading()) await this.#readOnce();
      if (this.#isReading()) this.#state = 'waiting';
    } catch (error) {
      if (!this.#isReading()) return;
      this.leave();
      this.#options.sender.drop();
      this.#options.onError(error);
    }
  }

  async #readOnce(): Promise<void> {
    const { memberId, ledger, sender } = this.#options;
    this.#hasUnreadEvents = false;
    const events = await ledger.eventsSince(memberId, this.#lastSequence, EVENTS_PER_READ);
    for (const event of events) {
      this.#send(event);
      this.#lastSequence = event.operationId;
    }
    const isFull = events.length === EVENTS_PER_READ;
    if (isFull) this.#hasUnreadEvents = true;
    if (isFull || sender.backlog() > BACKLOG_MAX) await sender.drained();
  }

  #isReading(): boolean {
    return this.#state === 'reading';
  }

  #send(event: LedgerEvent): void {
    if (this.#state === 'stopped') return;
    this.#options.sender.send(toMemberEvent(event));
    this.#sentSequences.add(event.operationId);
    if (this.#sentSequences.size <= SENT_SEQUENCES_MAX) return;
    const [oldest] = this.#sentSequences;
    if (oldest !== undefined) this.#sentSequences.delete(oldest);
  }
}
