import { z } from 'zod';
import { readJsonFile } from './platform/json-file.ts';

const timeoutMs = z.int().positive().max(60_000);

/** Addresses and credentials of everything outside: what DATA_DIR/outside.json says. */
export const outsideSchema = z.object({
  /** Where this system is reached from outside. */
  publicUrl: z.url(),
  sms: z.object({ url: z.url(), key: z.string(), secret: z.string(), sender: z.string(), timeoutMs }),
  kbank: z.object({
    url: z.url(),
    partnerId: z.string(),
    partnerSecret: z.string(),
    merchantId: z.string(),
    terminalId: z.string(),
    billerId: z.string(),
    callbackUrl: z.url(),
    callbackKey: z.string().min(16),
    timeoutMs,
    callbackRetryMs: z.int().positive(),
  }),
  bank: z.object({
    accounts: z.array(z.object({ bankCode: z.string(), accountNo: z.string(), accountName: z.string() })).min(1),
  }),
  games: z.record(
    z.string(),
    z.discriminatedUnion('kind', [
      z.object({ kind: z.literal('pg'), url: z.url(), operatorToken: z.string(), secretKey: z.string(), timeoutMs }),
      z.object({ kind: z.literal('askmebet'), url: z.url(), agent: z.string(), key: z.string(), timeoutMs }),
    ]),
  ),
});

export type Outside = z.output<typeof outsideSchema>;

/** Reads and checks the file. */
export function readOutside(path: string): Outside {
  return readJsonFile(path, outsideSchema);
}
