import type { Minor } from '@krapao/contract/money';
import { uuidV7 } from '../../platform/ids.ts';
import type { Credits, ProviderBalance } from '../../providers/game/port.ts';
import { type Game, type GameAccount, gameLedgerKind, toAmount } from './game.ts';
import type { GameAccess } from './game-access.ts';
import { lockAccount, markRefreshed } from './queries.ts';
import type { Holder } from './refresh-games.ts';

/** A game account as it was when the provider was asked, and what the ledger had posted there. */
type Before = { game: Game; account: GameAccount; posted: Minor };

/**
 * Brings what we know of a game account to what its provider says. Nothing is written when that is what we know.
 * @param gate what goes to the database goes through it
 * @returns whether something may be other than it was before
 */
export async function followProvider(
  access: GameAccess,
  holder: Holder,
  { game, account, posted }: Before,
  { cash, outstanding, turnover }: ProviderBalance,
  gate: <T>(job: () => Promise<T>) => Promise<T>,
): Promise<boolean> {
  const worth = (credits: Credits): Minor => toAmount(credits, game.ftWalletSlot);
  const target = worth(cash);
  const bets = { outstanding: worth(outstanding), turnover: turnover === null ? null : worth(turnover) };
  const isKnown = !account.isStale && bets.outstanding === account.outstanding && bets.turnover === account.turnover;
  if (posted === target && isKnown) return false;
  await gate(() =>
    // A transfer takes this row too: either it starts after the ledger has followed, or it makes what was read worthless.
    access.database.tx(async (tx) => {
      const now = await lockAccount(tx, account);
      // Somebody else's reading is as fresh as ours.
      if (!now || now.busyWith !== null || now.version !== account.version) return;
      if (posted !== target) await adjust(access, holder, game, target);
      await markRefreshed(tx, account, bets);
    }),
  );
  return true;
}

async function adjust(access: GameAccess, holder: Holder, game: Game, target: Minor): Promise<void> {
  const { memberId, currency } = holder;
  const id = uuidV7(holder.at);
  const [verdict] = await access.ledger.post({
    key: `game:refresh:${id}`,
    type: 'adjust',
    kind: 'play',
    memberId,
    currency,
    debit: { house: `provider:${game.provider}` },
    credit: { member: memberId, kind: gameLedgerKind(game.code) },
    target,
    reference: id,
    actor: 'refresh',
  });
  if (verdict?.outcome !== 'applied')
    throw new Error(`the ledger refused a refresh: ${verdict?.reason ?? 'no verdict'}`);
}
