import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { readInput } from '../../input.ts';
import { Refusal } from '../../refusal.ts';
import { requestContext, type GameServers } from '../game-servers.ts';
import { KINDS, RESULT, RULES, STAKES, lineErrorOf } from './bets.ts';
import type { Lottery, Lotto } from './lottery.ts';
import { nameOf } from './names.ts';
import { closesAt, isSold } from './schedule.ts';
import { buyTicket, ticketsOf } from './tickets.ts';
import { drawView, moneyView, ticketView } from './views.ts';

type LottoDeps = { gameServers: GameServers; lottery: Lottery };

const SHOWN_TICKETS = 40;
const SHOWN_RESULTS = 30;
const LONGEST_WAIT_MS = 3_600_000;

const lineInput = z
  .strictObject({ kind: z.enum(KINDS), number: z.string().max(3), stake: z.int() })
  .superRefine((value, context) => {
    const lineError = lineErrorOf(value);
    if (lineError !== undefined) context.addIssue(lineError);
  });
const ticketInput = z.strictObject({
  draw: z.int().positive(),
  lines: z.array(lineInput).min(1).max(STAKES.lines),
  key: z.string().regex(/^[A-Za-z0-9-]{8,64}$/),
});
const drawInput = z.strictObject({
  provider: z.string().optional(),
  game: z.string().optional(),
  result: z.string().regex(RESULT).optional(),
  afterMs: z.int().min(0).max(LONGEST_WAIT_MS).default(0),
});

/** API of the lotto page, authenticated by the token of its session, and the control of draws for tests. */
export function lottoRoutes(app: FastifyInstance, deps: LottoDeps): void {
  for (const provider of new Set(deps.lottery.lottos.map(({ gameServer }) => gameServer.provider))) {
    const path = `/games/${provider}/lotto`;
    const lottoRequest = (request: FastifyRequest) => lottoOf(request, provider, deps);
    app.get(`${path}/state`, (request) => state(lottoRequest(request), deps));
    app.get(`${path}/results`, (request) => results(lottoRequest(request), deps));
    app.get(`${path}/tickets`, (request) => tickets(lottoRequest(request), deps));
    app.post(`${path}/tickets`, (request, reply) =>
      reply.code(201).send(buyTickets(lottoRequest(request), request.body, deps)),
    );
  }

  app.post('/control/games/lotto/draw', ({ body }) => planDraw(body ?? {}, deps));
}

type LottoRequest = ReturnType<typeof requestContext> & { lotto: Lotto };

/** The session of a request, and its lotto. @throws Refusal `other_game` for a session of another kind of game */
function lottoOf(
  request: FastifyRequest,
  provider: Lotto['gameServer']['provider'],
  { gameServers, lottery }: LottoDeps,
): LottoRequest {
  const gameServer = gameServers.get(provider);
  if (!gameServer) throw new Error(`${provider} is not there`);
  const sessionRequest = requestContext(request, gameServer);
  const lotto = lottery.lottos.find(
    (candidate) => candidate.gameServer === gameServer && candidate.game === sessionRequest.game.code,
  );
  if (!lotto) throw new Refusal(409, 'other_game', 'This session is of another game');
  return { ...sessionRequest, lotto };
}

function state({ session, game, lotto }: LottoRequest, { lottery }: LottoDeps): object {
  const { language, returnUrl, username } = session;
  const currentDraw = lottery.current(lotto);
  const [lastDraw] = lottery.last(lotto, 1);
  return {
    username,
    language,
    returnUrl,
    name: nameOf(lotto.gameServer.provider, game.skin),
    ...moneyView(lotto, username),
    now: Date.now(),
    draw: { ...drawView(currentDraw), closesAt: closesAt(currentDraw), open: isSold(currentDraw) },
    last: lastDraw ? drawView(lastDraw) : null,
    kinds: KINDS.map((kind) => ({ kind, digits: RULES[kind].digits, tenths: RULES[kind].tenths })),
    stakes: STAKES,
  };
}

function results({ lotto }: LottoRequest, { lottery }: LottoDeps): object {
  lottery.current(lotto);
  return { results: lottery.last(lotto, SHOWN_RESULTS).map(drawView) };
}

function tickets({ session: { username }, lotto }: LottoRequest, { lottery }: LottoDeps): object {
  lottery.current(lotto);
  const ownTickets = ticketsOf(lotto.gameServer.rounds, username, lotto.game, SHOWN_TICKETS);
  return {
    tickets: ownTickets.map((ticket) => ticketView(ticket, lottery.find(lotto, ticket.draw))),
    ...moneyView(lotto, username),
  };
}

function buyTickets({ session: { username }, lotto }: LottoRequest, body: unknown, { lottery }: LottoDeps): object {
  const { draw: number, lines, key } = readInput(ticketInput, body);
  lottery.current(lotto);
  const draw = lottery.find(lotto, number);
  if (!draw) throw new Refusal(404, 'unknown_draw', 'There is no such draw');
  const ticket = buyTicket(lotto.gameServer.rounds, { username, game: lotto.game, draw, lines, key });
  return { ticket: ticketView(ticket, draw), ...moneyView(lotto, username) };
}

function planDraw(body: unknown, { lottery }: LottoDeps): object {
  const { provider, game, result = null, afterMs } = readInput(drawInput, body);
  const selectedLottos = lottery.lottos.filter(
    (lotto) =>
      (provider === undefined || lotto.gameServer.provider === provider) && (game === undefined || lotto.game === game),
  );
  if (selectedLottos.length === 0) throw new Refusal(404, 'unknown_game', 'There is no such lotto');
  return {
    draws: selectedLottos.map((lotto) => ({
      provider: lotto.gameServer.provider,
      game: lotto.game,
      ...drawView(lottery.drawSoon(lotto, result, afterMs)),
    })),
  };
}
