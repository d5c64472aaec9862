import { currencies } from '@krapao/contract/money';
import { z } from 'zod';
import { readJsonFile } from './platform/start/json-file.ts';
import { gameConfig } from './outside/games.ts';

const timeoutMs = z.int().positive().max(60_000);
const callbackKey = z.string().min(16);

/** Addresses and credentials of everything outside: what DATA_DIR/outside.json says. */
export const outsideSchema = z.object({
  /** Where this system is reached from outside. */
  publicUrl: z.url(),
  /**
   * Origins whose addresses are told at the host that a call was sent to; for trying the product out in a network. None in
   * production: there, what a caller says of hosts is not believed.
   */
  followHost: z.array(z.url({ protocol: /^https?$/ })).default([]),
  sms: z.object({ url: z.url(), key: z.string(), secret: z.string(), sender: z.string(), timeoutMs }),
  kbank: z.object({
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
  /** Signs its callbacks: HMAC-SHA256 with the base64 secret over time stamp and raw body. */
  ww: z
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
  fp: z
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
  payonex: z
    .object({
      url: z.url(),
      accessKey: z.string(),
      secretKey: z.string(),
      callbackUrl: z.url(),
      callbackKey,
      timeoutMs,
    })
    .optional(),
  bcel: z
    .object({
      url: z.url(),
      merchantId: z.string(),
      secretKey: z.string(),
      callbackUrl: z.url(),
      callbackKey,
      timeoutMs,
    })
    .optional(),
  /** The bank whose API tells what came to our accounts, pays out of them, and looks slips up. */
  bank: z.object({
    url: z.url(),
    apiKey: z.string(),
    apiSecret: z.string().min(16),
    /** Signs what the bank calls back with. */
    callbackSecret: z.string().min(16),
    feedCallbackUrl: z.url(),
    payoutCallbackUrl: z.url(),
    timeoutMs,
    /** Ours. Payouts in a currency leave the first account of it. */
    accounts: z
      .array(
        z.object({
          bankCode: z.string(),
          accountNo: z.string(),
          accountName: z.string(),
          currency: z.enum(currencies),
        }),
      )
      .min(1),
  }),
  /** The wallet app's business account: what came to it, and the redeeming of gift links. */
  walletApp: z
    .object({
      url: z.url(),
      apiKey: z.string(),
      accountName: z.string(),
      phone: z.string(),
      webhookSecret: z.string().min(16),
      callbackUrl: z.url(),
      timeoutMs,
    })
    .optional(),
  /** Where people of support read the chat and answer; without it operators answer by command. */
  chatBackend: z
    .object({
      url: z.url(),
      key: z.string(),
      /** Both sides sign with it. */
      secret: z.string().min(16),
      /** Where browsers hear that somebody is writing. */
      socketUrl: z.url({ protocol: /^https?$/ }),
      callbackUrl: z.url(),
      timeoutMs,
    })
    .optional(),
  /** Game providers by name. */
  games: z.record(z.string(), gameConfig),
});

export type Outside = z.output<typeof outsideSchema>;

/**
 * Reads and checks the file.
 * @param publicUrl where the system is reached, when the environment says it: then it is that address for everybody
 */
export function readOutside(path: string, publicUrl?: string): Outside {
  const outside = readJsonFile(path, outsideSchema);
  return publicUrl === undefined ? outside : { ...outside, publicUrl };
}
