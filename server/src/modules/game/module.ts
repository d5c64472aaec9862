import type { Minor } from '@krapao/contract/money';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../platform/clock.ts';
import type { Tx } from '../../platform/database.ts';
import { findGameAccount, openAccountsOf } from './find-game-account.ts';
import type { Game, GameAccount } from './game.ts';
import type { GameAccess } from './game-access.ts';
import { listGames, type Slot } from './list-games.ts';
import { freeAccount, occupyAccount, selectGame } from './queries.ts';
import { gameRoutes } from './routes.ts';
import { seedGames } from './seed-games.ts';

export { type Game, type GameAccount, gameLedgerKind, toAmount, toCredits, WALLET } from './game.ts';
export type { Slot } from './list-games.ts';
export { selectRates } from './statement-queries.ts';

export type GameModule = {
  /** A game that members see. */
  findGame(code: string): Promise<Game | undefined>;
  /** A game and the member's open account there. Throws NO_GAME, SLOT_NO_ACCOUNT. */
  findAccount(memberId: string, code: string): Promise<{ game: Game; account: GameAccount }>;
  /** The games that members see in which this one has an open account. */
  openAccounts(memberId: string): Promise<{ game: Game; account: GameAccount }[]>;
  /** Every game with the member's account, for the wallet. `free`: what may be used, by kind of ledger account. */
  list(memberId: string, free: ReadonlyMap<string, Minor>): Promise<Slot[]>;
  /** Reserves an account for one transfer; false when another is under way. */
  occupy(tx: Tx, key: { memberId: string; gameCode: string }, reference: string): Promise<boolean>;
  /** Ends that; `knowsBalance` when the transfer's answer told how much is there. */
  free(tx: Tx, key: { memberId: string; gameCode: string }, reference: string, knowsBalance: boolean): Promise<void>;
};

export type GameModuleDeps = GameAccess & {
  app: FastifyInstance;
  clock: Clock;
  /** Fills in a file of demonstration data on the first start. */
  seedOnce: (tx: Tx, name: string, fill: (tx: Tx, content: unknown) => Promise<void>) => Promise<void>;
};

/** Game accounts: opening, credentials, launching, and bringing the ledger to what the providers report. */
export async function gameModule(deps: GameModuleDeps): Promise<GameModule> {
  const { app, clock, seedOnce, ...access } = deps;
  await access.database.tx((tx) => seedOnce(tx, 'games', seedGames));
  gameRoutes(app, access, clock);
  return {
    findGame: (code) => selectGame(access.database, code),
    findAccount: (memberId, code) => findGameAccount(access.database, memberId, code),
    openAccounts: (memberId) => openAccountsOf(access.database, memberId),
    list: (memberId, free) => listGames(access, memberId, free),
    occupy: occupyAccount,
    free: freeAccount,
  };
}
