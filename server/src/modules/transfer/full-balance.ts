import { type Minor, ZERO } from '@krapao/contract/money';
import type { Member } from '../../platform/http/caller/member.ts';
import { Refusal } from '../../platform/refusal.ts';
import { toAmount, WALLET } from '../game/module.ts';
import type { End } from './open-transfer.ts';
import { isEnough, notReadable } from './transfer.ts';
import type { TransferWork } from './transfer-work.ts';

/** Instead of an amount: everything that is free where the money comes from, at the moment the transfer begins. */
export const FULL_BALANCE = Symbol('everything that is free there');

/**
 * How much that is: of the wallet by the ledger, of a game by its provider, because winnings count. The hold stays the
 * judge: whatever else takes from there meanwhile makes this amount too much, and then nothing moves.
 * @param source undefined for the wallet
 * @throws TRANSFER_MINIMUM nothing is there, or too little for a transfer into a game · TRANSFER_FAIL nobody can tell
 */
export async function readFullBalance(
  work: Pick<TransferWork, 'ledger' | 'providers'>,
  member: Pick<Member, 'id' | 'currency'>,
  source: End | undefined,
): Promise<Minor> {
  if (source) return readGame(work, source);
  const accounts = await work.ledger.balances(member.id);
  const wallet = accounts.find(({ kind, currency }) => kind === WALLET && currency === member.currency);
  const free = wallet?.free ?? ZERO;
  if (!isEnough(free)) throw new Refusal('TRANSFER_MINIMUM');
  return free;
}

// No minimum on the way home: the last satang are the member's too.
async function readGame(work: Pick<TransferWork, 'providers'>, { game, account }: End): Promise<Minor> {
  const provider = work.providers.get(account.provider);
  if (!provider) throw new Refusal('TRANSFER_FAIL', { detail: 'PROVIDER_NOT_CONFIGURED' });
  const balance = await provider.balance(account.username);
  if (balance.outcome !== 'done') throw new Refusal('TRANSFER_FAIL', { detail: notReadable(balance) });
  const amount = toAmount(balance.value.cash, game.ftWalletSlot);
  if (amount <= 0n) throw new Refusal('TRANSFER_MINIMUM', { detail: 'EMPTY' });
  return amount;
}
