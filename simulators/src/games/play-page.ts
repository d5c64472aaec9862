import type { FastifyInstance, FastifyReply } from 'fastify';
import { formatMoney } from '../money.ts';
import type { Pages } from '../pages.ts';
import { type Game, gameOf } from './catalogue.ts';
import type { GameServer } from './game-server.ts';
import { requestContext, type GameServers } from './game-servers.ts';
import type { Player } from './players.ts';
import { COUNTRIES, TITLES } from './providers.ts';
import { BETS, type SlotResult, LINES, PAYS } from './slot/slot.ts';

type PlayPageRoute = { Querystring: { ops?: string } };

/** Serves the page of a session's game, at every variant of a provider's site, and its initial data. */
export function playPages(
  app: FastifyInstance,
  { gameServers, pages }: { gameServers: GameServers; pages: Pages },
): void {
  for (const gameServer of gameServers.values()) {
    for (const country of [undefined, ...COUNTRIES]) {
      app.get<PlayPageRoute>(`${gameServer.sitePath(country)}/play/`, ({ query }, reply) =>
        sendGame(String(query.ops ?? ''), reply, { gameServer, pages }),
      );
    }

    app.get(`/games/${gameServer.provider}/about`, () => ({
      title: TITLES[gameServer.provider],
      game: gameServer.gameNamed(undefined),
    }));

    app.get(`/games/${gameServer.provider}/play/state`, (request) => {
      const { session, game, player } = requestContext(request, gameServer);
      return {
        username: player.username,
        language: session.language,
        returnUrl: session.returnUrl,
        balance: formatMoney(player.balance),
        title: TITLES[gameServer.provider],
        game,
        isMainGame: game.code === gameServer.gameNamed(undefined)?.code,
        ...(game.kind === 'slot' && {
          bets: BETS,
          lines: LINES,
          pays: PAYS,
          last: lastRound(gameServer, player, game),
        }),
      };
    });
  }
}

/** The player's last round in a slot, for a page that was closed before the round ended. */
function lastRound({ rounds }: GameServer, { username }: Player, { code }: Game): object | null {
  const [lastPlayed] = rounds.list({ username, open: false, game: code, limit: 1 });
  if (!lastPlayed?.outcome) return null;
  const { cells, win } = JSON.parse(lastPlayed.outcome) as SlotResult;
  return { cells, win };
}

function sendGame(
  token: string,
  reply: FastifyReply,
  { gameServer, pages }: { gameServer: GameServer; pages: Pages },
): FastifyReply {
  const session = gameServer.sessions.use(gameServer.provider, token);
  if (!session) return pages.send(reply.code(401), 'slot/ended.html');
  const page = `${gameOf(gameServer.provider, session.game).kind}/index.html`;
  return pages.send(reply, pages.has(page) ? page : 'site/soon.html');
}
