import { z } from 'zod';
import { billerId } from '../definition.ts';

/** Settings of the simulated gateway: section `fp` of the outside file. */
export const fpSettings = z.object({
  merchantNo: z.string().min(1),
  key: z.string().min(1),
  billerId,
  callbackUrl: z.url(),
});
export type FpSettings = z.output<typeof fpSettings>;
