import { z } from 'zod';

/** What the simulated gateway knows of its merchant: part `bcel` of the outside file. */
export const bcelSettings = z.object({
  merchantId: z.string().min(1),
  secretKey: z.string().min(1),
  callbackUrl: z.url(),
});
export type BcelSettings = z.output<typeof bcelSettings>;
