import { z } from 'zod';

/** Settings of the simulated gateway: section `payonex` of the outside file. */
export const payonexSettings = z.object({
  accessKey: z.string().min(1),
  secretKey: z.string().min(1),
  callbackUrl: z.url(),
});
export type PayonexSettings = z.output<typeof payonexSettings>;
