import { sleep } from '../../platform/clock.ts';
import type { Connection, Database } from '../../platform/database/database.ts';
import type { CustomerRef } from './chat.ts';
import { CHANNEL } from './queries.ts';

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
  isHeard(): Promise<boolean>;
  stop(): Promise<void>;
};

/** How often the connection is looked after. */
const LOOK_EVERY_MS = 1_000;
/** How long a caller waits for a connection that is being opened. */
const PATIENCE_MS = 3_000;
/** A connection that says nothing for so long is lost, whatever its other end believes. */
const SILENCE_MS = 10_000;

/** Receives a notification of every committed message, on a separate connection, which is reopened when it breaks. */
export function hearMessages({ database, onMessage, onLost, onTrouble }: FeedDeps): MessageFeed {
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
    async isHeard() {
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
  connection.onNotification((_channel, told) => {
    const [kind, id, sequence] = told.split(' ');
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
