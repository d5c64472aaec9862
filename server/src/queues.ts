import { chatQueue } from './modules/chat/module.ts';
import { arrivalQueue } from './modules/deposit/bank-transfer/module.ts';
import { qrcodeQueue } from './modules/deposit/qrcode/module.ts';
import { slipQueue } from './modules/deposit/slip/module.ts';
import { giftQueue } from './modules/deposit/truelink/module.ts';
import { incentiveQueue } from './modules/incentive/module.ts';
import { transferQueue } from './modules/transfer/module.ts';
import { withdrawQueue } from './modules/withdraw/module.ts';
import type { QueueSource } from './settlement/queues.ts';

/** Everything in which money or a customer can wait. */
export const queues: readonly QueueSource[] = [
  transferQueue,
  withdrawQueue,
  qrcodeQueue,
  arrivalQueue,
  slipQueue,
  giftQueue,
  incentiveQueue,
  chatQueue,
];
