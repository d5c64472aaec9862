import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { Server } from 'socket.io';
import { accountModule } from './modules/account/module.ts';
import { arrivalModule } from './modules/arrival/module.ts';
import { lookupModule, seedOnce } from './modules/lookup/module.ts';
import { otpModule } from './modules/otp/module.ts';
import type { Outside } from './outside.ts';
import type { Clock } from './platform/clock.ts';
import type { Variant } from './platform/config.ts';
import type { Database } from './platform/database.ts';
import { gameProviders } from './providers/game/providers.ts';
import { openFeeds } from './providers/feed/feeds.ts';
import { openGateways } from './providers/gateway/gateways.ts';
import { createLedger } from './ledger/module.ts';
import { depositModule } from './modules/deposit/module.ts';
import { eventModule } from './modules/event/module.ts';
import { gameModule } from './modules/game/module.ts';
import { slipModule } from './modules/slip/module.ts';
import { statementModule } from './modules/statement/module.ts';
import { transferModule } from './modules/transfer/module.ts';
import { truelinkModule } from './modules/truelink/module.ts';
import { walletModule } from './modules/wallet/module.ts';
import { type WithdrawModule, withdrawModule } from './modules/withdraw/module.ts';
import { startJob } from './platform/job.ts';
import type { ObjectStorage } from './platform/object-storage/port.ts';
import type { RateLimits } from './platform/rate-limit.ts';
import type { SecretBox } from './platform/secret-box.ts';
import { bankPayout } from './providers/payout/bank-payout.ts';
import { bankSlipLookup } from './providers/slip-lookup/bank.ts';
import { giftRedeemer } from './providers/wallet-app/gift-redeemer.ts';
import { bulkSms } from './providers/sms/bulk-sms.ts';

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
  /** What the app encrypts gift links with; public by design. */
  truelinkSecret: string;
};

const SWEEP_EVERY_MS = 60 * 60_000;

/**
 * Makes every module and gives each what it needs of the others, in the order of the declared table.
 * @returns stops what runs by itself, last made first
 */
export async function composeModules(platform: Platform): Promise<() => Promise<void>> {
  const running: { stop(): Promise<void> }[] = [];
  const { http: app, database, clock, limits: rateLimits, variant, outside } = platform;
  const minimums = platform.fpMinimum === undefined ? {} : { FP: BigInt(platform.fpMinimum) * 100n };
  const { operatorData } = await lookupModule({
    app,
    database,
    clock,
    variant,
    publicUrl: outside.publicUrl,
    minimums,
  });
  const sms = bulkSms(outside.sms);
  const otp = otpModule({ app, database, clock, rateLimits, variant, operatorData, sms });
  const account = accountModule({ app, database, clock, rateLimits, variant, operatorData, otp });
  running.push(
    startJob({
      name: 'sweep codes and sessions',
      everyMs: SWEEP_EVERY_MS,
      run: () => Promise.all([otp.sweep(), account.sweep()]),
      log: app.log,
    }),
  );
  const onTrouble = (error: Error): void => app.log.error({ err: error }, 'the ledger had to repeat itself');
  const ledger = createLedger({ url: platform.databaseUrl, database, currency: 'BAHT', onTrouble });
  running.push({ stop: () => ledger.close() });
  // Made below, of everything else: the statement and the wallet tell of withdrawals.
  const withdrawOutcomes: WithdrawModule['outcomesOf'] = (memberId, references) =>
    withdraw.outcomesOf(memberId, references);
  statementModule(app, { ledger, withdrawOutcomes });
  running.push(eventModule({ sockets: platform.sockets, ledger, authenticate: account.authenticate, log: app.log }));
  const deposit = depositModule(app, {
    metrics: platform.metrics,
    database,
    ledger,
    clock,
    gateways: openGateways(outside, clock),
    offered: async () => (await operatorData()).depositAccounts,
    payerOf: (memberId) => account.bankAccountOf(database, memberId),
    log: app.log,
  });
  deposit.start();
  running.push(deposit);
  const arrival = arrivalModule(app, {
    ...openFeeds(outside, clock),
    metrics: platform.metrics,
    rateLimits,
    // Made below: the wallet shows what is being withdrawn, which needs the way in first.
    assertWalletOpen: (memberId) => wallet.assertOpen(memberId),
    database,
    ledger,
    clock,
    account,
    operatorData,
    log: app.log,
    wakeQrcode: (reference) => deposit.wakeQrcode(reference),
  });
  arrival.start();
  running.push(arrival);
  const truelink = truelinkModule(app, {
    metrics: platform.metrics,
    database,
    ledger,
    clock,
    secretBox: platform.secretBox,
    rateLimits,
    operatorData,
    redeemer: outside.walletApp && giftRedeemer(outside.walletApp),
    secret: platform.truelinkSecret,
    assertWalletOpen: (memberId) => wallet.assertOpen(memberId),
    log: app.log,
  });
  truelink.start();
  running.push(truelink);
  const wallet = walletModule({
    app,
    database,
    ledger,
    clock,
    profileOf: (memberId) => account.profileOf(memberId),
    // Made below: games ask the wallet whether money may move, and the wallet shows the games.
    slotsOf: (memberId, free) => game.list(memberId, free),
    withdrawalOf: (memberId) => withdraw.pendingOf(memberId),
  });
  const providers = gameProviders(outside.games);
  const assertWalletOpen = (memberId: string): Promise<void> => wallet.assertOpen(memberId);
  const { secretBox, metrics } = platform;
  const { publicUrl } = outside;
  const access = { database, ledger, providers, secretBox, publicUrl, assertWalletOpen };
  const game = await gameModule({ app, clock, seedOnce, ...access });
  const transfer = transferModule({
    app,
    metrics,
    database,
    ledger,
    clock,
    providers,
    game,
    assertWalletOpen,
    log: app.log,
  });
  transfer.start();
  running.push(transfer);
  const slip = slipModule(app, {
    metrics,
    database,
    storage: platform.storage,
    clock,
    rateLimits,
    secretBox,
    operatorData,
    account,
    arrival,
    lookup: bankSlipLookup(outside.bank, clock),
    assertWalletOpen,
    wakeQrcode: (reference) => deposit.wakeQrcode(reference),
    publicUrl,
    log: app.log,
  });
  slip.start();
  running.push(slip);
  const withdraw = withdrawModule({
    app,
    metrics,
    database,
    ledger,
    clock,
    payout: bankPayout(outside.bank, clock),
    transfer,
    limits: async () => (await operatorData()).setting('withdraw'),
    bankAccountOf: (memberId) => account.bankAccountOf(database, memberId),
    assertWalletOpen,
    conditions: [],
    log: app.log,
  });
  withdraw.start();
  running.push(withdraw);
  return async () => {
    for (const module of running.toReversed()) await module.stop();
  };
}
