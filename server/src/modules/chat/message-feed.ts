import type { ChatMessage } from '@krapao/contract/endpoints/chat';
import { chatRoom } from '@krapao/contract/events';
import type { Connection, Database } from '../../platform/database/database.ts';
import { createSemaphore } from '../../platform/jobs/concurrency.ts';
import type { RoomSubscribers } from '../../platform/socket/rooms.ts';
import { sleep } from '../../platform/time.ts';
import { type CustomerRef, type StoredMessage, toWireMessage, type ChatDeps } from './chat.ts';
import { fileUrl, type FileAddressDeps, URL_VALID_HOURS } from './files.ts';
import { CHAT_CHANNEL, selectHistory, selectMessagesAfter } from './queries.ts';
import type { ChatSubscriber } from './rooms.ts';

export type FeedDeps = {
  database: Pick<Database, 'connection'>;
  /** Called for each message that any node committed, in the order of its conversation. */
  onMessage: (customer: CustomerRef, sequence: number) => void;
  /** Called when messages may have been missed: clients have to reload the history. */
  onLost: () => void;
  onError: (error: Error) => void;
};

export type MessageFeed = {
  /** Whether messages are received. Waits briefly while the connection is being opened or reopened. */
  isReceiving(): Promise<boolean>;
  stop(): Promise<void>;
};

/** Interval of connection checks. */
const CHECK_INTERVAL_MS = 1_000;
/** Longest wait of a caller for a connection that is being opened. */
const CONNECT_WAIT_MS = 3_000;
/** A connection without a reply for this long counts as lost. */
const RESPONSE_TIMEOUT_MS = 10_000;

/** Subscribes to the notifications of committed messages on a separate connection, which is reopened when it breaks. */
export function subscribeMessages({ database, onMessage, onLost, onError }: FeedDeps): MessageFeed {
  const abortController = new AbortController();
  const { signal } = abortController;
  let connection: Connection | undefined;
  let connecting = Promise.withResolvers<void>();
  const dropConnection = (error: Error): void => {
    const droppedConnection = connection;
    connection = undefined;
    if (droppedConnection) connecting = Promise.withResolvers();
    // The connection must not return to the pool, because it still listens.
    droppedConnection?.release(error);
    if (droppedConnection && !signal.aborted) onLost();
  };
  const checkConnection = async (): Promise<void> => {
    connection ??= await connect(database, onMessage, (brokenConnection, error) => {
      if (connection === brokenConnection) dropConnection(error);
    });
    connecting.resolve();
    await assertAlive(connection);
  };
  const runChecks = async (): Promise<void> => {
    while (!signal.aborted) {
      await checkConnection().catch((error: Error) => {
        dropConnection(error);
        if (!signal.aborted) onError(error);
      });
      await sleep(CHECK_INTERVAL_MS, signal);
    }
  };
  const checksEnded = runChecks();
  return {
    async isReceiving() {
      if (!connection) await Promise.race([connecting.promise, sleep(CONNECT_WAIT_MS, signal)]);
      return connection !== undefined;
    },
    async stop() {
      abortController.abort();
      await checksEnded;
      dropConnection(new Error('the feed was closed'));
    },
  };
}

async function connect(
  database: FeedDeps['database'],
  onMessage: FeedDeps['onMessage'],
  onBroken: (brokenConnection: Connection, error: Error) => void,
): Promise<Connection> {
  const connection = await database.connection();
  connection.onLost((error) => onBroken(connection, error));
  connection.onNotification((_channel, payload) => {
    const [kind, id, sequence] = payload.split(' ');
    if ((kind === 'member' || kind === 'visitor') && id !== undefined) onMessage({ kind, id }, Number(sequence));
  });
  try {
    await connection.query(`listen ${CHAT_CHANNEL}`);
    return connection;
  } catch (error) {
    connection.release(error as Error);
    throw error;
  }
}

async function assertAlive(connection: Connection): Promise<void> {
  const timeoutCanceller = new AbortController();
  const timeout = sleep(RESPONSE_TIMEOUT_MS, timeoutCanceller.signal).then(() => {
    if (!timeoutCanceller.signal.aborted) throw new Error('the database says nothing');
  });
  try {
    await Promise.race([connection.query('select 1'), timeout]);
  } finally {
    timeoutCanceller.abort();
  }
}

export type WireMessageDeps = Pick<ChatDeps, 'database'> & FileAddressDeps;

/** Reads a page of a customer's conversation, newest first. */
export async function readHistory(
  deps: WireMessageDeps,
  customer: CustomerRef,
  page: { skip: number; limit: number },
): Promise<ChatMessage[]> {
  return toWireMessages(deps, customer, await selectHistory(deps.database, customer, page));
}

/** Converts messages to the wire form of their customer. */
export async function toWireMessages(
  deps: WireMessageDeps,
  customer: CustomerRef,
  messages: readonly StoredMessage[],
): Promise<ChatMessage[]> {
  return Promise.all(
    messages.map(async (storedMessage) => {
      const message = await withMediaUrl(deps, storedMessage.message, URL_VALID_HOURS.customer);
      return toWireMessage(customer, { ...storedMessage, message });
    }),
  );
}

/** Adds the URL of the message's file, if the file is on this server. */
export async function withMediaUrl<M extends StoredMessage['message']>(
  deps: FileAddressDeps,
  message: M,
  hours: number,
): Promise<M> {
  if (message.message_type !== 'media' || message.payload.filePath === '') return message;
  const url = await fileUrl(deps, message.payload.filePath, hours);
  return { ...message, payload: { ...message.payload, url } };
}

/** Rooms of one process whose messages are read concurrently; others wait. */
const READS_CONCURRENT_MAX = 4;
const READS_WAITING_MAX = 5_000;
const MESSAGES_PER_READ = 50;

/** Pending read of a room's messages, by sequence. */
type RoomReading = { delivered: number; requested: number };

/**
 * Creates a function that delivers committed messages to the rooms of this process. Messages are in order, sent once,
 * and read once for all connections of a room. A connection that can't be served is closed; the client reconnects and
 * reads the history.
 */
export function deliverMessages(
  deps: WireMessageDeps & Pick<ChatDeps, 'log'>,
  rooms: Pick<RoomSubscribers<ChatSubscriber>, 'in'>,
): (customer: CustomerRef, sequence: number) => void {
  const readingsByRoom = new Map<string, RoomReading>();
  const semaphore = createSemaphore(READS_CONCURRENT_MAX, READS_WAITING_MAX, () => {
    throw new Error('too many rooms wait for their messages');
  });
  return (customer, sequence) => {
    const room = chatRoom(customer.id);
    const pendingReading = readingsByRoom.get(room);
    if (pendingReading) pendingReading.requested = Math.max(pendingReading.requested, sequence);
    else if ([...rooms.in(room)].length > 0) {
      const reading = { delivered: sequence - 1, requested: sequence };
      readingsByRoom.set(room, reading);
      void semaphore(() => readAndDeliver(deps, customer, reading, () => rooms.in(room)))
        .catch((error: unknown) => {
          deps.log.error({ err: error }, 'chat room dropped, messages unread');
          for (const listener of rooms.in(room)) listener.drop();
        })
        .finally(() => readingsByRoom.delete(room));
    }
  };
}

async function readAndDeliver(
  deps: WireMessageDeps,
  customer: CustomerRef,
  reading: RoomReading,
  listeners: () => Iterable<ChatSubscriber>,
): Promise<void> {
  while (reading.delivered < reading.requested) {
    const storedMessages = await selectMessagesAfter(deps.database, customer, reading.delivered, MESSAGES_PER_READ);
    // A message beyond the requested sequence has a pending notification; sending it now would send it twice.
    const announcedMessages = storedMessages.filter(({ sequence }) => sequence <= reading.requested);
    const messages = await toWireMessages(deps, customer, announcedMessages);
    const lastMessage = messages.at(-1);
    // The conversation was deleted concurrently.
    if (!lastMessage) return;
    for (const message of messages) for (const listener of listeners()) listener.deliver(message);
    reading.delivered = lastMessage.sequence;
  }
}
