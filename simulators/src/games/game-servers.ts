import type { FastifyRequest } from 'fastify';
import type { Server } from '../control/serve.ts';
import type { Outside } from '../outside/outside-file.ts';
import { Refusal } from '../refusal.ts';
import type { Settings } from '../settings.ts';
import type { Store } from '../store.ts';
import { type Game, gameOf } from './catalogue.ts';
import { GameServer, type Protocol } from './game-server.ts';
import type { Player } from './players.ts';
import { isProvider, type Provider, PROVIDERS } from './providers.ts';
import { type Session, Sessions } from './sessions.ts';

/** The server of every provider in the outside file. */
export type GameServers = ReadonlyMap<Provider, GameServer>;

/** Opens the server of every provider. @throws Error with one sentence when the outside file lacks a credential */
export function openGameServers(
  protocols: ReadonlyMap<Provider, Protocol>,
  deps: { store: Store; outside: Outside; server: Server; settings: Settings },
): GameServers {
  const sessions = new Sessions(deps.store);
  const gameServers = PROVIDERS.flatMap((provider) => {
    const state = deps.settings.games[provider];
    return state
      ? [[provider, new GameServer(provider, protocols.get(provider), { ...deps, sessions, state })] as const]
      : [];
  });
  return new Map(gameServers);
}

/** @throws Refusal `unknown_provider` */
export function gameServerNamed(gameServers: GameServers, name: string): GameServer {
  const gameServer = isProvider(name) ? gameServers.get(name) : undefined;
  if (!gameServer) throw new Refusal(404, 'unknown_provider', 'There is no such provider');
  return gameServer;
}

/** @throws Refusal `unknown_player` */
export function playerNamed(gameServer: GameServer, username: string): Player {
  const player = gameServer.players.find(username);
  if (!player) throw new Refusal(404, 'unknown_player', 'There is no such player');
  return player;
}

/** The session of a game page's bearer token. @throws Refusal `session_over`, `unknown_player` */
export function requestContext(
  request: FastifyRequest,
  gameServer: GameServer,
): { session: Session; game: Game; player: Player } {
  const token = /^Bearer ([\w-]+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const session = gameServer.sessions.use(gameServer.provider, token);
  if (!session) throw new Refusal(401, 'session_over', 'This game session is over');
  return {
    session: { ...session, returnUrl: session.returnUrl ?? gameServer.walletUrl(request) },
    game: gameOf(gameServer.provider, session.game),
    player: playerNamed(gameServer, session.username),
  };
}
