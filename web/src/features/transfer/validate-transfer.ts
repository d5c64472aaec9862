import { activeGames, type Wallet, WALLET } from '../../member/wallet.ts';
import { TRANSFER_MINIMUM } from '@krapao/contract/constants';
import type { TransferInput } from '../../shared/transfer.ts';

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
export const transferAccounts = (wallet: Wallet | undefined, walletName: string): Account[] =>
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

/** Why a transfer isn't sent: a key of the words, and the account it is about. */
export type TransferError = {
  kind: 'selectAccount' | 'cannotTransfer' | 'busy' | 'minimumAmount' | 'notEnough';
  name: string;
};

/** Whether more is asked for than there is. Of an account whose amount is old, only its provider knows. */
export const exceedsBalance = (amount: number, source: Account | undefined): boolean =>
  source !== undefined && !source.isStale && amount > source.amount;

/** The first thing that stands in the way, in the order in which a person fills the form in. */
export function validateTransfer(
  { from, to, amount }: TransferInput,
  accounts: readonly Account[],
): TransferError | undefined {
  const source = accounts.find(({ code }) => code === from);
  const destination = accounts.find(({ code }) => code === to);
  if (!source || !destination || destination.isHidden) return { kind: 'selectAccount', name: '' };
  if (source === destination) return { kind: 'cannotTransfer', name: source.name };
  const busy = [source, destination].find(({ isBusy }) => isBusy);
  if (busy) return { kind: 'busy', name: busy.name };
  if (amount < TRANSFER_MINIMUM) return { kind: 'minimumAmount', name: source.name };
  if (exceedsBalance(amount, source)) return { kind: 'notEnough', name: source.name };
  return undefined;
}
