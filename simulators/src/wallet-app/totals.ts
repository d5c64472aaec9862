import { formatMoney } from '../money.ts';
import type { Store } from '../store.ts';
import type { Wallet } from './wallets.ts';

type WalletSums = Record<'received' | 'p2p' | 'giftsMade' | 'giftsRedeemed' | 'giftsReturned' | 'cash', number>;

/** All wallets and the money in gifts; wallets + giftsOutstanding = cash. */
export function walletTotals(store: Store): object {
  const wallets = store.all<Wallet>('select phone, name, owner, balance from wallet order by owner, phone');
  const sums = store.one<WalletSums>(
    `select
       (select coalesce(sum(t.amount), 0) from wallet_transaction t join wallet w on w.phone = t.to_phone
        where w.owner = 'operator' and t.type in ('P2P', 'GIFT')) as received,
       (select coalesce(sum(t.amount), 0) from wallet_transaction t join wallet w on w.phone = t.to_phone
        where w.owner = 'operator' and t.type = 'P2P') as p2p,
       (select coalesce(sum(amount), 0) from gift) as giftsMade,
       (select coalesce(sum(amount), 0) from gift_ticket) as giftsRedeemed,
       (select coalesce(sum(returned), 0) from gift) as giftsReturned,
       (select coalesce(sum(cash_in), 0) from wallet) as cash`,
  );
  if (!sums) throw new Error('a query without rows answered none');
  const giftsOutstanding = sums.giftsMade - sums.giftsRedeemed - sums.giftsReturned;
  return {
    wallets: wallets.map((wallet) => ({ ...wallet, balance: formatMoney(wallet.balance) })),
    ...Object.fromEntries(
      Object.entries({ ...sums, giftsOutstanding }).map(([name, amount]) => [name, formatMoney(amount)]),
    ),
  };
}
