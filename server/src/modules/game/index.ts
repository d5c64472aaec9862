import type { Language } from '@krapao/contract/languages';
import type { Currency, Minor } from '@krapao/contract/money';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyInstance } from 'fastify';
import type { SnapshotField } from '../../platform/database/batched-reads.ts';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { singleFlight, coalesce } from '../../platform/jobs/concurrency.ts';
import type { Clock } from '../../platform/time.ts';
import { seedOnce } from '../operator-data/index.ts';
import { createGameNameReader, findGames, type ProviderNames } from './game-names.ts';
import { gameLedgerKind, type GameDeps } from './game.ts';
import { gameRoutes } from './http.ts';
import { type GameBalance, findGameBalances, type ListGames, listGamesField, seedGames } from './list-games.ts';
import {
  betStates,
  type BetState,
  type LegAccountRow,
  type LegAccountsRequest,
  lockBets,
  selectLegAccounts,
  selectGames,
  selectTurnovers,
} from './queries.ts';
import { createGameRefresher, type RefreshedGame } from './refresh-games.ts';

export { gameLedgerKind, toAmount, toCredits, WALLET } from './game.ts';
export type { GameBalance, WireSlot } from './list-games.ts';
export { type BetState, type LegAccountRow, selectCreditRates, selectGames } from './queries.ts';
export { providerNeeds } from './provider-needs.ts';
export { configSubjects } from './game-subject.ts';
export { sealedPasswords, selectReveals } from './credential-queries.ts';

export type GameModule = {
  /** The existing games with these codes, each with the member's login if the account is open. */
  legAccounts(memberId: string, codes: readonly string[]): Promise<LegAccountRow[]>;
  /** Visible games with an open account and their ledger balances, without inquiries at providers. */
  openAccounts(memberId: string): Promise<GameBalance[]>;
  /** Name of every game, by code. */
  names(language: Language): Promise<ReadonlyMap<string, string>>;
  /** Codes of the games that a search finds by name or provider, in any language; withdrawn games included. */
  search(text: string): Promise<string[]>;
  /** Every visible game with the member's account, for the wallet. */
  listGames: SnapshotField<ListGames>;
  /**
   * Refreshes the member's game accounts from the providers; concurrent calls share one.
   * @throws {Refusal} NO_WALLET
   */
  refresh(member: { id: string; currency: Currency }): Promise<RefreshedGame[]>;
  /** The member's bets by the last refreshes, per game. */
  betStates: SnapshotField<BetState[]>;
  /** Blocks refreshes until the transaction ends, so that bets and ledger are read consistently. */
  lockBets(tx: Tx, memberId: string): Promise<void>;
  /**
   * Stakes of members' settled bets by their last refreshes, per kind of ledger account; null if the provider does not
   * report them. `mayBeOpen`: there may be open bets, whose stakes may be returned.
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
  readOperatorData: ProviderNames;
};

/**
 * Creates the module of game accounts: opening, credentials, launching, and adjusting the ledger to balances reported
 * by providers.
 */
export async function gameModule({
  app,
  clock,
  variant,
  readOperatorData,
  ...deps
}: GameModuleDeps): Promise<GameModule> {
  await deps.database.tx((tx) => seedOnce(tx, 'games', seedGames));
  const refreshGames = createGameRefresher(deps);
  const refreshOnce = singleFlight<RefreshedGame[]>();
  const refresh: GameModule['refresh'] = ({ id: memberId, currency }) =>
    refreshOnce(memberId, () => refreshGames({ memberId, currency, at: clock.now() }));
  const readLegAccounts = coalesce(async (requests: readonly LegAccountsRequest[]) => {
    const legAccounts = await selectLegAccounts(deps.database, requests);
    return new Map(requests.map((request, index) => [legAccountsKey(request), legAccounts[index] ?? []]));
  }, legAccountsKey);
  const readNames = createGameNameReader(deps, readOperatorData);
  gameRoutes(app, deps, variant, readOperatorData, refresh);
  return {
    legAccounts: async (memberId, codes) => (await readLegAccounts({ memberId, codes })) ?? [],
    openAccounts: (memberId) => findGameBalances(deps, memberId),
    names: async (language) =>
      new Map((await selectGames(deps.database)).map(({ code, name, names }) => [code, names?.[language] ?? name])),
    search: async (text) => findGames(await readNames(), text),
    listGames: listGamesField(deps),
    refresh,
    betStates,
    lockBets,
    turnoversOf: async (on, memberIds) =>
      (await selectTurnovers(on, memberIds)).map(({ gameCode, ...turnover }) => ({
        ...turnover,
        kind: gameLedgerKind(gameCode),
      })),
  };
}

const legAccountsKey = ({ memberId, codes }: LegAccountsRequest): string => [memberId, ...codes].join(' ');
