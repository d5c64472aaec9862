import { activeGames, type Wallet, WALLET } from '../../shared/wallet/use-wallet.ts';

/** An account that money can be moved between: WALLET or an active game account. */
export type Account = {
  code: string;
  name: string;
  amount: number;
  /** The provider didn't answer lately: there may be more than the amount says. */
  isStale: boolean;
  isBusy: boolean;
  /** Offered no more: money only leaves it. */
  isHidden: boolean;
  /** Credits that one unit of the currency is there; 1 of the wallet. */
  ftWalletSlot: number;
};

/** All of them, the wallet first. @param walletName what the wallet is called in the language shown */
export const accountsOf = (wallet: Wallet | undefined, walletName: string): Account[] =>
  wallet
    ? [
        {
          code: WALLET,
          name: walletName,
          amount: wallet.wallet.amount,
          isStale: false,
          isBusy: false,
          isHidden: false,
          ftWalletSlot: 1,
        },
        ...activeGames(wallet).map(({ code, name, amount, isStale, inProgress, isHidden, ftWalletSlot }) => ({
          code,
          name,
          amount,
          isStale,
          isBusy: inProgress !== null,
          isHidden,
          ftWalletSlot,
        })),
      ]
    : [];
