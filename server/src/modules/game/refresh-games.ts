import { type Currency, type Minor, ZERO } from '@krapao/contract/money';
import type { GameProvider, Outcome, ProviderBalance, Credits } from '../../adapters/game/port.ts';
import { memberAccounts, type Operation, type LedgerCommand, retryOnRowLock } from '../../ledger/index.ts';
import { snapshotReader } from '../../platform/database/batched-reads.ts';
import { assertNever } from '../../platform/errors.ts';
import { type Bulkhead, createBulkhead } from '../../platform/http/bulkhead.ts';
import { uuidV7 } from '../../platform/ids.ts';
import { staggerBursts, createSemaphore } from '../../platform/jobs/concurrency.ts';
import { noWalletRefusal, suspended } from '../account/index.ts';
import { gameLedgerKind, isVisible, type GameDeps, toAmount } from './game.ts';
import { type RefreshableAccount, refreshableAccounts, markStale } from './queries.ts';

export type RefreshedGame = {
  code: string;
  amount: Minor;
  outstanding: Minor;
  turnover: Minor | null;
  isStale: boolean;
};
export type RefreshedMember = { memberId: string; currency: Currency; at: Date };

const REFRESH_TIMEOUT_MS = 5_000;
/** Maximum concurrent refreshes that use the database: other requests need connections too. */
const DATABASE_CONCURRENCY = 2;
/** Minimum interval between inquiries. One inquiry takes about half of it in CPU time. */
const START_INTERVAL_MS = 2;
/** Bulkhead settings per provider. After `silences` calls without a reply, one probe is sent every `probeEveryMs`. */
const PROVIDER_BULKHEAD = { width: 64, waitMs: REFRESH_TIMEOUT_MS, silences: 20, probeEveryMs: 1_000 };

/**
 * Reads the balances of a member's game accounts from all providers concurrently, and posts wins and losses to the
 * ledger. Without a reply the amount stays unchanged and is marked stale. Concurrency is limited in total and per
 * provider, so that a silent provider does not delay the others.
 * @returns a function that refreshes one member; it throws NO_WALLET
 */
export function createGameRefresher(deps: GameDeps): (member: RefreshedMember) => Promise<RefreshedGame[]> {
  const limitDatabase = createSemaphore(DATABASE_CONCURRENCY, Number.POSITIVE_INFINITY, () => {
    throw new Error('an unbounded queue is full');
  });
  const staggerStart = staggerBursts(START_INTERVAL_MS);
  const bulkheads = new Map<GameProvider, Bulkhead>();
  const bulkheadOf = (provider: GameProvider): Bulkhead => {
    const bulkhead = bulkheads.get(provider) ?? createBulkhead(PROVIDER_BULKHEAD, isSilent);
    bulkheads.set(provider, bulkhead);
    return bulkhead;
  };

  const inquireBalance = async (account: RefreshableAccount): Promise<Outcome<ProviderBalance> | undefined> => {
    const provider = deps.providers.get(account.provider);
    if (!provider || account.busyWith !== null) return undefined;
    const timeoutMs = Math.min(REFRESH_TIMEOUT_MS, provider.timeoutMs);
    return bulkheadOf(provider)(() => staggerStart(() => provider.balance(account.username, timeoutMs)));
  };

  return async (member) => {
    const { memberId } = member;
    const loadSnapshot = async (): Promise<Snapshot> => {
      const snapshotFields = await readSnapshot(deps.database, memberId);
      if (snapshotFields.suspended) throw noWalletRefusal();
      return toSnapshot(snapshotFields);
    };
    const snapshotBefore = await staggerStart(() => limitDatabase(loadSnapshot));
    const silentGames: string[] = [];
    let isUnchanged = true;
    await Promise.all(
      snapshotBefore.map(async (account) => {
        const reply = await inquireBalance(account);
        if (reply?.outcome === 'done') {
          if (await applyProviderBalance(deps, member, account, reply.value, limitDatabase)) isUnchanged = false;
        } else if (account.busyWith === null && !account.isStale) silentGames.push(account.gameCode);
      }),
    );
    if (isUnchanged && silentGames.length === 0) return toRefreshedGames(snapshotBefore);
    return limitDatabase(async () => {
      if (silentGames.length > 0) await markStale(deps.database, memberId, silentGames);
      return toRefreshedGames(await loadSnapshot());
    });
  };
}

/** A game account and its ledger balance. */
export type AccountSnapshot = RefreshableAccount & { posted: Minor; free: Minor };
type Snapshot = readonly AccountSnapshot[];

/**
 * One consistent read. Later changes raise the account's version, and commands based on the old version are refused.
 */
const readSnapshot = snapshotReader('refresh', { accounts: refreshableAccounts, holdings: memberAccounts, suspended });

/** Visible accounts, and hidden accounts that may have unread bets. */
function toSnapshot({ accounts, holdings: { balances } }: Awaited<ReturnType<typeof readSnapshot>>): Snapshot {
  return accounts.flatMap((account) => {
    const balance = balances.find(({ kind }) => kind === gameLedgerKind(account.gameCode));
    const { posted, free } = balance ?? { posted: ZERO, free: ZERO };
    return isVisible(account, account, posted) || !account.areBetsKnown ? [{ ...account, posted, free }] : [];
  });
}

const toRefreshedGames = (snapshot: Snapshot): RefreshedGame[] =>
  snapshot.map(({ gameCode, free, outstanding, turnover, isStale, busyWith }) => ({
    code: gameCode,
    amount: free,
    outstanding,
    turnover,
    isStale: isStale || busyWith !== null,
  }));

// `unreachable` counts as silent too: a provider with a hanging login blocks callers as long as one without a reply.
const isSilent = (outcome: unknown): boolean => {
  const reply = outcome as Outcome<unknown>;
  return reply.outcome === 'unknown' || (reply.outcome === 'refused' && reply.reason === 'unreachable');
};

/** Outcomes of `commands.game_refresh_admit`. */
export const REFRESH_OUTCOMES = ['applied', 'stale_read', 'row_locked', 'books_refused'] as const;
type RefreshOutcome = (typeof REFRESH_OUTCOMES)[number];

/**
 * Adjusts a game account and its ledger account to the provider's balance in one commit. Changes nothing if a transfer
 * or another refresh has changed them since, or if they already match.
 * @param account the account as read before the inquiry
 * @param limitDatabase limits the concurrent database work
 * @returns false if nothing can have changed
 */
export async function applyProviderBalance(
  deps: GameDeps,
  member: RefreshedMember,
  account: AccountSnapshot,
  { cash, outstanding, turnover }: ProviderBalance,
  limitDatabase: <T>(job: () => Promise<T>) => Promise<T>,
): Promise<boolean> {
  const toLedgerAmount = (credits: Credits): Minor => toAmount(credits, account.creditsPerUnit);
  const targetAmount = toLedgerAmount(cash);
  const reportedBets = {
    outstanding: toLedgerAmount(outstanding),
    turnover: turnover === null ? null : toLedgerAmount(turnover),
  };
  const isFresh = !account.isStale && account.areBetsKnown;
  const areBetsUnchanged =
    isFresh && reportedBets.outstanding === account.outstanding && reportedBets.turnover === account.turnover;
  if (account.posted === targetAmount && areBetsUnchanged) return false;
  const command: LedgerCommand<RefreshOutcome> = {
    kind: 'game_refresh',
    outcomes: REFRESH_OUTCOMES,
    memberId: member.memberId,
    claims: [`${member.memberId}/${account.gameCode}`],
    unique: [],
    row: {
      member: member.memberId,
      game: account.gameCode,
      version: String(account.version),
      outstanding: String(reportedBets.outstanding),
      turnover: reportedBets.turnover === null ? null : String(reportedBets.turnover),
    },
    groups: account.posted === targetAmount ? [] : [[balanceAdjustment(member, account, targetAmount)]],
  };
  const { outcome, verdicts } = await limitDatabase(() => retryOnRowLock(() => deps.ledger.postCommand(command)));
  switch (outcome) {
    case 'applied':
    case 'stale_read':
    case 'row_locked':
      return true;
    case 'books_refused':
      throw new Error(`the ledger refused a refresh: ${verdicts[0]?.reason ?? 'no verdict'}`);
    default:
      return assertNever(outcome);
  }
}

function balanceAdjustment(
  { memberId, currency, at }: RefreshedMember,
  account: AccountSnapshot,
  targetAmount: Minor,
): Operation {
  const id = uuidV7(at);
  return {
    key: `game:refresh:${id}`,
    type: 'adjust',
    kind: 'play',
    memberId,
    currency,
    debit: { houseAccount: `provider:${account.provider}` },
    credit: { member: memberId, kind: gameLedgerKind(account.gameCode) },
    target: targetAmount,
    reference: id,
    actor: 'refresh',
  };
}
