import { z } from 'zod';
import { billerId } from '../definition.ts';

/** Settings of the simulated gateway: section `ww` of the outside file. */
export const wwSettings = z.object({
  merchantId: z.string().min(1),
  apiKey: z.string().min(1),
  signingSecret: z.base64(),
  billerId,
  callbackUrl: z.url(),
});
export type WwSettings = z.output<typeof wwSettings>;
