import { type MemberEvent, memberRoom } from '@krapao/contract/events';
import { toWire } from '@krapao/contract/money';
import { z } from 'zod';
import type { LedgerEvent } from '../../ledger/module.ts';

/** Sequences are operation ids of the ledger: 63 bits. */
const SEQUENCE = /^\d{1,18}$/;

/** The app's request to receive a member's money events. */
export const joinRequest = z.object({
  room: z.string().max(128),
  token: z.string().min(1).max(512),
  since: z.string().regex(SEQUENCE).optional(),
});

/** Whether a room is the member's own: the only one that may be joined. */
export const isOwnRoom = (room: string, memberId: string): boolean => room === memberRoom(memberId);

const KINDS: Readonly<Record<string, MemberEvent['kind']>> = {
  deposit: 'deposit',
  withdraw: 'withdraw',
  transfer: 'transfer',
  play: 'play',
  bonus: 'bonus',
  finish_bonus: 'bonus',
};

/** A money event as it goes out. Throws for a movement that has no word yet. */
export function toMemberEvent(event: LedgerEvent): MemberEvent {
  const kind = KINDS[event.kind];
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
