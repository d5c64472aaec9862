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
/** Members whose refresh is at the database at the same moment: the others' calls need connections too. */
const AT_DATABASE = 2;
/** While a crowd refreshes: a question costs the processor about half of that. */
const START_EVERY_MS = 2;
/** One provider's balances; one that is silent so often is asked no more than once in so long. */
const PROVIDER = { width: 64, waitMs: PATIENCE_MS, silences: 20, probeEveryMs: 1_000 };

/**
 * Asks every provider for the balances of a member's game accounts, concurrently. Wins and losses since become a
 * movement of the ledger. A provider that doesn't answer leaves the amount unchanged, marked stale. Concurrency is
 * bounded in total and per provider, so that a silent provider does not delay the others. @returns refreshes the
 * accounts of one member; throws NO_WALLET
 */
export function createGameRefresher(access: GameDeps): (holder: RefreshedMember) => Promise<Refreshed[]> {
  const atDatabase = createSemaphore(AT_DATABASE, Number.POSITIVE_INFINITY, () => {
    throw new Error('a line without an end is full');
  });
  const start = staggerBursts(START_EVERY_MS);
  const bulkheads = new Map<GameProvider, Bulkhead>();
  const bulkheadOf = (provider: GameProvider): Bulkhead => {
    const known = bulkheads.get(provider) ?? createBulkhead(PROVIDER, isSilent);
    bulkheads.set(provider, known);
    return known;
  };

  const ask = async (account: RefreshableAccount): Promise<Outcome<ProviderBalance> | undefined> => {
    const provider = access.providers.get(account.provider);
    if (!provider || account.busyWith !== null) return undefined;
    const timeoutMs = Math.min(PATIENCE_MS, provider.timeoutMs);
    return bulkheadOf(provider)(() => start(() => provider.balance(account.username, timeoutMs)));
  };

  return async (holder) => {
    const { memberId } = holder;
    const look = async (): Promise<Picture> => {
      const read = await readPicture(access.database, memberId);
      if (read.suspended) throw noWallet();
      return pictureOf(read);
    };
    const before = await start(() => atDatabase(look));
    const silent: string[] = [];
    let isAsBefore = true;
    await Promise.all(
      before.map(async (known) => {
        const told = await ask(known);
        if (told?.outcome === 'done') {
          if (await applyProviderBalance(access, holder, known, told.value, atDatabase)) isAsBefore = false;
        } else if (known.busyWith === null && !known.isStale) silent.push(known.gameCode);
      }),
    );
    if (isAsBefore && silent.length === 0) return shown(before);
    return atDatabase(async () => {
      if (silent.length > 0) await markStale(access.database, memberId, silent);
      return shown(await look());
    });
  };
}

/** An account as it is known, and what the ledger has there. */
export type AccountSnapshot = RefreshableAccount & { posted: Minor; free: Minor };
type Picture = readonly AccountSnapshot[];

/** All of one moment: what changes an account raises its version, and what was read before is not believed then. */
const readPicture = snapshotReader('refresh', { accounts: refreshableAccounts, holdings: memberAccounts, suspended });

/** The visible accounts, and hidden ones that may have bets not yet read. */
function pictureOf({ accounts, holdings: { balances } }: Awaited<ReturnType<typeof readPicture>>): Picture {
  return accounts.flatMap((account) => {
    const balance = balances.find(({ kind }) => kind === gameLedgerKind(account.gameCode));
    const { posted, free } = balance ?? { posted: ZERO, free: ZERO };
    return isVisible(account, account, posted) || !account.areBetsKnown ? [{ ...account, posted, free }] : [];
  });
}

const shown = (picture: Picture): Refreshed[] =>
  picture.map(({ gameCode, free, outstanding, turnover, isStale, busyWith }) => ({
    code: gameCode,
    amount: free,
    outstanding,
    turnover,
    isStale: isStale || busyWith !== null,
  }));

// Unreachable as well: a provider whose login hangs keeps its askers waiting as long as one that says nothing.
const isSilent = (answer: unknown): boolean => {
  const told = answer as Outcome<unknown>;
  return told.outcome === 'unknown' || (told.outcome === 'refused' && told.reason === 'unreachable');
};

/** `commands.game_refresh_admit` explains them. */
export const REFRESH_OUTCOMES = ['applied', 'stale_read', 'row_locked', 'books_refused'] as const;
type RefreshOutcome = (typeof REFRESH_OUTCOMES)[number];

/**
 * Brings what we know of a game account to what its provider says, in one commit with its ledger account: unless a transfer
 * or another refresh has changed it since. Nothing is written when that is what we know.
 * @param known the account as it was when the provider was asked
 * @param gate what goes to the database goes through it
 * @returns whether something may be other than it was before
 */
export async function applyProviderBalance(
  access: GameDeps,
  holder: RefreshedMember,
  known: AccountSnapshot,
  { cash, outstanding, turnover }: ProviderBalance,
  gate: <T>(job: () => Promise<T>) => Promise<T>,
): Promise<boolean> {
  const worth = (credits: Credits): Minor => toAmount(credits, known.ftWalletSlot);
  const target = worth(cash);
  const bets = { outstanding: worth(outstanding), turnover: turnover === null ? null : worth(turnover) };
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
  const { outcome, verdicts } = await gate(() => retryOnRowLock(() => access.ledger.postCommand(command)));
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
