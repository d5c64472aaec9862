import { type Minor, minor, toWire, ZERO } from '@krapao/contract/money';
import type { AccountBalance } from '../../ledger/module.ts';
import { assertWalletOpen } from './assert-wallet-open.ts';
import type { WalletDeps, WalletPicture } from './wallet.ts';

/** Everything that a member has, as it stands now. Throws NO_WALLET. */
export async function readWallet(deps: WalletDeps, memberId: string): Promise<WalletPicture> {
  await assertWalletOpen(deps.database, memberId);
  // Before the balances: an event that comes in between is told twice rather than never.
  const sequence = await deps.ledger.lastEvent(memberId);
  const [person, balances] = await Promise.all([deps.profileOf(memberId), deps.ledger.balances(memberId)]);
  const free = new Map<string, Minor>(balances.map((balance) => [balance.kind, balance.free]));
  return {
    profile: { ...person.profile, coin: 0 },
    bankAccount: person.bankAccount,
    wallet: { amount: toWire(free.get('WALLET') ?? ZERO), inTransit: toWire(inTransit(balances)) },
    invite: { amount: 0, success: 0, fail: 0 },
    slots: await deps.slotsOf(memberId, free),
    withdrawal: await deps.withdrawalOf(memberId),
    eventSequence: String(sequence),
    updatedAt: deps.clock.now().toISOString(),
  };
}

// What is held is on its way from where it is held: to a game, home from a game, or to the bank.
const inTransit = (balances: readonly AccountBalance[]): Minor =>
  minor(balances.reduce((sum, { held }) => sum + held, 0n));
