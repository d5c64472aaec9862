import type { KeyObject } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import type { Server } from 'socket.io';
import { signedBackend } from './adapters/chat-backend.ts';
import { openFeeds } from './adapters/feed/index.ts';
import { gameProviders } from './adapters/game/index.ts';
import { openGateways } from './adapters/gateway/index.ts';
import { giftRedeemer } from './adapters/gift-redeemer.ts';
import { bankPayout } from './adapters/payout.ts';
import { webPush } from './adapters/push.ts';
import { bankSlipLookup } from './adapters/slip-lookup.ts';
import { bulkSms, type SmsSender } from './adapters/sms.ts';
import { assertNeedsMet } from './go-live.ts';
import { createLedger, type Ledger } from './ledger/index.ts';
import { type AccountModule, accountModule } from './modules/account/index.ts';
import { type BonusModule, bonusModule } from './modules/bonus/index.ts';
import { chatModule } from './modules/chat/index.ts';
import { adviceModule } from './modules/deposit/advice/index.ts';
import { bankTransferModule } from './modules/deposit/bank-transfer/index.ts';
import { qrcodeModule } from './modules/deposit/qrcode/index.ts';
import { slipModule } from './modules/deposit/slip/index.ts';
import { truelinkModule } from './modules/deposit/truelink/index.ts';
import { eventModule } from './modules/event/index.ts';
import { gameModule } from './modules/game/index.ts';
import { incentiveModule } from './modules/incentive/index.ts';
import { inviteModule } from './modules/invite/index.ts';
import { notificationModule } from './modules/notification/index.ts';
import { type OperatorDataModule, operatorDataModule } from './modules/operator-data/index.ts';
import { otpModule } from './modules/otp/index.ts';
import { refundModule } from './modules/refund/index.ts';
import { sealedSample, spinwheelModule } from './modules/spinwheel/index.ts';
import { statementModule } from './modules/statement/index.ts';
import { type TimelineModule, timelineModule } from './modules/timeline/index.ts';
import { transferModule } from './modules/transfer/index.ts';
import { walletModule } from './modules/wallet/index.ts';
import { withdrawModule } from './modules/withdraw/index.ts';
import type { Outside } from './outside-config.ts';
import { partiesOf } from './outside-parties.ts';
import type { GameTab, Variant } from './platform/config.ts';
import { assertEncryptionKey } from './platform/crypto/encryption.ts';
import type { SecretBox } from './platform/crypto/secret-box.ts';
import type { SessionTokens } from './platform/crypto/session-tokens.ts';
import type { Database } from './platform/database/database.ts';
import { openStandby, type StandbyReads } from './platform/database/standby.ts';
import { Unavailable } from './platform/errors.ts';
import type { RateLimits } from './platform/http/rate-limit.ts';
import { addressRewriterOf } from './platform/http/requested-host.ts';
import { startPeriodicJob } from './platform/jobs/job.ts';
import { openRooms } from './platform/socket/rooms.ts';
import type { ObjectStorage } from './platform/storage/port.ts';
import type { Clock } from './platform/time.ts';

/** What the platform provides to the modules. */
export type Platform = {
  http: FastifyInstance;
  sockets: Server;
  database: Database;
  databaseUrl: string;
  /** A standby for reads that may be seconds old, if there is one, and its maximum of connections. */
  standby: { url: string | undefined; size: number };
  clock: Clock;
  limits: RateLimits;
  secretBox: SecretBox;
  tokens: SessionTokens;
  outside: Outside;
  /** Storage for files of members. */
  storage: ObjectStorage;
  variant: Variant;
  /** Minimum deposit at the gateway FP in whole baht; overrides the operator's table. */
  fpMinimum: number | undefined;
  metrics: Registry;
  /** Whether games open in a new tab or in the same one. */
  gameTab: GameTab;
  /** Variant of the providers' sites that browsers open. */
  gameSite: string | undefined;
  /** Secret with which the app encrypts gift links; public by design. */
  truelinkSecret: string;
  /** Signs push messages. Undefined: none are sent. */
  pushKey: KeyObject | undefined;
};

const SWEEP_EVERY_MS = 60 * 60_000;

/** Platform fields and the ledger that most modules need. Other modules are passed by name. */
type ModuleDeps = Pick<Platform, 'database' | 'clock' | 'secretBox' | 'metrics' | 'variant'> & {
  app: FastifyInstance;
  log: FastifyInstance['log'];
  rateLimits: RateLimits;
  ledger: Ledger;
};
/** The modules that nearly all others need. */
type MemberModules = { operatorData: OperatorDataModule; account: AccountModule };
type RunningModule = { start?(): void; stop(): Promise<void> };

/**
 * Creates every module after the modules it needs (`.dependency-cruiser.cjs` lists them), then starts the background
 * jobs.
 * @returns a function that stops the jobs, in reverse order
 */
export async function composeModules(platform: Platform): Promise<() => Promise<void>> {
  const { http: app, database, clock, limits: rateLimits, secretBox, metrics, variant, outside } = platform;
  await assertEncryptionKey(database, secretBox, () => sealedSample(database));
  const onLedgerError = (error: Error): void => {
    // A batch has commands of several requests.
    const fields = { reqId: undefined };
    if (error instanceof Unavailable)
      app.log.warn({ ...fields, reason: error.message }, 'ledger repeats a read or batch, database unavailable');
    else app.log.error({ ...fields, err: error }, 'ledger repeats after an unexpected error');
  };
  const ledger = createLedger({ url: platform.databaseUrl, database, currency: 'BAHT', onTrouble: onLedgerError });
  const base: ModuleDeps = { database, clock, secretBox, metrics, variant, app, log: app.log, rateLimits, ledger };
  const sms = outside.sms && bulkSms(outside.sms);
  const { operatorData, account, sweeper } = await openMembers(base, { ...platform, sms });
  await assertNeedsMet(database, outside);
  const { readOperatorData } = operatorData;
  const memberModules = { operatorData, account };
  const timeline = timelineModule(base);
  const eventModules = openEventModules(base, platform, { ...memberModules, timeline });
  const providers = gameProviders(outside.games, platform.gameSite, clock);
  const { publicUrl } = outside;
  const game = await gameModule({ ...base, providers, publicUrl, account, readOperatorData });
  const transfer = transferModule({ ...base, providers, account, game });
  const incentive = incentiveModule({ ...base, game, transfer });
  const payout = bankPayout(outside.bank, clock);
  const withdraw = withdrawModule({ ...base, payout, incentive, readOperatorData, transfer });
  const bonus = await bonusModule({ ...base, account, incentive, readOperatorData });
  const depositModules = openDepositModules(base, platform, { ...memberModules, bonusChoice: bonus.choice });
  const spinwheel = await spinwheelModule({ ...base, account, bonus, incentive, readOperatorData });
  refundModule({ ...base, account, incentive, readOperatorData });
  const invite = inviteModule({ ...base, account, game, incentive, readOperatorData });
  walletModule({ ...base, account, game, incentive, invite, spinwheel });
  const standby = openStandbyReads(base, platform);
  const statement = statementModule(app, { ...base, publicUrl, game, incentive, withdraw, standby });
  const push = platform.pushKey && webPush(platform.pushKey, { contact: publicUrl, clock, settings: outside.push });
  const notification = notificationModule({ ...base, push, sms, readOperatorData });
  const advice = adviceModule(app, { ...base, readOperatorData, standby });
  const ledgerRunner: RunningModule = { stop: () => ledger.close() };
  const runningModules: RunningModule[] = [
    sweeper,
    ledgerRunner,
    standby,
    ...eventModules,
    ...depositModules,
    advice,
    transfer,
    withdraw,
    incentive,
    bonus,
    invite,
    statement,
    notification,
  ];
  for (const module of runningModules) module.start?.();
  return async () => {
    for (const module of runningModules.toReversed()) await module.stop();
  };
}

/** Opens reads that may be seconds old. Each ledger batch of any process reports the members whose money has moved. */
function openStandbyReads(
  { database: primary, ledger, metrics, log }: ModuleDeps,
  { standby }: Platform,
): StandbyReads {
  const standbyReads = openStandby({ ...standby, primary, metrics, log });
  if (standby.url !== undefined) ledger.onBatch((events) => standbyReads.touch(events.map(({ memberId }) => memberId)));
  return standbyReads;
}

/** Opens the modules of operator data and of members. */
async function openMembers(
  base: ModuleDeps,
  { outside, clock, gameTab, truelinkSecret, fpMinimum, tokens, sms }: Platform & { sms: SmsSender | undefined },
): Promise<MemberModules & { sweeper: RunningModule }> {
  const parties = partiesOf(outside, clock);
  const minimums = fpMinimum === undefined ? {} : { FP: BigInt(fpMinimum) * 100n };
  const { publicUrl } = outside;
  const operatorData = await operatorDataModule({ ...base, publicUrl, gameTab, truelinkSecret, minimums, parties });
  const { readOperatorData } = operatorData;
  const otp = otpModule({ ...base, readOperatorData, sms });
  const account = accountModule({ ...base, tokens, readOperatorData, otp });
  const sweeper = startPeriodicJob({
    name: 'sweep codes and sessions',
    everyMs: SWEEP_EVERY_MS,
    run: () => Promise.all([otp.sweep(), account.sweep()]),
    log: base.log,
  });
  return { operatorData, account, sweeper };
}

/** Opens the modules that push to apps: socket rooms, money events, chat. */
function openEventModules(
  base: ModuleDeps,
  { sockets, storage, outside, clock }: Platform,
  { operatorData, account, timeline }: MemberModules & { timeline: TimelineModule },
): RunningModule[] {
  const { app, ledger, log } = base;
  const rooms = openRooms({
    sockets,
    authenticate: account.authenticate,
    addressRewriterOf: (claim) => addressRewriterOf(app, claim),
    log,
  });
  const event = eventModule({ rooms, ledger, log });
  const backend = outside.chatBackend && signedBackend(outside.chatBackend, clock);
  const { readOperatorData } = operatorData;
  const { publicUrl } = outside;
  const { findMovement } = timeline;
  const chat = chatModule(app, {
    ...base,
    rooms,
    storage,
    publicUrl,
    backend,
    account,
    readOperatorData,
    findMovement,
  });
  return [rooms, event, chat];
}

/** Opens all deposit methods: gateway codes, transfers to the operator's accounts, gift links, slips. */
function openDepositModules(
  base: ModuleDeps,
  { outside, clock, storage, truelinkSecret: secret }: Platform,
  { operatorData, account, bonusChoice }: MemberModules & { bonusChoice: BonusModule['choice'] },
): RunningModule[] {
  const { app } = base;
  const { readOperatorData } = operatorData;
  const gateways = openGateways(outside, clock);
  const qrcode = qrcodeModule(app, { ...base, gateways, account, bonusChoice, readOperatorData });
  const bankTransfer = bankTransferModule(app, {
    ...base,
    ...openFeeds(outside, clock),
    account,
    bonusChoice,
    qrcode,
    readOperatorData,
  });
  const redeemer = outside.walletApp && giftRedeemer(outside.walletApp);
  const truelink = truelinkModule(app, { ...base, redeemer, secret, account, bonusChoice, readOperatorData });
  const bank = bankSlipLookup(outside.bank, clock);
  const { publicUrl } = outside;
  const slip = slipModule(app, {
    ...base,
    storage,
    bank,
    publicUrl,
    account,
    bonusChoice,
    bankTransfer,
    qrcode,
    readOperatorData,
  });
  return [qrcode, bankTransfer, truelink, slip];
}
