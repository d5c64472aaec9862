import type { FastifyInstance, FastifyReply } from 'fastify';
import { formatMoney } from '../money.ts';
import type { Pages } from '../pages.ts';
import { type Game, gameOf } from './catalogue.ts';
import type { Hall } from './hall.ts';
import { askedBy, type Halls } from './halls.ts';
import { COUNTRIES, TITLES } from './providers.ts';
import type { Player } from './players.ts';
import { BETS, type Drawn, LINES, PAYS } from './slot.ts';

type Opened = { Querystring: { ops?: string } };

/** The page of the game that a session is of, at every variant of a provider's site, and what it shows first. */
export function playPages(app: FastifyInstance, { halls, pages }: { halls: Halls; pages: Pages }): void {
  for (const hall of halls.values()) {
    for (const country of [undefined, ...COUNTRIES]) {
      app.get<Opened>(`${hall.sitePath(country)}/play/`, ({ query }, reply) =>
        sendGame(String(query.ops ?? ''), reply, { hall, pages }),
      );
    }

    app.get(`/games/${hall.provider}/about`, () => ({
      title: TITLES[hall.provider],
      game: hall.gameNamed(undefined),
    }));

    app.get(`/games/${hall.provider}/play/state`, (request) => {
      const { session, game, player } = askedBy(request, hall);
      return {
        username: player.username,
        language: session.language,
        returnUrl: session.returnUrl,
        balance: formatMoney(player.balance),
        title: TITLES[hall.provider],
        game,
        ...(game.kind === 'slot' && { bets: BETS, lines: LINES, pays: PAYS, last: lastRound(hall, player, game) }),
      };
    });
  }
}

/** The last round that the player played in a slot, for a page that was gone when it ended. */
function lastRound({ rounds }: Hall, { username }: Player, { code }: Game): object | null {
  const [last] = rounds.list({ username, open: false, game: code, limit: 1 });
  if (!last?.outcome) return null;
  const { cells, win } = JSON.parse(last.outcome) as Drawn;
  return { cells, win };
}

function sendGame(token: string, reply: FastifyReply, { hall, pages }: { hall: Hall; pages: Pages }): FastifyReply {
  const session = hall.sessions.use(hall.provider, token);
  if (!session) return pages.send(reply.code(401), 'slot/ended.html');
  const page = `${gameOf(hall.provider, session.game).kind}/index.html`;
  return pages.send(reply, pages.has(page) ? page : 'site/soon.html');
}
