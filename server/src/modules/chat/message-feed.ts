import { sleep } from '../../platform/time.ts';
import type { Connection, Database } from '../../platform/database/database.ts';
import { type CustomerRef, type StoredMessage, toWireMessage, type ChatDeps } from './chat.ts';
import { CHANNEL, selectHistory, selectAfter } from './queries.ts';
import type { ChatMessage } from '@krapao/contract/endpoints/chat';
import { fileUrl, type FileAddressDeps, SHOWN_HOURS } from './files.ts';
import { chatRoom } from '@krapao/contract/events';
import type { RoomSubscribers } from '../../platform/socket/rooms.ts';
import { createSemaphore } from '../../platform/jobs/concurrency.ts';
import type { ChatSubscriber } from './rooms.ts';

export type FeedDeps = {
  database: Pick<Database, 'connection'>;
  /** Called for each message that any node committed, in the order of its conversation. */
  onMessage: (customer: CustomerRef, sequence: number) => void;
  /** Messages may have been missed: clients have to reload the history. */
  onLost: () => void;
  onTrouble: (error: Error) => void;
};

export type MessageFeed = {
  /** Whether messages are received. Waits a little while the connection is being opened or reopened. */
  isReceiving(): Promise<boolean>;
  stop(): Promise<void>;
};

/** How often the connection is looked after. */
const LOOK_EVERY_MS = 1_000;
/** How long a caller waits for a connection that is being opened. */
const PATIENCE_MS = 3_000;
/** A connection that says nothing for so long is lost, whatever its other end believes. */
const SILENCE_MS = 10_000;

/** Receives a notification of every committed message, on a separate connection, which is reopened when it breaks. */
export function subscribeMessages({ database, onMessage, onLost, onTrouble }: FeedDeps): MessageFeed {
  const stopping = new AbortController();
  const { signal } = stopping;
  let connection: Connection | undefined;
  let connected = Promise.withResolvers<void>();
  const lose = (error: Error): void => {
    const lost = connection;
    connection = undefined;
    if (lost) connected = Promise.withResolvers();
    // Not back into the pool: it listens.
    lost?.release(error);
    if (lost && !signal.aborted) onLost();
  };
  const look = async (): Promise<void> => {
    connection ??= await connect(database, onMessage, (broken, error) => {
      if (connection === broken) lose(error);
    });
    connected.resolve();
    await assertAlive(connection);
  };
  const follow = async (): Promise<void> => {
    while (!signal.aborted) {
      await look().catch((error: Error) => {
        lose(error);
        if (!signal.aborted) onTrouble(error);
      });
      await sleep(LOOK_EVERY_MS, signal);
    }
  };
  const ended = follow();
  return {
    async isReceiving() {
      if (!connection) await Promise.race([connected.promise, sleep(PATIENCE_MS, signal)]);
      return connection !== undefined;
    },
    async stop() {
      stopping.abort();
      await ended;
      lose(new Error('the feed was closed'));
    },
  };
}

async function connect(
  database: FeedDeps['database'],
  onMessage: FeedDeps['onMessage'],
  onBroken: (broken: Connection, error: Error) => void,
): Promise<Connection> {
  const connection = await database.connection();
  connection.onLost((error) => onBroken(connection, error));
  connection.onNotification((_channel, payload) => {
    const [kind, id, sequence] = payload.split(' ');
    if ((kind === 'member' || kind === 'visitor') && id !== undefined) onMessage({ kind, id }, Number(sequence));
  });
  try {
    await connection.query(`listen ${CHANNEL}`);
    return connection;
  } catch (error) {
    connection.release(error as Error);
    throw error;
  }
}

async function assertAlive(connection: Connection): Promise<void> {
  const answered = new AbortController();
  const silence = sleep(SILENCE_MS, answered.signal).then(() => {
    if (!answered.signal.aborted) throw new Error('the database says nothing');
  });
  try {
    await Promise.race([connection.query('select 1'), silence]);
  } finally {
    answered.abort();
  }
}

export type WireMessageDeps = Pick<ChatDeps, 'database'> & FileAddressDeps;

/** A part of a customer's conversation, newest first. */
export async function readHistory(
  deps: WireMessageDeps,
  customer: CustomerRef,
  part: { skip: number; limit: number },
): Promise<ChatMessage[]> {
  return toWireMessages(deps, customer, await selectHistory(deps.database, customer, part));
}

/** Messages of a conversation as its customer sees them. */
export async function toWireMessages(
  deps: WireMessageDeps,
  customer: CustomerRef,
  messages: readonly StoredMessage[],
): Promise<ChatMessage[]> {
  return Promise.all(
    messages.map(async (stored) => {
      const message = await withMediaUrl(deps, stored.message, SHOWN_HOURS.customer);
      return toWireMessage(customer, { ...stored, message });
    }),
  );
}

/** Adds the URL of the message's file, if it has one on this server. */
export async function withMediaUrl<M extends StoredMessage['message']>(
  deps: FileAddressDeps,
  message: M,
  hours: number,
): Promise<M> {
  if (message.message_type !== 'media' || message.payload.filePath === '') return message;
  const url = await fileUrl(deps, message.payload.filePath, hours);
  return { ...message, payload: { ...message.payload, url } };
}

/** Rooms of one process that are read for concurrently; others wait. */
const READS_AT_ONCE = 4;
const READS_WAITING_MAX = 5_000;
const MESSAGES_PER_READ = 50;

/** A room that is being read for. */
type Reading = { delivered: number; requested: number };

/**
 * Sends committed messages to the rooms of this process: in order, each once, read once for all connections of a room.
 * A connection that can't be served is closed; the client reconnects and reads the history.
 */
export function deliverMessages(
  deps: WireMessageDeps & Pick<ChatDeps, 'log'>,
  rooms: Pick<RoomSubscribers<ChatSubscriber>, 'in'>,
): (customer: CustomerRef, sequence: number) => void {
  const readings = new Map<string, Reading>();
  const gate = createSemaphore(READS_AT_ONCE, READS_WAITING_MAX, () => {
    throw new Error('too many rooms wait for their messages');
  });
  return (customer, sequence) => {
    const room = chatRoom(customer.id);
    const underWay = readings.get(room);
    if (underWay) underWay.requested = Math.max(underWay.requested, sequence);
    else if ([...rooms.in(room)].length > 0) {
      const reading = { delivered: sequence - 1, requested: sequence };
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
  deps: WireMessageDeps,
  customer: CustomerRef,
  reading: Reading,
  listeners: () => Iterable<ChatSubscriber>,
): Promise<void> {
  while (reading.delivered < reading.requested) {
    const stored = await selectAfter(deps.database, customer, reading.delivered, MESSAGES_PER_READ);
    // A message committed just now is announced soon: sending it here would send it twice.
    const due = stored.filter(({ sequence }) => sequence <= reading.requested);
    const messages = await toWireMessages(deps, customer, due);
    const last = messages.at(-1);
    // The conversation was removed concurrently.
    if (!last) return;
    for (const message of messages) for (const listener of listeners()) listener.deliver(message);
    reading.delivered = last.sequence;
  }
}
