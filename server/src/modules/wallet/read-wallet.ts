import type { Language } from '@krapao/contract/languages';
import { type Minor, minor, toWire, ZERO } from '@krapao/contract/money';
import { type AccountBalance, holdings } from '../../ledger/module.ts';
import { snapshotReader } from '../../platform/database/member-snapshot.ts';
import { noWallet, suspended } from '../account/module.ts';
import { gameLedgerKind } from '../game/module.ts';
import { conditionGate } from '../incentive/module.ts';
import { heldWithdrawal } from '../withdraw/module.ts';
import type { WalletDeps, WalletPicture } from './wallet.ts';

/** Reads everything that a member has, as it stands at one moment. Throws NO_WALLET. */
export function walletReader({
  database,
  log,
  clock,
  ...modules
}: WalletDeps): (memberId: string, language: Language) => Promise<WalletPicture> {
  const read = snapshotReader('wallet', {
    suspended,
    holdings,
    withdrawal: heldWithdrawal,
    gate: conditionGate,
    profile: modules.account.picture,
    coins: modules.spinwheel.coins,
    slots: modules.game.list,
    invite: modules.invite.earnings,
  });
  return async (memberId, language) => {
    const told = await read(database, memberId);
    if (told.suspended) throw noWallet();
    const { balances, lastEvent } = told.holdings;
    const free = new Map<string, Minor>(balances.map((balance) => [balance.kind, balance.free]));
    const { hasConditions } = told.gate;
    const [person, slots, invite, conditions] = await Promise.all([
      told.profile(),
      told.slots(free, language),
      orElse(log, told.invite(), NO_INVITE_MONEY),
      hasConditions ? modules.incentive.storedProgress(memberId, language) : [],
    ]);
    return {
      profile: { ...person.profile, coin: await orElse(log, told.coins(turner(memberId, person)), 0) },
      bankAccount: person.bankAccount,
      wallet: { amount: toWire(free.get('WALLET') ?? ZERO), inTransit: toWire(inTransit(balances)) },
      withdrawable: hasConditions ? 0 : withdrawable(free, slots),
      conditions,
      invite,
      slots,
      withdrawal: told.withdrawal,
      eventSequence: String(lastEvent),
      updatedAt: clock.now().toISOString(),
    };
  };
}

/** Withdrawable amount: the wallet, and games whose money can be moved there now. */
function withdrawable(free: ReadonlyMap<string, Minor>, slots: WalletPicture['slots']): number {
  const kinds = ['WALLET', ...slots.filter(({ canMoveOut }) => canMoveOut).map(({ code }) => gameLedgerKind(code))];
  return toWire(kinds.reduce((sum, kind) => sum + (free.get(kind) ?? 0n), 0n));
}

const NO_INVITE_MONEY = { amount: 0, success: 0, fail: 0 };

const turner = (id: string, { profile }: { profile: Pick<WalletPicture['profile'], 'currency'> }) => ({
  id,
  currency: profile.currency,
});

// An unreadable setting of one programme hides no money: only the figure that needs it is missing.
async function orElse<T>(log: WalletDeps['log'], figure: Promise<T>, missing: T): Promise<T> {
  try {
    return await figure;
  } catch (error) {
    log.error({ err: error }, 'a figure beside the money could not be read');
    return missing;
  }
}

// What is held is on its way from where it is held: to a game, home from a game, or to the bank.
const inTransit = (balances: readonly AccountBalance[]): Minor =>
  minor(balances.reduce((sum, { held }) => sum + held, 0n));
