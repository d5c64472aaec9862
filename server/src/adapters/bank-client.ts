import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Currency, currencies } from '@krapao/contract/money';
import { z } from 'zod';
import { callOutside, OutboundFailure } from '../platform/http/outbound.ts';
import type { RawBody } from '../platform/json.ts';
import type { Clock } from '../platform/time.ts';
import { apiUrl, callbackUrl, issued, section, timeoutMs } from './outside-fields.ts';

/** `unsent`: the call had no effect. `unknown`: the call may have had an effect. */
export type BankReply =
  | { outcome: 'answered'; status: number; body: unknown }
  | { outcome: 'unsent' | 'unknown'; note: string };

export type CallBank = (method: 'GET' | 'POST', path: string, body?: unknown) => Promise<BankReply>;

const BANK_PROOF = 'HMAC-SHA256 with `callbackSecret`, at most five minutes old';

/** Section `bank` of the outside file. */
export const bankConfig = z
  .object(
    {
      url: apiUrl,
      apiKey: issued('Key that identifies the operator'),
      apiSecret: z.string().min(16).meta({ description: 'Key of the signatures of calls, at least 16 characters' }),
      callbackSecret: z
        .string()
        .min(16)
        .meta({ description: "Key of the signatures of the bank's callbacks, at least 16 characters" }),
      feedCallbackUrl: callbackUrl,
      payoutCallbackUrl: callbackUrl,
      timeoutMs,
      accounts: z
        .array(
          z.object({
            bankCode: issued('Code of the bank in `krapao config show banks`', 'SCB'),
            accountNo: issued('Account number, digits alone', '1234567890'),
            accountName: issued('Holder as the bank writes it', 'EXAMPLE COMPANY LIMITED'),
            currency: z.enum(currencies).meta({ description: 'BAHT or LAK', examples: ['BAHT'] }),
          }),
        )
        .min(1)
        .meta({
          description:
            "The operator's accounts. Members pay to those that are deposit methods too. Withdrawals in a currency leave its first account",
        }),
    },
    {
      error: ({ input }) =>
        input === undefined ? 'missing, but withdrawals are paid and slips looked up there' : undefined,
    },
  )
  .meta(
    section('The bank that lists transfers into the accounts, pays withdrawals and looks slips up.', [
      { address: '/api/callback/bank-feed', proof: BANK_PROOF },
      { address: '/api/callback/bank-payout', proof: BANK_PROOF },
    ]),
  );
export type BankConfig = z.output<typeof bankConfig>;

/** The account that sends withdrawals in a currency: its first in the outside file. */
export const findPayoutAccount = (
  accounts: BankConfig['accounts'],
  currency: Currency,
): BankConfig['accounts'][number] | undefined => accounts.find((account) => account.currency === currency);

/** Settings of calls to the bank. */
export type BankSettings = Pick<BankConfig, 'url' | 'apiKey' | 'apiSecret' | 'timeoutMs'>;

const SERVER_FAILURE = 500;

/**
 * Calls the bank's API; the signature covers time stamp, method, path and body. Never throws on failures of the bank.
 * Only JSON with a status below 500 is a reply; anything else proves nothing.
 */
export function callBank(settings: BankSettings, clock: Clock): CallBank {
  return async (method, path, body) => {
    const url = `${settings.url}${path}`;
    const text = body === undefined ? '' : JSON.stringify(body);
    try {
      const reply = await callOutside({
        method,
        url,
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...signedHeaders(settings, clock, `${method}.${pathOf(url)}.${text}`),
        },
        ...(body === undefined ? {} : { body: text }),
        timeoutMs: settings.timeoutMs,
      });
      if (reply.status >= SERVER_FAILURE) return { outcome: 'unknown', note: `HTTP ${reply.status}` };
      return { outcome: 'answered', status: reply.status, body: JSON.parse(reply.text) as unknown };
    } catch (error) {
      if (error instanceof OutboundFailure) return { outcome: error.outcome, note: error.message };
      if (error instanceof SyntaxError) return { outcome: 'unknown', note: 'reply is not JSON' };
      throw error;
    }
  };
}

function signedHeaders({ apiKey, apiSecret }: BankSettings, clock: Clock, signedText: string): Record<string, string> {
  const seconds = String(Math.floor(clock.now().getTime() / 1000));
  const signature = createHmac('sha256', apiSecret).update(`${seconds}.${signedText}`).digest('hex');
  return { 'x-api-key': apiKey, 'x-timestamp': seconds, 'x-signature': signature };
}

function pathOf(url: string): string {
  const { pathname, search } = new URL(url);
  return pathname + search;
}

export type BankCallback = { headers: Readonly<Record<string, string | string[] | undefined>>; body: RawBody };

const SIGNATURE_HEADER = 'x-bank-signature';
const SIGNATURE_HEADER_FORMAT = /^t=(\d{1,12}),v1=([0-9a-f]{64})$/i;
const SECONDS_APART_MAX = 300;

/**
 * Verifies the signature and age of a callback: `t=SECONDS,v1=HEX` over the raw bytes. An old signature is refused,
 * because it may be a replay.
 */
export function verifyCallback(
  secret: string,
  clock: Clock,
  { headers, body }: BankCallback,
): 'VALID' | 'KEY_MISSING' | 'KEY_INVALID' {
  const header = headers[SIGNATURE_HEADER];
  if (header === undefined || header === '') return 'KEY_MISSING';
  const [, seconds = '', signature = ''] = SIGNATURE_HEADER_FORMAT.exec(typeof header === 'string' ? header : '') ?? [];
  const clockDifferenceSeconds = Math.abs(clock.now().getTime() / 1000 - Number(seconds));
  const expectedSignature = createHmac('sha256', secret).update(`${seconds}.`).update(body).digest();
  const isRight = signature !== '' && timingSafeEqual(Buffer.from(signature, 'hex'), expectedSignature);
  return isRight && clockDifferenceSeconds <= SECONDS_APART_MAX ? 'VALID' : 'KEY_INVALID';
}
