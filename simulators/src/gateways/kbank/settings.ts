import { z } from 'zod';
import { billerId } from '../definition.ts';

/** Settings of the simulated gateway: section `kbank` of the outside file. */
export const kbankSettings = z.object({
  partnerId: z.string().min(1),
  partnerSecret: z.string().min(1),
  merchantId: z.string().min(1),
  terminalId: z.string().min(1),
  billerId,
  callbackUrl: z.url(),
  callbackRetryMs: z.int().positive().default(12_000),
});
export type KbankSettings = z.output<typeof kbankSettings>;
