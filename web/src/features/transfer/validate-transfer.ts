import { activeGames, type Wallet, WALLET } from '../../member/wallet.ts';
import { TRANSFER_MINIMUM } from '@krapao/contract/constants';
import type { TransferInput } from '../../shared/transfer.ts';

/** An account of a transfer: WALLET or an active game account. */
export type Account = {
  code: string;
  name: string;
  amount: number;
  /** The provider did not reply recently: the balance may be higher than the amount. */
  isStale: boolean;
  isBusy: boolean;
  /** No longer offered: money can only leave it. */
  isHidden: boolean;
  /** Credits per unit of the currency; 1 for the wallet. */
  ftWalletSlot: number;
};

/** All accounts, the wallet first. @param walletName translated name of the wallet */
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

/** Why a transfer is invalid: a phrase key, and the account that it concerns. */
export type TransferError = {
  kind: 'selectAccount' | 'cannotTransfer' | 'busy' | 'minimumAmount' | 'notEnough';
  name: string;
};

/** Whether the amount exceeds the balance; false for a stale balance, which only the provider knows. */
export const exceedsBalance = (amount: number, source: Account | undefined): boolean =>
  source !== undefined && !source.isStale && amount > source.amount;

/** First error, in the order of the form. */
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
