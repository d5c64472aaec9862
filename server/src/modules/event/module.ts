import type { FastifyBaseLogger } from 'fastify';
import type { Server, Socket } from 'socket.io';
import type { Ledger } from '../../ledger/module.ts';
import type { Member } from '../../platform/http/member.ts';
import { startJob } from '../../platform/job.ts';
import { createSemaphore } from '../../platform/semaphore.ts';
import { Refusal } from '../../platform/refusal.ts';
import { Followers } from './followers.ts';
import { serveSocket } from './serve-socket.ts';

export type EventDeps = {
  sockets: Server;
  ledger: Pick<Ledger, 'eventsSince' | 'lastEvent' | 'onBatch'>;
  /** Finds the member of a token; throws the refusal that a call with it would get. */
  authenticate: (token: string) => Promise<Member>;
  log: Pick<FastifyBaseLogger, 'error'>;
};

/** A session that ended hears nothing any more after this long. */
const SESSION_CHECK_MS = 5_000;
const SOCKETS_MAX = 10_000;
/** When everyone comes back at the same moment, sessions are looked up a few at a time. */
const JOINS_AT_ONCE = 16;
const JOINS_WAITING_MAX = 2_000;

/** The member's socket: who joins their own room hears what happens to their money, in order and without gaps. */
export function eventModule(deps: EventDeps): { stop(): Promise<void> } {
  const followers = new Followers();
  const gate = createSemaphore(JOINS_AT_ONCE, JOINS_WAITING_MAX, () => {
    throw new Refusal('REQUEST_LIMIT');
  });
  const authenticate = (token: string) => gate(() => deps.authenticate(token));
  deps.sockets.use((_socket, next) => {
    const isFull = deps.sockets.engine.clientsCount > SOCKETS_MAX;
    next(isFull ? new Error('REQUEST_LIMIT') : undefined);
  });
  deps.sockets.on('connection', (socket: Socket) => {
    serveSocket({ ledger: deps.ledger, log: deps.log, authenticate, followers }, socket);
  });
  const endFeed = deps.ledger.onBatch((events) => followers.tell(events));
  const sessionCheck = startJob({
    name: 'check the sessions of sockets',
    everyMs: SESSION_CHECK_MS,
    log: deps.log,
    run: () => endEnded(followers, deps.authenticate),
  });
  return {
    async stop() {
      endFeed();
      await sessionCheck.stop();
    },
  };
}

/** Ends the sockets of sessions that ended. A failure of the database ends nobody's. */
async function endEnded(followers: Followers, authenticate: EventDeps['authenticate']): Promise<void> {
  for (const token of followers.tokens()) {
    await authenticate(token).catch((error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
      followers.endToken(token);
    });
  }
}
