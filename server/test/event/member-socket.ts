import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type JoinReply, type MemberEvent, memberRoom } from '@krapao/contract/events';
import { minor } from '@krapao/contract/money';
import { io, type Socket } from 'socket.io-client';
import { type App, buildApp } from '../../src/app.ts';
import type { Ledger } from '../../src/ledger/index.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import { systemClock } from '../../src/platform/time.ts';
import { freePort } from '../harness/free-port.ts';
import type { System } from '../harness/system.ts';

const POLL_MS = 20;
const PATIENCE_MS = 60_000;

export type EventListener = {
  socket: Socket;
  /** Every event received, in order. */
  events: MemberEvent[];
  replies: JoinReply[];
};

export type JoinOptions = { room?: string; token?: string; since?: unknown; transports?: string[] };

/**
 * Connects like the app: joins after every connection, with the sequence of the last received event.
 * Websocket only by default, so that a test has one connection.
 */
export function openEventListener(
  url: string,
  member: { id: string; token: string },
  joinOptions: JoinOptions = {},
): EventListener {
  const socket = io(url, {
    transports: joinOptions.transports ?? ['websocket'],
    reconnectionDelay: 50,
    reconnectionDelayMax: 100,
    forceNew: true,
  });
  const listener: EventListener = { socket, events: [], replies: [] };
  socket.on('event', (event: MemberEvent) => listener.events.push(event));
  socket.on('connect', () => {
    const since = listener.events.at(-1)?.sequence ?? joinOptions.since;
    const request = {
      room: joinOptions.room ?? memberRoom(member.id),
      token: joinOptions.token ?? member.token,
      ...(since === undefined ? {} : { since }),
    };
    socket.emit('join', request, (reply: JoinReply) => listener.replies.push(reply));
  });
  return listener;
}

/** Waits until a condition holds. */
export async function waitUntil(isSo: () => boolean, describeCondition: () => string): Promise<void> {
  for (let waitedMs = 0; waitedMs < PATIENCE_MS; waitedMs += POLL_MS) {
    if (isSo()) return;
    await wait(POLL_MS);
  }
  throw new Error(describeCondition());
}

export const waitForJoins = (listener: EventListener, times = 1): Promise<void> =>
  waitUntil(
    () => listener.replies.length >= times,
    () => 'no answer to join',
  );

export const waitForEvents = (listener: EventListener, count: number): Promise<void> =>
  waitUntil(
    () => listener.events.length >= count,
    () => `${listener.events.length} of ${count} events`,
  );

/** Another process of the same system: own port and connections, same database. */
export async function startServerNode(
  system: System,
  port?: number,
): Promise<{ url: string; port: number; app: App; stop(): Promise<void> }> {
  const listenPort = port ?? (await freePort());
  const database = openDatabase({ url: system.databaseUrl });
  const app = await buildApp({
    database,
    databaseUrl: system.databaseUrl,
    clock: systemClock,
    outside: system.outside,
    encryptionKey: Buffer.alloc(32, 7),
    variant: 'th',
    objectStorage: { kind: 'files', directory: join(tmpdir(), 'krapao-no-files') },
    webDirectory: '/nonexistent',
    logLevel: 'silent',
    trustedProxies: 'loopback',
    truelinkSecret: 'krapao',
    requestsPerMinute: 1_000_000,
    eventLoopDelayMaxMs: 0,
    metricsPort: undefined,
    onDefect: (error) => system.defects.push(error),
  });
  await app.listen({ port: listenPort, host: '127.0.0.1' });
  return {
    url: `http://127.0.0.1:${listenPort}`,
    port: listenPort,
    app,
    stop: async () => {
      await app.close();
      await database.close();
    },
  };
}

let depositCount = 0;

/** Posts deposits of 1 baht each for a member, concurrently. */
export async function postDeposits(ledger: Ledger, memberId: string, times: number): Promise<bigint[]> {
  const verdicts = await Promise.all(
    Array.from({ length: times }, () =>
      ledger.post({
        key: `test:deposit:${(depositCount += 1)}`,
        type: 'transfer',
        kind: 'deposit',
        memberId,
        debit: { houseAccount: 'bank' },
        credit: { member: memberId, kind: 'WALLET' },
        amount: minor(100n),
        reference: `T${depositCount}`,
        actor: 'test',
      }),
    ),
  );
  return verdicts.flat().map(({ operationId }) => operationId);
}
