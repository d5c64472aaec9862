import { z } from 'zod';
import { timeoutMs, defineGateway } from '../definition.ts';
import { wwGateway } from './ww.ts';

/** The gateway WW, and what is agreed with it: part `ww` of the outside file. */
export const ww = defineGateway(
  // Signs its callbacks: HMAC-SHA256 with the base64 secret over time stamp and raw body.
  z
    .object({
      url: z.url(),
      merchantId: z.string(),
      apiKey: z.string(),
      signingSecret: z.base64(),
      billerId: z.string(),
      callbackUrl: z.url(),
      timeoutMs,
    })
    .optional(),
  wwGateway,
);
