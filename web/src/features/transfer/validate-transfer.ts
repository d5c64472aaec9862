import { TRANSFER_MINIMUM } from '@krapao/contract/constants';
import { activeGames, type Wallet, WALLET } from '../../member/wallet.ts';
import type { TransferInput } from '../../shared/transfer.ts';

/** An account of a transfer: WALLET or an active game account. */
export type Account = {
  code: string;
  name: string;
  amount: number;
  /** The provider did not reply recently, so that the balance may be higher than `amount`. */
  isStale: boolean;
  isBusy: boolean;
  /** The game is no longer offered: money can only be transferred out. */
  isHidden: boolean;
  /** Credits per currency unit; 1 for the wallet. */
  ftWalletSlot: number;
};

/** All accounts of a transfer, the wallet first. @param walletName translated name of the wallet */
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

/** Why a transfer is invalid: a phrase key, and the name of the account that it concerns. */
export type TransferError = {
  kind: 'selectAccount' | 'cannotTransfer' | 'busy' | 'minimumAmount' | 'notEnough';
  name: string;
};

/**
 * Whether the amount exceeds the balance. False for a stale balance, because only the provider knows the current one.
 */
export const exceedsBalance = (amount: number, source: Account | undefined): boolean =>
  source !== undefined && !source.isStale && amount > source.amount;

/** First error of a transfer, in the order of the form's fields. */
export function validateTransfer(
  { from, to, amount }: TransferInput,
  accounts: readonly Account[],
): TransferError | undefined {
  const source = accounts.find(({ code }) => code === from);
  const destination = accounts.find(({ code }) => code === to);
  if (!source || !destination || destination.isHidden) return { kind: 'selectAccount', name: '' };
  if (source === destination) return { kind: 'cannotTransfer', name: source.name };
  const busyAccount = [source, destination].find(({ isBusy }) => isBusy);
  if (busyAccount) return { kind: 'busy', name: busyAccount.name };
  if (amount < TRANSFER_MINIMUM) return { kind: 'minimumAmount', name: source.name };
  if (exceedsBalance(amount, source)) return { kind: 'notEnough', name: source.name };
  return undefined;
}
