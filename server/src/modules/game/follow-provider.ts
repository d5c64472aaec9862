import type { Minor } from '@krapao/contract/money';
import { uuidV7 } from '../../platform/ids.ts';
import type { Credits, ProviderBalance } from '../../counterparties/game/port.ts';
import { gameLedgerKind, toAmount } from './game.ts';
import type { GameAccess } from './game-access.ts';
import { lockAccount, markRefreshed } from './queries.ts';
import type { RefreshedMember, Known } from './refresh-games.ts';

/**
 * Brings what we know of a game account to what its provider says. Nothing is written when that is what we know.
 * @param known the account as it was when the provider was asked
 * @param gate what goes to the database goes through it
 * @returns whether something may be other than it was before
 */
export async function followProvider(
  access: GameAccess,
  holder: RefreshedMember,
  known: Known,
  { cash, outstanding, turnover }: ProviderBalance,
  gate: <T>(job: () => Promise<T>) => Promise<T>,
): Promise<boolean> {
  const worth = (credits: Credits): Minor => toAmount(credits, known.ftWalletSlot);
  const target = worth(cash);
  const bets = { outstanding: worth(outstanding), turnover: turnover === null ? null : worth(turnover) };
  const isFresh = !known.isStale && known.areBetsKnown;
  const isKnown = isFresh && bets.outstanding === known.outstanding && bets.turnover === known.turnover;
  if (known.posted === target && isKnown) return false;
  const key = { memberId: holder.memberId, gameCode: known.gameCode };
  await gate(() =>
    // A transfer takes this row too: either it starts after the ledger has followed, or it makes what was read worthless.
    access.database.tx(async (tx) => {
      const now = await lockAccount(tx, key);
      // A concurrent reading is as fresh as ours.
      if (!now || now.busyWith !== null || now.version !== known.version) return;
      if (known.posted !== target) await adjust(access, holder, known, target);
      await markRefreshed(tx, key, bets);
    }),
  );
  return true;
}

async function adjust(access: GameAccess, holder: RefreshedMember, account: Known, target: Minor): Promise<void> {
  const { memberId, currency } = holder;
  const id = uuidV7(holder.at);
  const [verdict] = await access.ledger.post({
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
  });
  if (verdict?.outcome !== 'applied')
    throw new Error(`the ledger refused a refresh: ${verdict?.reason ?? 'no verdict'}`);
}
