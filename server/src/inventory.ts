import { configGuard as memberGuard } from './modules/account/index.ts';
import { configSubjects as offerFamily, depositBonusQueue } from './modules/bonus/index.ts';
import { chatQueue } from './modules/chat/index.ts';
import type { ConfigInventory } from './modules/config/index.ts';
import { arrivalQueue, feedWork } from './modules/deposit/bank-transfer/index.ts';
import { gatewayNeeds, qrcodeQueue } from './modules/deposit/qrcode/index.ts';
import { slipQueue } from './modules/deposit/slip/index.ts';
import { giftQueue, sealedGifts, walletAppNeeds } from './modules/deposit/truelink/index.ts';
import { configSubjects as gameSubjects, providerNeeds, sealedPasswords } from './modules/game/index.ts';
import { incentiveQueue } from './modules/incentive/index.ts';
import { configSubjects as inviteSubjects } from './modules/invite/index.ts';
import { pushQueue, smsQueue } from './modules/notification/index.ts';
import { configSubjects as operatorSubjects, smsNeeds } from './modules/operator-data/index.ts';
import { configSubjects as refundSubjects } from './modules/refund/index.ts';
import { configGuard as prizeGuard, configSubjects as wheelSubjects, sealedSeeds } from './modules/spinwheel/index.ts';
import { exportQueue } from './modules/statement/index.ts';
import { transferQueue } from './modules/transfer/index.ts';
import { withdrawQueue } from './modules/withdraw/index.ts';
import type { SealedColumn } from './platform/crypto/reencrypt.ts';
import type { WorkTable } from './platform/jobs/failed-work.ts';
import type { QueueSource } from './platform/jobs/queues.ts';
import type { PartyNeedSource } from './platform/party-needs.ts';

/** All queues in which money or a customer can wait. */
export const queues: readonly QueueSource[] = [
  transferQueue,
  withdrawQueue,
  qrcodeQueue,
  arrivalQueue,
  slipQueue,
  giftQueue,
  incentiveQueue,
  depositBonusQueue,
  chatQueue,
  exportQueue,
  pushQueue,
  smsQueue,
];

/** Every table whose rows processes lease. */
export const leasedTables: readonly WorkTable[] = [...queues.flatMap(({ work }) => work), feedWork];

/** Every column that is encrypted at rest. */
export const sealedColumns: readonly SealedColumn[] = [...sealedPasswords, sealedGifts, sealedSeeds];

/** Everything that operators configure. */
export const configInventory: ConfigInventory = {
  subjects: [...operatorSubjects, ...gameSubjects, ...refundSubjects, ...inviteSubjects, ...wheelSubjects],
  families: [offerFamily],
  guards: [memberGuard, prizeGuard],
};

/** What needs entries of the outside file. */
export const partyNeeds: readonly PartyNeedSource[] = [smsNeeds, gatewayNeeds, walletAppNeeds, providerNeeds];
