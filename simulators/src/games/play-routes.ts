import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { readInput } from '../input.ts';
import { formatMoney, parseMoney } from '../money.ts';
import { Refusal } from '../refusal.ts';
import { type Player, type Players, type Provider, PROVIDERS } from './players.ts';

type Deps = { players: Readonly<Record<Provider, Players>> };
type Params = { provider: string; username: string };

const money = z.unknown().transform((value, context) => {
  const satang = parseMoney(value);
  if (satang !== undefined) return satang;
  context.addIssue('must be an amount with at most two decimals');
  return z.NEVER;
});
const playInput = z.object({ stake: money, win: money.optional(), open: z.boolean().default(false) });
const settleInput = z.object({ roundId: z.int(), win: money });

/** Looking at players and playing rounds without the page. */
export function playRoutes(app: FastifyInstance, { players }: Deps): void {
  const playersOf = (provider: string): Players => {
    const known = PROVIDERS.find((name) => name === provider);
    if (!known) throw new Refusal(404, 'unknown_provider', 'There is no such provider');
    return players[known];
  };
  const found = (params: Params): Player => {
    const player = playersOf(params.provider).find(params.username);
    if (!player) throw new Refusal(404, 'unknown_player', 'There is no such player');
    return player;
  };
  const shown = (params: Params) => {
    const { balance, outstanding } = found(params);
    return { balance: formatMoney(balance), outstanding: formatMoney(outstanding) };
  };

  app.get<{ Params: Params }>('/games/:provider/players/:username', ({ params }) => shown(params));

  app.post<{ Params: Params }>('/games/:provider/players/:username/play', ({ params, body }) => {
    const { stake, win, open } = readInput(playInput, body);
    const { username } = found(params);
    const settled = open ? null : (win ?? 0);
    const round = playersOf(params.provider).play(username, { stake, win: settled, key: null, outcome: () => null });
    return { roundId: round.id, ...shown(params) };
  });

  app.post<{ Params: Params }>('/games/:provider/players/:username/settle', ({ params, body }) => {
    const { roundId, win } = readInput(settleInput, body);
    playersOf(params.provider).settle(found(params).username, roundId, win);
    return { roundId, ...shown(params) };
  });
}
