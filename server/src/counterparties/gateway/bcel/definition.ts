import { z } from 'zod';
import { callbackKey, timeoutMs, defineGateway } from '../definition.ts';
import { bcelGateway } from './bcel.ts';

/** The gateway BCEL OnePay, and what is agreed with it: part `bcel` of the outside file. */
export const bcel = defineGateway(
  z
    .object({
      url: z.url(),
      merchantId: z.string(),
      secretKey: z.string(),
      callbackUrl: z.url(),
      callbackKey,
      timeoutMs,
    })
    .optional(),
  bcelGateway,
);
