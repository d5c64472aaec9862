import type { Currency, Minor } from '@krapao/contract/money';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../platform/time.ts';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import type { SnapshotField } from '../../platform/database/batched-reads.ts';
import { singleFlight, coalesce } from '../../platform/jobs/concurrency.ts';
import { seedOnce } from '../lookup/index.ts';
import { type GameBalance, findGameBalances, type ListGames, listedGames, seedGames } from './list-games.ts';
import { gameLedgerKind, type GameDeps } from './game.ts';
import {
  bets,
  type BetState,
  type TransferEndRow,
  type EndsRequest,
  lockBets,
  selectEnds,
  selectTurnovers,
} from './queries.ts';
import { createGameRefresher, type Refreshed } from './refresh-games.ts';
import { gameRoutes } from './http.ts';

export { gameLedgerKind, toAmount, toCredits, WALLET } from './game.ts';
export type { GameBalance } from './list-games.ts';
export type { Slot } from './list-games.ts';
export type { BetState, TransferEndRow } from './queries.ts';
export { selectRates } from './queries.ts';
export { sealedPasswords } from './credential-queries.ts';

export type GameModule = {
  /** The games of these codes that there are, each with the member's login if their account is open. */
  ends(memberId: string, codes: readonly string[]): Promise<TransferEndRow[]>;
  /** Visible games with an open account and their ledger balances, without querying the providers. */
  openAccounts(memberId: string): Promise<GameBalance[]>;
  /** Every game that the member sees with their account, for the wallet. */
  list: SnapshotField<ListGames>;
  /** Asks the providers how a member's game accounts stand; one question for all who ask at the same moment. Throws NO_WALLET. */
  refresh(member: { id: string; currency: Currency }): Promise<Refreshed[]>;
  /** What is known of a member's bets, game by game. */
  bets: SnapshotField<BetState[]>;
  /** Keeps refreshes from writing until the transaction ends: what the ledger says of play meanwhile is of the same moment. */
  holdBets(tx: Tx, memberId: string): Promise<void>;
  /**
   * What members have staked in settled bets by their last refreshes, by kind of ledger account; null where the provider
   * doesn't report it. `mayBeOpen`: stakes that the ledger saw go may come back.
   */
  turnoversOf(
    on: Queryable,
    memberIds: readonly string[],
  ): Promise<{ memberId: string; kind: string; turnover: Minor | null; mayBeOpen: boolean }[]>;
};

export type GameModuleDeps = GameDeps & {
  app: FastifyInstance;
  clock: Clock;
  variant: Variant;
};

/** Game accounts: opening, credentials, launching, and bringing the ledger to what the providers report. */
export async function gameModule(deps: GameModuleDeps): Promise<GameModule> {
  const { app, clock, variant, ...access } = deps;
  await access.database.tx((tx) => seedOnce(tx, 'games', seedGames));
  const refreshGames = createGameRefresher(access);
  const refreshInTurn = singleFlight<Refreshed[]>();
  const refresh: GameModule['refresh'] = ({ id: memberId, currency }) =>
    refreshInTurn(memberId, () => refreshGames({ memberId, currency, at: clock.now() }));
  const endsOf = coalesce(async (requests: readonly EndsRequest[]) => {
    const ends = await selectEnds(access.database, requests);
    return new Map(requests.map((request, index) => [keyOf(request), ends[index] ?? []]));
  }, keyOf);
  gameRoutes(app, access, variant, refresh);
  return {
    ends: async (memberId, codes) => (await endsOf({ memberId, codes })) ?? [],
    openAccounts: (memberId) => findGameBalances(access, memberId),
    list: listedGames(access),
    refresh,
    bets,
    holdBets: lockBets,
    turnoversOf: async (on, memberIds) =>
      (await selectTurnovers(on, memberIds)).map(({ gameCode, ...told }) => ({
        ...told,
        kind: gameLedgerKind(gameCode),
      })),
  };
}

const keyOf = ({ memberId, codes }: EndsRequest): string => [memberId, ...codes].join(' ');
