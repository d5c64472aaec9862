import type { JoinReply, MemberEvent } from '@krapao/contract/events';
import type { FastifyBaseLogger } from 'fastify';
import type { Socket } from 'socket.io';
import type { Ledger } from '../../ledger/module.ts';
import type { Member } from '../../platform/http/member.ts';
import { Refusal } from '../../platform/refusal.ts';
import { isOwnRoom, joinRequest } from './event.ts';
import { Follower, type Outlet } from './follower.ts';
import type { Followers } from './followers.ts';

export type SocketDeps = {
  ledger: Pick<Ledger, 'eventsSince' | 'lastEvent'>;
  /** Finds the member of a token; throws the refusal that a call with it would get. */
  authenticate: (token: string) => Promise<Member>;
  followers: Followers;
  log: Pick<FastifyBaseLogger, 'error'>;
};

const JOIN_PATIENCE_MS = 5_000;
/** Join requests of one connection; the app sends one, and another when its token changes. */
const JOINS_MAX = 10;
const DRAIN_PATIENCE_MS = 15_000;

/** Serves one connection: `join` with a room and a token, then `event` for each money event of the member. */
export function serveSocket(deps: SocketDeps, socket: Socket): void {
  let follower: Follower | undefined;
  let joins = 0;
  const impatience = setTimeout(() => socket.disconnect(true), JOIN_PATIENCE_MS);
  socket.once('disconnect', () => {
    clearTimeout(impatience);
    if (follower) deps.followers.remove(follower);
  });
  socket.on('join', (raw: unknown, acknowledge: unknown) => {
    joins += 1;
    if (joins > JOINS_MAX) return void socket.disconnect(true);
    void admit(deps, raw).then((admitted) => {
      const isRefused = 'refused' in admitted;
      if (typeof acknowledge === 'function') acknowledge(replyOf(isRefused ? admitted.refused : undefined));
      if (isRefused || !socket.connected) return;
      clearTimeout(impatience);
      if (follower) deps.followers.remove(follower);
      const { memberId, token, since } = admitted;
      const onTrouble = (error: unknown): void => deps.log.error({ err: error }, 'a socket lost its events');
      follower = new Follower({ memberId, token, since, ledger: deps.ledger, outlet: outletOf(socket), onTrouble });
      deps.followers.add(follower);
      void follower.start();
    });
  });
}

const replyOf = (refused: string | undefined): JoinReply =>
  refused === undefined ? { joined: true } : { joined: false, message: refused };

type Admission = { memberId: string; token: string; since: bigint } | { refused: string };

async function admit(deps: SocketDeps, raw: unknown): Promise<Admission> {
  const request = joinRequest.safeParse(raw);
  if (!request.success) return { refused: 'NO_DATA' };
  const { room, token, since } = request.data;
  try {
    const member = await deps.authenticate(token);
    if (!isOwnRoom(room, member.id)) return { refused: 'INVALID_USER_3' };
    return {
      memberId: member.id,
      token,
      since: since === undefined ? await deps.ledger.lastEvent(member.id) : BigInt(since),
    };
  } catch (error) {
    if (error instanceof Refusal) return { refused: error.code };
    deps.log.error({ err: error }, 'a socket could not join');
    return { refused: 'INTERNAL_SERVER_ERROR' };
  }
}

function outletOf(socket: Socket): Outlet {
  const { conn } = socket;
  // Messages since the connection last handed everything on: while the other side doesn't read, it keeps them.
  let backlog = 0;
  conn.on('drain', () => (backlog = 0));
  return {
    send: (event: MemberEvent) => {
      backlog += 1;
      socket.emit('event', event);
    },
    backlog: () => backlog,
    // A client whose connection ends comes back by itself; one that is sent away stays away.
    drop: () => conn.close(true),
    sendAway: () => void socket.disconnect(true),
    drained: () =>
      new Promise<void>((resolve, reject) => {
        if (backlog === 0) return resolve();
        const end = (error?: Error): void => {
          clearTimeout(patience);
          conn.off('drain', onDrain);
          conn.off('close', onClose);
          if (error) reject(error);
          else resolve();
        };
        const onDrain = (): void => end();
        const onClose = (): void => end(new Error('the connection ended'));
        const patience = setTimeout(() => end(new Error('the other side does not read')), DRAIN_PATIENCE_MS);
        conn.once('drain', onDrain);
        conn.once('close', onClose);
      }),
  };
}
