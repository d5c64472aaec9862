import type { getWallet } from '@krapao/contract/endpoints/wallet';
import type { Language } from '@krapao/contract/languages';
import { type Minor, minor, toWire, ZERO } from '@krapao/contract/money';
import type { Variant } from '@krapao/contract/rules';
import type { FastifyBaseLogger } from 'fastify';
import type { z } from 'zod';
import { type AccountBalance, memberAccounts } from '../../ledger/index.ts';
import { snapshotReader } from '../../platform/database/batched-reads.ts';
import type { Database } from '../../platform/database/database.ts';
import type { Clock } from '../../platform/time.ts';
import { type AccountModule, noWalletRefusal, suspended } from '../account/index.ts';
import { type GameModule, gameLedgerKind } from '../game/index.ts';
import { type IncentiveModule, memberLockVersion } from '../incentive/index.ts';
import type { InviteModule } from '../invite/index.ts';
import type { SpinwheelModule } from '../spinwheel/index.ts';
import { heldWithdrawal } from '../withdraw/index.ts';

/** The wallet in wire format. */
export type WireWallet = z.input<(typeof getWallet.replies)[200]>;

/** Modules whose fields are read in one statement. */
export type WalletDeps = {
  database: Database;
  account: Pick<AccountModule, 'profileField'>;
  spinwheel: Pick<SpinwheelModule, 'coins'>;
  game: Pick<GameModule, 'listGames'>;
  invite: Pick<InviteModule, 'earningsField'>;
  incentive: Pick<IncentiveModule, 'storedProgress'>;
  variant: Variant;
  clock: Clock;
  log: Pick<FastifyBaseLogger, 'error'>;
};

/** Reads a member's wallet in one snapshot. @throws {Refusal} NO_WALLET */
export function walletReader({
  database,
  log,
  clock,
  ...modules
}: WalletDeps): (memberId: string, language: Language) => Promise<WireWallet> {
  const readFields = snapshotReader('wallet', {
    suspended,
    holdings: memberAccounts,
    withdrawal: heldWithdrawal,
    gate: memberLockVersion,
    profile: modules.account.profileField,
    coins: modules.spinwheel.coins,
    slots: modules.game.listGames,
    invite: modules.invite.earningsField,
  });
  return async (memberId, language) => {
    const snapshot = await readFields(database, memberId);
    if (snapshot.suspended) throw noWalletRefusal();
    const { balances, lastEvent } = snapshot.holdings;
    const freeByKind = new Map<string, Minor>(balances.map((balance) => [balance.kind, balance.free]));
    const { hasConditions } = snapshot.gate;
    const [account, slots, invite, conditions] = await Promise.all([
      snapshot.profile(),
      snapshot.slots(freeByKind, language),
      figureOrFallback(log, snapshot.invite(), NO_INVITE_MONEY),
      hasConditions ? modules.incentive.storedProgress(memberId, language) : [],
    ]);
    return {
      profile: {
        ...account.profile,
        coin: await figureOrFallback(log, snapshot.coins(toSpinMember(memberId, account)), 0),
      },
      bankAccount: account.bankAccount,
      wallet: { amount: toWire(freeByKind.get('WALLET') ?? ZERO), inTransit: toWire(heldTotal(balances)) },
      withdrawable: hasConditions ? 0 : withdrawableAmount(freeByKind, slots),
      conditions,
      invite,
      slots,
      withdrawal: snapshot.withdrawal,
      eventSequence: String(lastEvent),
      updatedAt: clock.now().toISOString(),
    };
  };
}

/** Withdrawable amount: the wallet, and games whose money can be moved to it now. */
function withdrawableAmount(freeByKind: ReadonlyMap<string, Minor>, slots: WireWallet['slots']): number {
  const withdrawableKinds = [
    'WALLET',
    ...slots.filter(({ canMoveOut }) => canMoveOut).map(({ code }) => gameLedgerKind(code)),
  ];
  return toWire(withdrawableKinds.reduce((total, kind) => total + (freeByKind.get(kind) ?? 0n), 0n));
}

const NO_INVITE_MONEY = { amount: 0, success: 0, fail: 0 };

const toSpinMember = (id: string, { profile }: { profile: Pick<WireWallet['profile'], 'currency'> }) => ({
  id,
  currency: profile.currency,
});

// Returns the fallback if a figure fails: an invalid setting of one programme must not hide the wallet.
async function figureOrFallback<T>(log: WalletDeps['log'], figure: Promise<T>, fallback: T): Promise<T> {
  try {
    return await figure;
  } catch (error) {
    log.error({ err: error }, 'wallet sent without one of its figures');
    return fallback;
  }
}

// Money in transit: held for a transfer to or from a game, or for a payout.
const heldTotal = (balances: readonly AccountBalance[]): Minor =>
  minor(balances.reduce((sum, { held }) => sum + held, 0n));
