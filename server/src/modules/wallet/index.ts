import type { FastifyInstance, FastifyBaseLogger } from 'fastify';
import { getWallet } from '@krapao/contract/endpoints/wallet';
import type { Variant } from '@krapao/contract/rules';
import type { z } from 'zod';
import type { Clock } from '../../platform/time.ts';
import type { Database } from '../../platform/database/database.ts';
import { type AccountModule, noWallet, suspended } from '../account/index.ts';
import { type GameModule, gameLedgerKind } from '../game/index.ts';
import { type IncentiveModule, memberLockVersion } from '../incentive/index.ts';
import type { InviteModule } from '../invite/index.ts';
import type { SpinwheelModule } from '../spinwheel/index.ts';
import { type RewriteAddress, createAddressRewriter } from '../../platform/http/requested-host.ts';
import { requestLanguage } from '../../platform/http/caller.ts';
import { route } from '../../platform/http/route.ts';
import type { Language } from '@krapao/contract/languages';
import { type Minor, minor, toWire, ZERO } from '@krapao/contract/money';
import { type AccountBalance, memberAccounts } from '../../ledger/index.ts';
import { snapshotReader } from '../../platform/database/batched-reads.ts';
import { heldWithdrawal } from '../withdraw/index.ts';

/** The picture of everything that a member has. */
export function walletModule({ app, ...deps }: WalletDeps & { app: FastifyInstance }): void {
  walletRoutes(app, deps);
}

/** The whole picture of a member, as the wire says it. */
export type WireWallet = z.input<(typeof getWallet.reply)[200]>;

/** The wallet is a picture of what these modules know, read in one statement. */
export type WalletDeps = {
  database: Database;
  account: Pick<AccountModule, 'picture'>;
  spinwheel: Pick<SpinwheelModule, 'coins'>;
  game: Pick<GameModule, 'list'>;
  invite: Pick<InviteModule, 'earnings'>;
  incentive: Pick<IncentiveModule, 'storedProgress'>;
  variant: Variant;
  clock: Clock;
  log: Pick<FastifyBaseLogger, 'error'>;
};

/** Registers the call that shows what a member has. */
export function walletRoutes(app: FastifyInstance, deps: WalletDeps): void {
  const readWallet = walletReader(deps);
  route(app, getWallet, async ({ member, request }) => {
    const { slots, ...picture } = await readWallet(member.id, requestLanguage(request.headers.cookie, deps.variant));
    return {
      status: 200,
      body: { ...picture, slots: slots.map((slot) => withRewrittenLinks(slot, createAddressRewriter(request))) },
    };
  });
}

type Slot = WireWallet['slots'][number];

/** A game with links that the caller can open. */
function withRewrittenLinks({ web, android, ios, ...slot }: Slot, rewriteAddress: RewriteAddress): Slot {
  const here = (link: string | null): string | null => link && rewriteAddress(link);
  return { ...slot, web: here(web), android: here(android), ios: here(ios) };
}

/** Reads everything that a member has, as it stands at one moment. Throws NO_WALLET. */
export function walletReader({
  database,
  log,
  clock,
  ...modules
}: WalletDeps): (memberId: string, language: Language) => Promise<WireWallet> {
  const read = snapshotReader('wallet', {
    suspended,
    holdings: memberAccounts,
    withdrawal: heldWithdrawal,
    gate: memberLockVersion,
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
function withdrawable(free: ReadonlyMap<string, Minor>, slots: WireWallet['slots']): number {
  const kinds = ['WALLET', ...slots.filter(({ canMoveOut }) => canMoveOut).map(({ code }) => gameLedgerKind(code))];
  return toWire(kinds.reduce((sum, kind) => sum + (free.get(kind) ?? 0n), 0n));
}

const NO_INVITE_MONEY = { amount: 0, success: 0, fail: 0 };

const turner = (id: string, { profile }: { profile: Pick<WireWallet['profile'], 'currency'> }) => ({
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
