import { z } from 'zod';
import { callbackKey, timeoutMs, defineGateway } from '../definition.ts';
import { payonexGateway } from './payonex.ts';

/** The gateway PAYONEX, and what is agreed with it: part `payonex` of the outside file. */
export const payonex = defineGateway(
  z
    .object({
      url: z.url(),
      accessKey: z.string(),
      secretKey: z.string(),
      callbackUrl: z.url(),
      callbackKey,
      timeoutMs,
    })
    .optional(),
  payonexGateway,
);
