import { z } from 'zod';

/** What the simulated gateway knows of its merchant: part `payonex` of the outside file. */
export const payonexSettings = z.object({
  accessKey: z.string().min(1),
  secretKey: z.string().min(1),
  callbackUrl: z.url(),
});
export type PayonexSettings = z.output<typeof payonexSettings>;
