import { z } from 'zod';
import { callbackKey, timeoutMs, defineGateway } from '../definition.ts';
import { kbankGateway } from './kbank.ts';

/** The gateway KBANK, and what is agreed with it: part `kbank` of the outside file. */
export const kbank = defineGateway(
  z.object({
    url: z.url(),
    partnerId: z.string(),
    partnerSecret: z.string(),
    merchantId: z.string(),
    terminalId: z.string(),
    billerId: z.string(),
    callbackUrl: z.url(),
    callbackKey,
    timeoutMs,
    callbackRetryMs: z.int().positive(),
  }),
  kbankGateway,
);
