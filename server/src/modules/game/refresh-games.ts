import type { Currency, Minor } from '@krapao/contract/money';
import { ZERO } from '@krapao/contract/money';
import { uuidV7 } from '../../platform/ids.ts';
import type { Credits } from '../../providers/game/port.ts';
import { type Game, type GameAccount, gameLedgerKind, toAmount } from './game.ts';
import { openAccountsOf } from './find-game-account.ts';
import type { GameAccess } from './game-access.ts';
import { lockAccount, markRefreshed, markStale, selectAccounts } from './queries.ts';

const PATIENCE_MS = 5_000;

export type Refreshed = {
  code: string;
  amount: Minor;
  outstanding: Minor;
  turnover: Minor | null;
  isStale: boolean;
};
type Holder = { memberId: string; currency: Currency; at: Date };

/**
 * Asks every provider for the balances of a member's game accounts, side by side. What was won or lost since becomes a
 * movement of the ledger. A provider that doesn't answer leaves the amount as it was, marked stale.
 */
export async function refreshGames(access: GameAccess, holder: Holder): Promise<Refreshed[]> {
  await access.assertWalletOpen(holder.memberId);
  const mine = await openAccountsOf(access.database, holder.memberId);
  const fresh = await Promise.all(mine.map(({ game, account }) => refresh(access, holder, game, account)));
  const [balances, accounts] = await Promise.all([
    access.ledger.balances(holder.memberId),
    selectAccounts(access.database, holder.memberId),
  ]);
  return mine.map(({ game }, index) => {
    const now = accounts.find(({ gameCode }) => gameCode === game.code);
    return {
      code: game.code,
      amount: balances.find(({ kind }) => kind === gameLedgerKind(game.code))?.free ?? ZERO,
      outstanding: now?.outstanding ?? ZERO,
      turnover: now?.turnover ?? null,
      isStale: !fresh[index],
    };
  });
}

/** @returns whether the ledger holds what the provider reports */
async function refresh(access: GameAccess, holder: Holder, game: Game, account: GameAccount): Promise<boolean> {
  if (account.busyWith !== null) return false;
  const provider = access.providers.get(account.provider);
  const timeoutMs = Math.min(PATIENCE_MS, provider?.timeoutMs ?? PATIENCE_MS);
  const asked = await provider?.balance(account.username, timeoutMs);
  if (asked?.outcome !== 'done') {
    await markStale(access.database, account);
    return false;
  }
  const { cash, outstanding, turnover } = asked.value;
  const worth = (credits: Credits): Minor => toAmount(credits, game.ftWalletSlot);
  const target = worth(cash);
  // Read before the transaction: many at once that each hold a connection and want another would wait for each other.
  // It still holds below, because whatever changes this account raises the version of its row.
  const isFollowed = (await postedIn(access.ledger, holder.memberId, game.code)) === target;
  // A transfer takes this row too: either it starts after the ledger has followed, or it makes what was read worthless.
  return access.database.tx(async (tx) => {
    const now = await lockAccount(tx, account);
    if (!now || now.busyWith !== null) return false;
    // Somebody else's reading is as fresh as ours.
    if (now.version !== account.version) return !now.isStale;
    if (!isFollowed) await followProvider(access, holder, game, target);
    const bets = { outstanding: worth(outstanding), turnover: turnover === null ? null : worth(turnover) };
    await markRefreshed(tx, account, bets);
    return true;
  });
}

async function postedIn(ledger: GameAccess['ledger'], memberId: string, code: string): Promise<Minor> {
  const balances = await ledger.balances(memberId);
  return balances.find(({ kind }) => kind === gameLedgerKind(code))?.posted ?? ZERO;
}

async function followProvider(access: GameAccess, holder: Holder, game: Game, target: Minor): Promise<void> {
  const { ledger } = access;
  const { memberId, currency } = holder;
  const kind = gameLedgerKind(game.code);
  const id = uuidV7(holder.at);
  const [verdict] = await ledger.post({
    key: `game:refresh:${id}`,
    type: 'adjust',
    kind: 'play',
    memberId,
    currency,
    debit: { house: `provider:${game.provider}` },
    credit: { member: memberId, kind },
    target,
    reference: id,
    actor: 'refresh',
  });
  if (verdict?.outcome !== 'applied')
    throw new Error(`the ledger refused a refresh: ${verdict?.reason ?? 'no verdict'}`);
}
