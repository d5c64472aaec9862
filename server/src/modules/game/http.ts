import {
  activateSlot,
  addFavourite,
  autoLogin,
  autoLoginWithPassword,
  getSlotAccount,
  listGames,
  listPopularGames,
  refreshSlots,
  removeFavourite,
  resetSlotPassword,
} from '@krapao/contract/endpoints/game';
import { type Currency, toWire } from '@krapao/contract/money';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Refusal } from '../../platform/errors.ts';
import { callerAddress } from '../../platform/http/caller-address.ts';
import { requestLanguage } from '../../platform/http/caller.ts';
import { createAddressRewriter } from '../../platform/http/requested-host.ts';
import { route } from '../../platform/http/route.ts';
import { refreshingCache } from '../../platform/jobs/cache.ts';
import { activateGame } from './activate-game.ts';
import { resetGamePassword, revealGameAccount } from './credentials.ts';
import { createGameNameReader, type ProviderNames } from './game-names.ts';
import type { CredentialViewer, GameDeps } from './game.ts';
import { launchGame } from './launch-game.ts';
import { markReplyLost, selectPopular, setFavourite } from './queries.ts';
import type { RefreshedGame } from './refresh-games.ts';

/** Registers the endpoints of game accounts. */
export function gameRoutes(
  app: FastifyInstance,
  deps: GameDeps,
  variant: Variant,
  readOperatorData: ProviderNames,
  refresh: (member: { id: string; currency: Currency }) => Promise<RefreshedGame[]>,
): void {
  const toViewer = (request: FastifyRequest): CredentialViewer => ({
    requestId: request.id,
    address: callerAddress(request).address,
    language: requestLanguage(request.headers.cookie, variant),
    rewriteAddress: createAddressRewriter(request),
  });
  route(app, activateSlot, async ({ params: { slotCode }, member, request }) => {
    const body = await activateGame(deps, member.id, slotCode, toViewer(request));
    // The client has disconnected. Its retry gets the credentials again.
    if (request.raw.socket.destroyed || request.raw.socket.writableEnded) {
      await markReplyLost(deps.database, { memberId: member.id, gameCode: slotCode });
    }
    return { status: 200, body };
  });
  route(app, getSlotAccount, async ({ params, member, request }) => ({
    status: 200,
    body: await revealGameAccount(deps, member.id, params.slotCode, toViewer(request)),
  }));
  route(app, resetSlotPassword, async ({ params, member, request }) => ({
    status: 200,
    body: await resetGamePassword(deps, member.id, params.slotCode, toViewer(request)),
  }));
  route(app, refreshSlots, async ({ member }) => ({
    status: 200,
    body: { slots: (await refresh(member)).map(toWireSlot) },
  }));
  launchRoutes(app, deps, toViewer);
  lobbyRoutes(app, deps);
  gameNameRoute(app, { ...deps, readOperatorData });
}

const POPULAR_FRESH_MS = 60 * 60_000;

/** Registers favourites and popular games. */
function lobbyRoutes(app: FastifyInstance, { database }: GameDeps): void {
  const save = async (memberId: string, gameCode: string, isFavourite: boolean) => {
    if (!(await setFavourite(database, { memberId, gameCode }, isFavourite))) throw new Refusal('NO_GAME');
    return { status: 200, body: { message: 'OK' } } as const;
  };
  const popular = refreshingCache(() => selectPopular(database), POPULAR_FRESH_MS);
  route(app, addFavourite, ({ params, member }) => save(member.id, params.slotCode, true));
  route(app, removeFavourite, ({ params, member }) => save(member.id, params.slotCode, false));
  route(app, listPopularGames, async () => ({ status: 200, body: { games: await popular() } }));
}

type GameNamesDeps = Pick<GameDeps, 'database' | 'providers'> & { readOperatorData: ProviderNames };

/** Registers the names under which games are found. */
function gameNameRoute(app: FastifyInstance, { readOperatorData, ...deps }: GameNamesDeps): void {
  const readNames = createGameNameReader(deps, readOperatorData);
  route(app, listGames, async () => {
    const offered = (await readNames()).filter(({ isHidden }) => !isHidden);
    return { status: 200, body: { games: offered.map(({ isHidden: _isHidden, ...game }) => game) } };
  });
}

function launchRoutes(
  app: FastifyInstance,
  deps: GameDeps,
  toViewer: (request: FastifyRequest) => CredentialViewer,
): void {
  const launch = (memberId: string, code: string, username: string, request: FastifyRequest) =>
    launchGame(deps, { memberId, code, username, viewer: toViewer(request) });
  route(app, autoLogin, async ({ params, member, request }) => ({
    status: 200,
    body: await launch(member.id, params.provider, params.username, request),
  }));
  // The password in the path is ignored.
  route(app, autoLoginWithPassword, async ({ params, member, request }) => ({
    status: 200,
    body: await launch(member.id, params.provider, params.username, request),
  }));
}

const toWireSlot = ({ amount, outstanding, turnover, ...slot }: RefreshedGame) => ({
  ...slot,
  amount: toWire(amount),
  outstanding: toWire(outstanding),
  turnover: turnover === null ? null : toWire(turnover),
});
