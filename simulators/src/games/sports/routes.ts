import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { readInput } from '../../input.ts';
import { Refusal } from '../../refusal.ts';
import type { GameServer } from '../game-server.ts';
import { requestContext, type GameServers } from '../game-servers.ts';
import { TITLES } from '../providers.ts';
import type { Session } from '../sessions.ts';
import { type Bet, type Bets, type Bettor, OddsMoved, STAKES } from './bets.ts';
import type { Fixtures } from './fixtures.ts';
import { MARKETS } from './judge.ts';
import { betView, matchView, fullMatchView } from './views.ts';

type SportsDeps = { gameServers: GameServers; fixtures: Fixtures; bets: Bets };

const matchId = z.int().min(0);
const betInput = z.strictObject({
  key: z.string().regex(/^[A-Za-z0-9-]{8,64}$/),
  matchId,
  market: z.enum(MARKETS),
  line: z.int().min(-40).max(80).nullable(),
  pick: z.enum(['home', 'draw', 'away', 'over', 'under']),
  odds: z.int().min(101).max(100_000),
  stake: z.int().min(1),
});

/** API of the sports book: matches, odds and bets, authenticated by the token of the game session. */
export function sportsRoutes(app: FastifyInstance, { gameServers, fixtures, bets }: SportsDeps): void {
  const viewOfBet = (bet: Bet, { language }: Session) => betView(bet, fixtures.find(bet.matchId, Date.now()), language);
  const playerMoney = ({ gameServer, username, game }: Bettor) => {
    const player = gameServer.players.find(username);
    return {
      balance: player?.balance ?? 0,
      outstanding: player?.outstanding ?? 0,
      openBets: bets.countOpen({ gameServer, username, game }),
    };
  };

  for (const gameServer of gameServers.values()) {
    const path = `/games/${gameServer.provider}/sports`;

    app.get(`${path}/board`, (request) => {
      const { session, bettor } = bettorOf(request, gameServer);
      const now = Date.now();
      return {
        now,
        title: TITLES[gameServer.provider],
        username: bettor.username,
        language: session.language,
        returnUrl: session.returnUrl,
        stakes: STAKES,
        ...playerMoney(bettor),
        matches: fixtures.around(now).map((match) => {
          const fullMatch = matchView(match, session.language);
          return { ...fullMatch, markets: fullMatch.markets.filter(({ isMain }) => isMain) };
        }),
      };
    });

    app.get<{ Params: { id: string } }>(`${path}/matches/:id`, (request) => {
      const { session } = bettorOf(request, gameServer);
      const id = readInput(z.coerce.number().pipe(matchId), request.params.id);
      return fullMatchView(fixtures.find(id, Date.now()), session.language);
    });

    app.get(`${path}/bets`, (request) => {
      const { session, bettor } = bettorOf(request, gameServer);
      const { open, settled } = bets.of(bettor);
      return {
        ...playerMoney(bettor),
        open: open.map((bet) => viewOfBet(bet, session)),
        settled: settled.map((bet) => viewOfBet(bet, session)),
      };
    });

    app.post(`${path}/bets`, (request, reply) => {
      const { session, bettor } = bettorOf(request, gameServer);
      const betRequest = readInput(betInput, request.body);
      try {
        return { bet: viewOfBet(bets.place(bettor, betRequest), session), ...playerMoney(bettor) };
      } catch (error) {
        if (!(error instanceof OddsMoved)) throw error;
        const { code, message, odds, status } = error;
        return reply.code(status).send({ error: code, message, odds });
      }
    });
  }
}

/** @throws Refusal `session_over`, `unknown_player`; `other_game` for a session of another game of the provider */
function bettorOf(request: FastifyRequest, gameServer: GameServer): { session: Session; bettor: Bettor } {
  const { session, game, player } = requestContext(request, gameServer);
  if (game.kind !== 'sports') throw new Refusal(409, 'other_game', 'This session is of another game');
  return { session, bettor: { gameServer, username: player.username, game: game.code } };
}
