import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { readInput } from '../../input.ts';
import { formatMoney } from '../../money.ts';
import { Refusal } from '../../refusal.ts';
import { requestContext, type GameServers } from '../game-servers.ts';
import { BETS, draw, type SlotResult } from './slot.ts';

const spinInput = z.object({ bet: z.int(), key: z.string().regex(/^[A-Za-z0-9-]{8,64}$/) });

/** The slot machine that members play at the providers. */
export function slotRoutes(app: FastifyInstance, gameServers: GameServers): void {
  for (const gameServer of gameServers.values()) {
    app.post(`/games/${gameServer.provider}/play/spin`, (request) => {
      const { session, game } = requestContext(request, gameServer);
      if (game.kind !== 'slot') throw new Refusal(409, 'other_game', 'This session is of another game');
      const { bet, key } = readInput(spinInput, request.body);
      if (!BETS.includes(bet)) throw new Refusal(400, 'bad_bet', 'There is no such bet');
      const round = gameServer.rounds.play(session.username, {
        stake: bet,
        win: null,
        key,
        game: game.code,
        outcome: () => {
          const drawnResult = draw(bet);
          return { win: drawnResult.win, text: JSON.stringify(drawnResult) };
        },
      });
      const { cells, wins, win } = JSON.parse(round.outcome ?? '{}') as SlotResult;
      return { cells, wins, win, bet: round.stake, balance: formatMoney(round.balanceAfter) };
    });
  }
}
