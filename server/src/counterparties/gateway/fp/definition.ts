import { z } from 'zod';
import { callbackKey, timeoutMs, defineGateway } from '../definition.ts';
import { fpGateway } from './fp.ts';

/** The gateway FP, and what is agreed with it: part `fp` of the outside file. */
export const fp = defineGateway(
  z
    .object({
      url: z.url(),
      merchantNo: z.string(),
      key: z.string(),
      billerId: z.string(),
      callbackUrl: z.url(),
      callbackKey,
      timeoutMs,
    })
    .optional(),
  fpGateway,
);
