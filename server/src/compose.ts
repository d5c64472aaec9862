import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { Server } from 'socket.io';
import {
  type AccountModule,
  accountModule,
  findActiveMember,
  namesOf,
  type Welcome,
} from './modules/account/module.ts';
import { arrivalModule } from './modules/arrival/module.ts';
import { lookupModule, type OperatorData, seedOnce } from './modules/lookup/module.ts';
import { otpModule } from './modules/otp/module.ts';
import type { Outside } from './outside.ts';
import type { Clock } from './platform/clock.ts';
import type { GameTab, Variant } from './platform/config.ts';
import type { Database } from './platform/database/database.ts';
import { gameProviders } from './counterparties/game/providers.ts';
import { signedBackend } from './counterparties/chat-backend/signed-backend.ts';
import { openFeeds } from './counterparties/feed/feeds.ts';
import { openGateways } from './counterparties/gateway/gateways.ts';
import { createLedger, type Ledger, standing } from './ledger/module.ts';
import { chatModule } from './modules/chat/module.ts';
import { depositModule } from './modules/deposit/module.ts';
import { eventModule } from './modules/event/module.ts';
import { gameModule } from './modules/game/module.ts';
import { type IncentiveModule, incentiveModule } from './modules/incentive/module.ts';
import { bonusModule } from './modules/bonus/module.ts';
import { findInviter, inviteModule, linkInviter } from './modules/invite/module.ts';
import { refundModule } from './modules/refund/module.ts';
import { slipModule } from './modules/slip/module.ts';
import { sealedSample, spinwheelModule } from './modules/spinwheel/module.ts';
import { statementModule } from './modules/statement/module.ts';
import { transferModule } from './modules/transfer/module.ts';
import { truelinkModule } from './modules/truelink/module.ts';
import { walletModule } from './modules/wallet/module.ts';
import { heldWithdrawal, type WithdrawModule, withdrawModule } from './modules/withdraw/module.ts';
import { assertEncryptionKey } from './platform/crypto/encryption-check.ts';
import { startJob } from './platform/jobs/job.ts';
import type { ObjectStorage } from './platform/storage/port.ts';
import { openRooms } from './platform/socket/rooms.ts';
import type { RateLimits } from './platform/http/limits/rate-limit.ts';
import { Unavailable } from './platform/unavailable.ts';
import type { SecretBox } from './platform/crypto/secret-box.ts';
import { bankPayout } from './counterparties/payout/bank-payout.ts';
import { bankSlipLookup } from './counterparties/slip-lookup/bank.ts';
import { giftRedeemer } from './counterparties/wallet-app/gift-redeemer.ts';
import { bulkSms } from './counterparties/sms/bulk-sms.ts';

/** What the platform has for the modules. */
export type Platform = {
  http: FastifyInstance;
  sockets: Server;
  database: Database;
  databaseUrl: string;
  clock: Clock;
  limits: RateLimits;
  secretBox: SecretBox;
  outside: Outside;
  /** Where files of members are kept. */
  storage: ObjectStorage;
  variant: Variant;
  /** Least deposit at the gateway FP in whole baht, instead of the operator's. */
  fpMinimum: number | undefined;
  metrics: Registry;
  /** Whether games open in a new tab or in the same one. */
  gameTab: GameTab;
  /** Which variant of the providers' sites browsers open. */
  gameSite: string | undefined;
  /** What the app encrypts gift links with; public by design. */
  truelinkSecret: string;
};

const SWEEP_EVERY_MS = 60 * 60_000;

/** What most modules need, put together once. */
type Base = Pick<Platform, 'database' | 'clock' | 'secretBox' | 'metrics'> & {
  app: FastifyInstance;
  log: FastifyInstance['log'];
  rateLimits: RateLimits;
  ledger: Ledger;
  account: AccountModule;
  operatorData: () => Promise<OperatorData>;
  /** Throws NO_WALLET when the member's money may not move. */
  assertWalletOpen: (memberId: string) => Promise<void>;
};
type Running = { start?(): void; stop(): Promise<void> };

/**
 * Makes every module and gives each what it needs of the others, in the order of the declared table; then starts what
 * runs by itself.
 * @returns stops it, last made first
 */
export async function composeModules(platform: Platform): Promise<() => Promise<void>> {
  const { http: app, database, clock, limits: rateLimits, secretBox, metrics, outside } = platform;
  await assertEncryptionKey(database, secretBox, () => sealedSample(database));
  const { operatorData, account, sweeper } = await openMembers(
    platform,
    async (memberId) => (await ledger.lastEvent(memberId)) > 0n,
  );
  const onTrouble = (error: Error): void => {
    if (error instanceof Unavailable) app.log.warn({ reason: error.message }, 'the ledger had to repeat itself');
    else app.log.error({ err: error }, 'the ledger had to repeat itself');
  };
  const ledger = createLedger({ url: platform.databaseUrl, database, currency: 'BAHT', onTrouble });
  // Made below: many ask the wallet whether money may move, and the wallet shows what nearly all of them know.
  const assertWalletOpen = (memberId: string): Promise<void> => wallet.assertOpen(memberId);
  const made = { database, clock, secretBox, metrics, app, log: app.log, rateLimits, ledger, account, operatorData };
  const base: Base = { ...made, assertWalletOpen };
  // The statement tells of withdrawals, and of what was given.
  const withdrawOutcomes: WithdrawModule['outcomesOf'] = (memberId, references) =>
    withdraw.outcomesOf(memberId, references);
  const describe: IncentiveModule['describe'] = (memberId, references) => incentive.describe(memberId, references);
  statementModule(app, { ledger, withdrawOutcomes, describe, variant: platform.variant });
  const talking = openTalking(base, platform);
  const waysIn = openWaysIn(base, platform);
  const providers = gameProviders(outside.games, platform.gameSite, clock);
  const { publicUrl } = outside;
  const access = { database, ledger, providers, secretBox, publicUrl, assertWalletOpen };
  const { variant } = platform;
  const game = await gameModule({ app, clock, variant, seedOnce, ...access });
  const transfer = transferModule({ ...base, providers, game });
  const isWithdrawing: WithdrawModule['isUnderWay'] = (on, memberId) => withdraw.isUnderWay(on, memberId);
  const incentive = incentiveModule({ database, ledger, clock, game, transfer, isWithdrawing, log: app.log, metrics });
  const withdraw = withdrawModule({
    ...base,
    payout: bankPayout(outside.bank, clock),
    transfer,
    limits: async (currency) => (await operatorData()).setting('withdraw')[currency],
    bankAccountOf: (memberId) => account.bankAccountOf(database, memberId),
    conditions: [({ id }) => account.renameCooldown(id), (member) => incentive.withdrawCondition(member)],
    incentive,
  });
  const bonus = await bonusModule({ ...base, variant, incentive, seedOnce });
  const spinwheel = await spinwheelModule({ ...base, variant, incentive, bonus });
  refundModule({ ...base, variant, incentive });
  const invite = inviteModule({
    ...base,
    variant,
    incentive,
    turnoversOf: (on, ids) => game.turnoversOf(on, ids),
    namesOf,
  });
  const wallet = walletModule({
    ...base,
    parts: {
      standing,
      profile: account.picture,
      coins: spinwheel.coins,
      slots: game.list,
      invite: invite.earnings,
      withdrawal: heldWithdrawal,
    },
  });
  const books: Running = { stop: () => ledger.close() };
  const running: Running[] = [sweeper, books, ...talking, ...waysIn, transfer, withdraw, incentive, invite];
  for (const module of running) module.start?.();
  return async () => {
    for (const module of running.toReversed()) await module.stop();
  };
}

/** Who the members are, and what the operator has set. */
async function openMembers(
  platform: Platform,
  hasMoved: (memberId: string) => Promise<boolean>,
): Promise<{
  operatorData: () => Promise<OperatorData>;
  account: AccountModule;
  sweeper: Running;
}> {
  const { http: app, database, clock, limits: rateLimits, variant, outside, gameTab, truelinkSecret } = platform;
  const minimums = platform.fpMinimum === undefined ? {} : { FP: BigInt(platform.fpMinimum) * 100n };
  const { publicUrl } = outside;
  const settings = { variant, publicUrl, gameTab, truelinkSecret, minimums };
  const { operatorData } = await lookupModule({ app, database, clock, ...settings });
  const sms = bulkSms(outside.sms);
  const otp = otpModule({ app, database, clock, rateLimits, variant, operatorData, sms });
  const welcome: Welcome = (tx, member) => linkInviter(tx, member, findActiveMember);
  const hasInviter = async (code: string): Promise<boolean> =>
    (await findInviter(database, code, findActiveMember)) !== undefined;
  const base = { app, database, clock, rateLimits, variant, operatorData };
  const account = accountModule({ ...base, otp, hasMoved, welcome, hasInviter });
  const sweeper = startJob({
    name: 'sweep codes and sessions',
    everyMs: SWEEP_EVERY_MS,
    run: () => Promise.all([otp.sweep(), account.sweep()]),
    log: app.log,
  });
  return { operatorData, account, sweeper };
}

/** What speaks to open apps: the line and its rooms, events of the member's money, the chat. */
function openTalking(base: Base, { sockets, storage, outside, clock }: Platform): Running[] {
  const { app, account, ledger, log } = base;
  const { tellAddresses } = app;
  const rooms = openRooms({ sockets, authenticate: account.authenticate, tellAddresses, log });
  const event = eventModule({ rooms, ledger, log });
  const backend = outside.chatBackend && signedBackend(outside.chatBackend, clock);
  const chat = chatModule(app, { ...base, rooms, storage, publicUrl: outside.publicUrl, backend });
  return [rooms, event, chat];
}

/** Every way to put money in: codes of gateways, transfers to accounts of ours, gift links, slips. */
function openWaysIn(base: Base, { outside, clock, storage, truelinkSecret }: Platform): Running[] {
  const { app, account, database, operatorData } = base;
  const deposit = depositModule(app, {
    ...base,
    gateways: openGateways(outside, clock),
    offered: async () => (await operatorData()).depositAccounts,
    payerOf: (memberId) => account.bankAccountOf(database, memberId),
  });
  const wakeQrcode = (reference: string): Promise<boolean> => deposit.wakeQrcode(reference);
  const arrival = arrivalModule(app, { ...base, ...openFeeds(outside, clock), wakeQrcode });
  const truelink = truelinkModule(app, {
    ...base,
    redeemer: outside.walletApp && giftRedeemer(outside.walletApp),
    secret: truelinkSecret,
  });
  const lookup = bankSlipLookup(outside.bank, clock);
  const { publicUrl } = outside;
  const slip = slipModule(app, { ...base, storage, arrival, lookup, wakeQrcode, publicUrl });
  return [deposit, arrival, truelink, slip];
}
