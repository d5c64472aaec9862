import type { FastifyRequest } from 'fastify';
import type { Server } from '../control/serve.ts';
import type { Outside } from '../outside-file.ts';
import { Refusal } from '../refusal.ts';
import type { Settings } from '../settings.ts';
import type { Store } from '../store.ts';
import { type Game, gameOf } from './catalogue.ts';
import { Hall, type Protocol } from './hall.ts';
import type { Player } from './players.ts';
import { isProvider, type Provider, PROVIDERS } from './providers.ts';
import { type Session, Sessions } from './sessions.ts';

/** The hall of every provider of the outside file. */
export type Halls = ReadonlyMap<Provider, Hall>;

/** @throws Error in one sentence when the outside file lacks a credential */
export function openHalls(
  protocols: ReadonlyMap<Provider, Protocol>,
  deps: { store: Store; outside: Outside; server: Server; settings: Settings },
): Halls {
  const sessions = new Sessions(deps.store);
  const halls = PROVIDERS.flatMap((provider) => {
    const state = deps.settings.games[provider];
    return state
      ? [[provider, new Hall(provider, protocols.get(provider), { ...deps, sessions, state })] as const]
      : [];
  });
  return new Map(halls);
}

/** @throws Refusal `unknown_provider` */
export function hallNamed(halls: Halls, name: string): Hall {
  const hall = isProvider(name) ? halls.get(name) : undefined;
  if (!hall) throw new Refusal(404, 'unknown_provider', 'There is no such provider');
  return hall;
}

/** @throws Refusal `unknown_player` */
export function playerNamed(hall: Hall, username: string): Player {
  const player = hall.players.find(username);
  if (!player) throw new Refusal(404, 'unknown_player', 'There is no such player');
  return player;
}

/** Who asks from a game's page: the session of its bearer token. @throws Refusal `session_over`, `unknown_player` */
export function askedBy(request: FastifyRequest, hall: Hall): { session: Session; game: Game; player: Player } {
  const token = /^Bearer ([\w-]+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const session = hall.sessions.use(hall.provider, token);
  if (!session) throw new Refusal(401, 'session_over', 'This game session is over');
  return { session, game: gameOf(hall.provider, session.game), player: playerNamed(hall, session.username) };
}
