import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { readInput } from '../input.ts';
import { formatMoney } from '../money.ts';
import type { Outside } from '../outside-file.ts';
import type { Pages } from '../pages.ts';
import { Refusal } from '../refusal.ts';
import { md5, sameText } from '../secrets.ts';
import { gameNamed } from './catalogue.ts';
import type { Players, Provider } from './players.ts';
import type { Session, Sessions } from './sessions.ts';
import { BETS, draw, type Drawn, LINES, PAYS } from './slot.ts';

type Deps = { outside: Outside; pages: Pages; sessions: Sessions; players: Readonly<Record<Provider, Players>> };

const spinInput = z.object({ bet: z.int(), key: z.string().regex(/^[A-Za-z0-9-]{8,64}$/) });

/** The slot game that members play at both providers, and the ways into it. */
export function gamePages(app: FastifyInstance, deps: Deps): void {
  app.get<{ Querystring: Record<string, string> }>('/games/askmebet/login/auto/', (request, reply) =>
    autoLogin(request.query, reply, deps),
  );

  for (const players of Object.values(deps.players)) {
    const { provider } = players;
    app.get<{ Querystring: { ops?: string } }>(`/games/${provider}/play/`, (request, reply) => {
      const session = deps.sessions.use(provider, String(request.query.ops ?? ''));
      return session ? deps.pages.send(reply, 'slot/index.html') : deps.pages.send(reply.code(401), 'slot/ended.html');
    });

    app.get(`/games/${provider}/play/state`, (request) => {
      const session = sessionOf(request, provider, deps);
      const player = mustFind(players, session.username);
      return {
        username: player.username,
        language: session.language,
        returnUrl: session.returnUrl,
        balance: formatMoney(player.balance),
        bets: BETS,
        lines: LINES,
        pays: PAYS,
      };
    });

    app.post(`/games/${provider}/play/spin`, (request) => {
      const session = sessionOf(request, provider, deps);
      const { bet, key } = readInput(spinInput, request.body);
      if (!BETS.includes(bet)) throw new Refusal(400, 'bad_bet', 'There is no such bet');
      const round = players.play(session.username, {
        stake: bet,
        win: null,
        key,
        outcome: () => {
          const drawn = draw(bet);
          return { win: drawn.win, text: JSON.stringify(drawn) };
        },
      });
      const { cells, wins, win } = JSON.parse(round.outcome ?? '{}') as Drawn;
      return { cells, wins, win, bet: round.stake, balance: formatMoney(round.balanceAfter) };
    });
  }
}

function sessionOf(request: FastifyRequest, provider: Provider, { sessions }: Deps): Session {
  const token = /^Bearer ([\w-]+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  const session = sessions.use(provider, token);
  if (!session) throw new Refusal(401, 'session_over', 'This game session is over');
  return session;
}

function mustFind(players: Players, username: string) {
  const player = players.find(username);
  if (!player) throw new Refusal(404, 'unknown_player', 'There is no such player');
  return player;
}

/** Checks name, password and hash of the link, then goes on without them in the address. */
function autoLogin(query: Record<string, string>, reply: FastifyReply, deps: Deps): FastifyReply {
  const { username = '', password = '', hash = '' } = query;
  const language = query['lang'] === 'en' ? 'en' : 'th';
  const game = gameNamed('askmebet', query['game']);
  const expected = md5(`${username}:${password}:${deps.outside.games.askmebet.agent}`);
  if (!game || !sameText(hash.toLowerCase(), expected) || !deps.players.askmebet.passwordFits(username, password)) {
    return deps.pages.send(reply.code(401), 'slot/ended.html');
  }
  const token = deps.sessions.begin('askmebet', { username, language, returnUrl: null });
  return reply
    .header('referrer-policy', 'no-referrer')
    .redirect(`/games/askmebet/play/?game=${game}&l=${language}&ops=${token}`);
}
