import {
  activateSlot,
  autoLogin,
  autoLoginWithPassword,
  getSlotAccount,
  refreshSlots,
  resetSlotPassword,
} from '@krapao/contract/endpoints/game';
import { cookieValue, LANGUAGE_COOKIE } from '@krapao/contract/languages';
import { toWire } from '@krapao/contract/money';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import { route } from '../../platform/http/registrar.ts';
import { takeTurns } from '../../platform/take-turns.ts';
import { activateGame } from './activate-game.ts';
import type { Trace } from './game.ts';
import type { GameAccess } from './game-access.ts';
import { launchGame } from './launch-game.ts';
import { markReplyLost } from './queries.ts';
import { gameRefresher, type Refreshed } from './refresh-games.ts';
import { resetGamePassword } from './reset-game-password.ts';
import { revealGameAccount } from './reveal-game-account.ts';

/** Registers the calls of game accounts. */
export function gameRoutes(app: FastifyInstance, access: GameAccess, clock: Clock): void {
  route(app, activateSlot, async ({ params: { slotCode }, member, request }) => {
    const body = await activateGame(access, member.id, slotCode, traceOf(request));
    // Nobody is there any more to hear it: the next one who asks may.
    if (request.raw.socket.destroyed || request.raw.socket.writableEnded) {
      await markReplyLost(access.database, { memberId: member.id, gameCode: slotCode });
    }
    return { status: 200, body };
  });
  route(app, getSlotAccount, async ({ params, member, request }) => ({
    status: 200,
    body: await revealGameAccount(access, member.id, params.slotCode, traceOf(request)),
  }));
  route(app, resetSlotPassword, async ({ params, member, request }) => ({
    status: 200,
    body: await resetGamePassword(access, member.id, params.slotCode, traceOf(request)),
  }));
  const refreshInTurn = takeTurns<Refreshed[]>();
  const refreshGames = gameRefresher(access);
  route(app, refreshSlots, async ({ member: { id: memberId, currency } }) => {
    // Providers are asked once for a member who presses many times.
    const slots = await refreshInTurn(memberId, () => refreshGames({ memberId, currency, at: clock.now() }));
    return { status: 200, body: { slots: slots.map(shown) } };
  });
  launchRoutes(app, access);
}

function launchRoutes(app: FastifyInstance, access: GameAccess): void {
  const launch = (memberId: string, code: string, username: string, request: FastifyRequest) =>
    launchGame(access, { memberId, code, username, language: languageOf(request), trace: traceOf(request) });
  route(app, autoLogin, async ({ params, member, request }) => ({
    status: 200,
    body: await launch(member.id, params.provider, params.username, request),
  }));
  // Whatever password stands in the path is not looked at.
  route(app, autoLoginWithPassword, async ({ params, member, request }) => ({
    status: 200,
    body: await launch(member.id, params.provider, params.username, request),
  }));
}

const shown = ({ amount, outstanding, turnover, ...slot }: Refreshed) => ({
  ...slot,
  amount: toWire(amount),
  outstanding: toWire(outstanding),
  turnover: turnover === null ? null : toWire(turnover),
});

const traceOf = (request: FastifyRequest): Trace => ({ requestId: request.id, address: request.ip });

const COOKIE = new RegExp(`(?:^|; ?)${LANGUAGE_COOKIE}=([A-Z]{2})(?:;|$)`);

// The games speak Thai and English.
const languageOf = (request: FastifyRequest): 'th' | 'en' =>
  COOKIE.exec(request.headers.cookie ?? '')?.[1] === cookieValue.en ? 'en' : 'th';
