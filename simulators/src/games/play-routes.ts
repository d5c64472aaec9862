import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { readInput } from '../input.ts';
import { formatMoney, parseMoney } from '../money.ts';
import { thaiTime } from '../time.ts';
import { type GameServers, gameServerNamed, playerNamed } from './game-servers.ts';
import type { Round } from './rounds.ts';

type PlayerParams = { provider: string; username: string };

const moneyInput = z.unknown().transform((value, context) => {
  const amountSatang = parseMoney(value);
  if (amountSatang !== undefined) return amountSatang;
  context.addIssue('must be an amount with at most two decimals');
  return z.NEVER;
});
const playInput = z.object({
  stake: moneyInput,
  win: moneyInput.optional(),
  open: z.boolean().default(false),
  bets: z.string().max(2000).optional(),
});
const settleInput = z.object({ roundId: z.int(), win: z.union([z.literal('void'), moneyInput]) });
const listInput = z.object({
  open: z.enum(['true', 'false']).default('true'),
  limit: z.coerce.number().int().min(1).max(1000).default(100),
});

/** Control API: shows players and plays rounds without the page. */
export function playRoutes(app: FastifyInstance, gameServers: GameServers): void {
  const playerView = ({ provider, username }: PlayerParams) => {
    const { balance, outstanding, turnover } = playerNamed(gameServerNamed(gameServers, provider), username);
    return {
      balance: formatMoney(balance),
      outstanding: formatMoney(outstanding),
      turnover: formatMoney(turnover),
    };
  };

  app.get<{ Params: PlayerParams }>('/games/:provider/players/:username', ({ params }) => playerView(params));

  app.get<{ Params: PlayerParams }>('/games/:provider/players/:username/rounds', ({ params, query }) => {
    const { open, limit } = readInput(listInput, query);
    const gameServer = gameServerNamed(gameServers, params.provider);
    const { username } = playerNamed(gameServer, params.username);
    return gameServer.rounds.list({ username, open: open === 'true', limit }).map(roundView);
  });

  app.post<{ Params: PlayerParams }>('/games/:provider/players/:username/play', ({ params, body }) => {
    const { stake, win, open, bets } = readInput(playInput, body);
    const gameServer = gameServerNamed(gameServers, params.provider);
    const round = gameServer.rounds.play(params.username, {
      stake,
      win: open ? null : (win ?? 0),
      key: null,
      ...(bets === undefined ? {} : { bets }),
    });
    return { roundId: round.id, ...playerView(params) };
  });

  app.post<{ Params: PlayerParams }>('/games/:provider/players/:username/settle', ({ params, body }) => {
    const { roundId, win } = readInput(settleInput, body);
    const gameServer = gameServerNamed(gameServers, params.provider);
    gameServer.rounds.settle(playerNamed(gameServer, params.username).username, { id: roundId, win });
    return { roundId, ...playerView(params) };
  });
}

function roundView(round: Round): object {
  return {
    roundId: round.id,
    game: round.game,
    stake: formatMoney(round.stake),
    win: round.win === null ? null : formatMoney(round.win),
    bets: round.bets,
    at: thaiTime(round.at),
    settledAt: round.settledAt === null ? null : thaiTime(round.settledAt),
  };
}
