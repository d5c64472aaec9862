import { chatRoom } from '@krapao/contract/events';
import type { KeptRooms } from '../../platform/socket/rooms.ts';
import { createSemaphore } from '../../platform/jobs/semaphore.ts';
import type { CustomerRef } from './chat.ts';
import type { ChatDeps } from './chat-deps.ts';
import type { Listener } from './keep-rooms.ts';
import { selectAfter } from './queries.ts';
import { showMessages, type ShowMessagesDeps } from './message-feed.ts';

/** Rooms of one process that are read for concurrently; others wait. */
const READS_AT_ONCE = 4;
const READS_WAITING_MAX = 5_000;
const MESSAGES_PER_READ = 50;

/** A room that is being read for. */
type Reading = { delivered: number; wanted: number };

/**
 * Sends committed messages to the rooms of this process: in order, each once, read once for all connections of a room.
 * A connection that can't be served is closed; the client reconnects and reads the history.
 */
export function deliverToRooms(
  deps: ShowMessagesDeps & Pick<ChatDeps, 'log'>,
  rooms: Pick<KeptRooms<Listener>, 'in'>,
): (customer: CustomerRef, sequence: number) => void {
  const readings = new Map<string, Reading>();
  const gate = createSemaphore(READS_AT_ONCE, READS_WAITING_MAX, () => {
    throw new Error('too many rooms wait for their messages');
  });
  return (customer, sequence) => {
    const room = chatRoom(customer.id);
    const underWay = readings.get(room);
    if (underWay) underWay.wanted = Math.max(underWay.wanted, sequence);
    else if ([...rooms.in(room)].length > 0) {
      const reading = { delivered: sequence - 1, wanted: sequence };
      readings.set(room, reading);
      void gate(() => read(deps, customer, reading, () => rooms.in(room)))
        .catch((error: unknown) => {
          deps.log.error({ err: error }, 'messages could not be delivered to a room');
          for (const listener of rooms.in(room)) listener.drop();
        })
        .finally(() => readings.delete(room));
    }
  };
}

async function read(
  deps: ShowMessagesDeps,
  customer: CustomerRef,
  reading: Reading,
  listeners: () => Iterable<Listener>,
): Promise<void> {
  while (reading.delivered < reading.wanted) {
    const stored = await selectAfter(deps.database, customer, reading.delivered, MESSAGES_PER_READ);
    // A message committed just now is announced soon: sending it here would send it twice.
    const due = stored.filter(({ sequence }) => sequence <= reading.wanted);
    const messages = await showMessages(deps, customer, due);
    const last = messages.at(-1);
    // A conversation that was removed meanwhile.
    if (!last) return;
    for (const message of messages) for (const listener of listeners()) listener.deliver(message);
    reading.delivered = last.sequence;
  }
}
