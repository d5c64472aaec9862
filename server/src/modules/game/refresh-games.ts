import { type Currency, type Minor, ZERO } from '@krapao/contract/money';
import { memberAccounts, type Operation, type LedgerCommand, retryOnRowLock } from '../../ledger/index.ts';
import { type Bulkhead, createBulkhead } from '../../platform/http/bulkhead.ts';
import { snapshotReader } from '../../platform/database/batched-reads.ts';
import { staggerBursts, createSemaphore } from '../../platform/jobs/concurrency.ts';
import type { GameProvider, Outcome, ProviderBalance, Credits } from '../../adapters/game/port.ts';
import { noWallet, suspended } from '../account/index.ts';
import { gameLedgerKind, isVisible, type GameDeps, toAmount } from './game.ts';
import { type RefreshableAccount, refreshableAccounts, markStale } from './queries.ts';
import { uuidV7 } from '../../platform/ids.ts';
import { assertNever } from '../../platform/errors.ts';

export type Refreshed = {
  code: string;
  amount: Minor;
  outstanding: Minor;
  turnover: Minor | null;
  isStale: boolean;
};
export type RefreshedMember = { memberId: string; currency: Currency; at: Date };

const PATIENCE_MS = 5_000;
/** Concurrent refreshes at the database: other requests need connections too. */
const DATABASE_CONCURRENCY = 2;
/** Minimum interval between inquiries; one costs about half of that in CPU time. */
const START_EVERY_MS = 2;
/** Bulkhead of a provider: after `silences` it is probed only every `probeEveryMs`. */
const PROVIDER = { width: 64, waitMs: PATIENCE_MS, silences: 20, probeEveryMs: 1_000 };

/**
 * Reads the balances of a member's game accounts from all providers concurrently, and posts wins and losses to the
 * ledger. Without a reply the amount stays unchanged and is marked stale. Concurrency is bounded in total and per
 * provider, so that a silent provider does not delay the others.
 * @returns a function that refreshes one member; it throws NO_WALLET
 */
export function createGameRefresher(deps: GameDeps): (holder: RefreshedMember) => Promise<Refreshed[]> {
  const atDatabase = createSemaphore(DATABASE_CONCURRENCY, Number.POSITIVE_INFINITY, () => {
    throw new Error('an unbounded queue is full');
  });
  const start = staggerBursts(START_EVERY_MS);
  const bulkheads = new Map<GameProvider, Bulkhead>();
  const bulkheadOf = (provider: GameProvider): Bulkhead => {
    const known = bulkheads.get(provider) ?? createBulkhead(PROVIDER, isSilent);
    bulkheads.set(provider, known);
    return known;
  };

  const inquire = async (account: RefreshableAccount): Promise<Outcome<ProviderBalance> | undefined> => {
    const provider = deps.providers.get(account.provider);
    if (!provider || account.busyWith !== null) return undefined;
    const timeoutMs = Math.min(PATIENCE_MS, provider.timeoutMs);
    return bulkheadOf(provider)(() => start(() => provider.balance(account.username, timeoutMs)));
  };

  return async (holder) => {
    const { memberId } = holder;
    const load = async (): Promise<Snapshot> => {
      const read = await readSnapshot(deps.database, memberId);
      if (read.suspended) throw noWallet();
      return toSnapshot(read);
    };
    const before = await start(() => atDatabase(load));
    const silent: string[] = [];
    let isUnchanged = true;
    await Promise.all(
      before.map(async (known) => {
        const reply = await inquire(known);
        if (reply?.outcome === 'done') {
          if (await applyProviderBalance(deps, holder, known, reply.value, atDatabase)) isUnchanged = false;
        } else if (known.busyWith === null && !known.isStale) silent.push(known.gameCode);
      }),
    );
    if (isUnchanged && silent.length === 0) return toRefreshed(before);
    return atDatabase(async () => {
      if (silent.length > 0) await markStale(deps.database, memberId, silent);
      return toRefreshed(await load());
    });
  };
}

/** A game account and its ledger balance. */
export type AccountSnapshot = RefreshableAccount & { posted: Minor; free: Minor };
type Snapshot = readonly AccountSnapshot[];

/** One consistent read. Later changes raise the account's version, and commands based on this read are refused. */
const readSnapshot = snapshotReader('refresh', { accounts: refreshableAccounts, holdings: memberAccounts, suspended });

/** The visible accounts, and hidden ones with possibly unread bets. */
function toSnapshot({ accounts, holdings: { balances } }: Awaited<ReturnType<typeof readSnapshot>>): Snapshot {
  return accounts.flatMap((account) => {
    const balance = balances.find(({ kind }) => kind === gameLedgerKind(account.gameCode));
    const { posted, free } = balance ?? { posted: ZERO, free: ZERO };
    return isVisible(account, account, posted) || !account.areBetsKnown ? [{ ...account, posted, free }] : [];
  });
}

const toRefreshed = (snapshot: Snapshot): Refreshed[] =>
  snapshot.map(({ gameCode, free, outstanding, turnover, isStale, busyWith }) => ({
    code: gameCode,
    amount: free,
    outstanding,
    turnover,
    isStale: isStale || busyWith !== null,
  }));

// Includes unreachable: a provider whose login hangs blocks callers as long as one without a reply.
const isSilent = (result: unknown): boolean => {
  const reply = result as Outcome<unknown>;
  return reply.outcome === 'unknown' || (reply.outcome === 'refused' && reply.reason === 'unreachable');
};

/** `commands.game_refresh_admit` explains them. */
export const REFRESH_OUTCOMES = ['applied', 'stale_read', 'row_locked', 'books_refused'] as const;
type RefreshOutcome = (typeof REFRESH_OUTCOMES)[number];

/**
 * Adjusts a game account and its ledger account to the provider's balance in one commit, unless a transfer or another
 * refresh has changed it since. Writes nothing when they agree.
 * @param known the account before the inquiry
 * @param limit bounds the concurrency at the database
 * @returns false when nothing can have changed
 */
export async function applyProviderBalance(
  deps: GameDeps,
  holder: RefreshedMember,
  known: AccountSnapshot,
  { cash, outstanding, turnover }: ProviderBalance,
  limit: <T>(job: () => Promise<T>) => Promise<T>,
): Promise<boolean> {
  const amountOf = (credits: Credits): Minor => toAmount(credits, known.ftWalletSlot);
  const target = amountOf(cash);
  const bets = { outstanding: amountOf(outstanding), turnover: turnover === null ? null : amountOf(turnover) };
  const isFresh = !known.isStale && known.areBetsKnown;
  const isKnown = isFresh && bets.outstanding === known.outstanding && bets.turnover === known.turnover;
  if (known.posted === target && isKnown) return false;
  const command: LedgerCommand<RefreshOutcome> = {
    kind: 'game_refresh',
    outcomes: REFRESH_OUTCOMES,
    memberId: holder.memberId,
    claims: [`${holder.memberId}/${known.gameCode}`],
    unique: [],
    row: {
      member: holder.memberId,
      game: known.gameCode,
      version: String(known.version),
      outstanding: String(bets.outstanding),
      turnover: bets.turnover === null ? null : String(bets.turnover),
    },
    groups: known.posted === target ? [] : [[adjustment(holder, known, target)]],
  };
  const { outcome, verdicts } = await limit(() => retryOnRowLock(() => deps.ledger.postCommand(command)));
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

function adjustment({ memberId, currency, at }: RefreshedMember, account: AccountSnapshot, target: Minor): Operation {
  const id = uuidV7(at);
  return {
    key: `game:refresh:${id}`,
    type: 'adjust',
    kind: 'play',
    memberId,
    currency,
    debit: { house: `provider:${account.provider}` },
    credit: { member: memberId, kind: gameLedgerKind(account.gameCode) },
    target,
    reference: id,
    actor: 'refresh',
  };
}
