import { activeGames, type Wallet, WALLET } from '../../api/wallet.ts';

/** An account that money can be moved between: WALLET or an active game account. */
export type Account = { code: string; name: string; amount: number; isBusy: boolean };

/** All of them, the wallet first. @param walletName what the wallet is called in the language shown */
export const accountsOf = (wallet: Wallet | undefined, walletName: string): Account[] =>
  wallet
    ? [
        { code: WALLET, name: walletName, amount: wallet.wallet.amount, isBusy: false },
        ...activeGames(wallet).map(({ code, name, amount, inProgress }) => ({
          code,
          name,
          amount,
          isBusy: inProgress !== null,
        })),
      ]
    : [];
