import { z } from 'zod';

/** Settings of the simulated gateway: section `bcel` of the outside file. */
export const bcelSettings = z.object({
  merchantId: z.string().min(1),
  secretKey: z.string().min(1),
  callbackUrl: z.url(),
});
export type BcelSettings = z.output<typeof bcelSettings>;
