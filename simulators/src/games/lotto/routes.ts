import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { readInput } from '../../input.ts';
import { Refusal } from '../../refusal.ts';
import { askedBy, type GameServers } from '../game-servers.ts';
import { KINDS, RESULT, RULES, STAKES, wrongIn } from './bets.ts';
import type { Lottery, Lotto } from './lottery.ts';
import { nameOf } from './names.ts';
import { closesAt, isSold } from './schedule.ts';
import { shownDraw, shownMoney, shownTicket } from './shown.ts';
import { buyTicket, ticketsOf } from './tickets.ts';

type Deps = { gameServers: GameServers; lottery: Lottery };

const SHOWN_TICKETS = 40;
const SHOWN_RESULTS = 30;
const LONGEST_WAIT_MS = 3_600_000;

const line = z
  .strictObject({ kind: z.enum(KINDS), number: z.string().max(3), stake: z.int() })
  .superRefine((value, context) => {
    const wrong = wrongIn(value);
    if (wrong !== undefined) context.addIssue(wrong);
  });
const ticketInput = z.strictObject({
  draw: z.int().positive(),
  lines: z.array(line).min(1).max(STAKES.lines),
  key: z.string().regex(/^[A-Za-z0-9-]{8,64}$/),
});
const drawInput = z.strictObject({
  provider: z.string().optional(),
  game: z.string().optional(),
  result: z.string().regex(RESULT).optional(),
  afterMs: z.int().min(0).max(LONGEST_WAIT_MS).default(0),
});

/** API of the lotto page, authenticated by its session's token, and the control for draws in tests. */
export function lottoRoutes(app: FastifyInstance, deps: Deps): void {
  for (const provider of new Set(deps.lottery.lottos.map(({ gameServer }) => gameServer.provider))) {
    const path = `/games/${provider}/lotto`;
    const asked = (request: FastifyRequest) => lottoOf(request, provider, deps);
    app.get(`${path}/state`, (request) => state(asked(request), deps));
    app.get(`${path}/results`, (request) => results(asked(request), deps));
    app.get(`${path}/tickets`, (request) => tickets(asked(request), deps));
    app.post(`${path}/tickets`, (request, reply) => reply.code(201).send(buy(asked(request), request.body, deps)));
  }

  app.post('/control/games/lotto/draw', ({ body }) => draw(body ?? {}, deps));
}

type Asked = ReturnType<typeof askedBy> & { lotto: Lotto };

/** The session and its lotto. @throws Refusal `other_game` for a session of another kind of game */
function lottoOf(
  request: FastifyRequest,
  provider: Lotto['gameServer']['provider'],
  { gameServers, lottery }: Deps,
): Asked {
  const gameServer = gameServers.get(provider);
  if (!gameServer) throw new Error(`${provider} is not there`);
  const asked = askedBy(request, gameServer);
  const lotto = lottery.lottos.find((each) => each.gameServer === gameServer && each.game === asked.game.code);
  if (!lotto) throw new Refusal(409, 'other_game', 'This session is of another game');
  return { ...asked, lotto };
}

function state({ session, game, lotto }: Asked, { lottery }: Deps): object {
  const { language, returnUrl, username } = session;
  const current = lottery.current(lotto);
  const [last] = lottery.last(lotto, 1);
  return {
    username,
    language,
    returnUrl,
    name: nameOf(lotto.gameServer.provider, game.skin),
    ...shownMoney(lotto, username),
    now: Date.now(),
    draw: { ...shownDraw(current), closesAt: closesAt(current), open: isSold(current) },
    last: last ? shownDraw(last) : null,
    kinds: KINDS.map((kind) => ({ kind, digits: RULES[kind].digits, tenths: RULES[kind].tenths })),
    stakes: STAKES,
  };
}

function results({ lotto }: Asked, { lottery }: Deps): object {
  lottery.current(lotto);
  return { results: lottery.last(lotto, SHOWN_RESULTS).map(shownDraw) };
}

function tickets({ session: { username }, lotto }: Asked, { lottery }: Deps): object {
  lottery.current(lotto);
  const own = ticketsOf(lotto.gameServer.rounds, username, lotto.game, SHOWN_TICKETS);
  return {
    tickets: own.map((ticket) => shownTicket(ticket, lottery.find(lotto, ticket.draw))),
    ...shownMoney(lotto, username),
  };
}

function buy({ session: { username }, lotto }: Asked, body: unknown, { lottery }: Deps): object {
  const { draw: number, lines, key } = readInput(ticketInput, body);
  lottery.current(lotto);
  const draw = lottery.find(lotto, number);
  if (!draw) throw new Refusal(404, 'unknown_draw', 'There is no such draw');
  const ticket = buyTicket(lotto.gameServer.rounds, { username, game: lotto.game, draw, lines, key });
  return { ticket: shownTicket(ticket, draw), ...shownMoney(lotto, username) };
}

function draw(body: unknown, { lottery }: Deps): object {
  const { provider, game, result = null, afterMs } = readInput(drawInput, body);
  const selected = lottery.lottos.filter(
    (lotto) =>
      (provider === undefined || lotto.gameServer.provider === provider) && (game === undefined || lotto.game === game),
  );
  if (selected.length === 0) throw new Refusal(404, 'unknown_game', 'There is no such lotto');
  return {
    draws: selected.map((lotto) => ({
      provider: lotto.gameServer.provider,
      game: lotto.game,
      ...shownDraw(lottery.drawSoon(lotto, result, afterMs)),
    })),
  };
}
