import { TRANSFER_MINIMUM } from '@krapao/contract/constants';
import type { TransferInput } from '../../shared/transfer/use-transfer.ts';
import type { Account } from './accounts.ts';

/** Why a transfer isn't sent: a key of the words, and the account it is about. */
export type TransferFault = {
  kind: 'selectAccount' | 'cannotTransfer' | 'busy' | 'minimumAmount' | 'notEnough';
  name: string;
};

/** Whether more is asked for than there is. Of an account whose amount is old, only its provider knows. */
export const isTooMuch = (amount: number, source: Account | undefined): boolean =>
  source !== undefined && !source.isStale && amount > source.amount;

/** The first thing that stands in the way, in the order in which a person fills the form in. */
export function faultOf({ from, to, amount }: TransferInput, accounts: readonly Account[]): TransferFault | undefined {
  const source = accounts.find(({ code }) => code === from);
  const destination = accounts.find(({ code }) => code === to);
  if (!source || !destination || destination.isHidden) return { kind: 'selectAccount', name: '' };
  if (source === destination) return { kind: 'cannotTransfer', name: source.name };
  const busy = [source, destination].find(({ isBusy }) => isBusy);
  if (busy) return { kind: 'busy', name: busy.name };
  if (amount < TRANSFER_MINIMUM) return { kind: 'minimumAmount', name: source.name };
  if (isTooMuch(amount, source)) return { kind: 'notEnough', name: source.name };
  return undefined;
}
