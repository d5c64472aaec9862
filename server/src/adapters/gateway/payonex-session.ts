import type { Clock } from '../../platform/time.ts';
import { callRest, type RestReply } from './http.ts';
import { parseAmount } from '@krapao/contract/money';
import { z } from 'zod';
import { optionalText, outsideIdentity, outsideText } from '../outside-text.ts';
import { paymentNumber, reportedPayer } from './callback.ts';

/** Settings of PAYONEX: section `payonex` of the outside file. */
export type PayonexSettings = {
  url: string;
  accessKey: string;
  secretKey: string;
  /** Secret part of the callback address, because callbacks are not signed. */
  callbackKey: string;
  timeoutMs: number;
};

export type PayonexRequest = { method: 'GET' | 'POST'; path: string; body?: object };
/** Makes calls one after the other, until the timeout. */
export type PayonexCall = (request: PayonexRequest) => Promise<RestReply>;

type Token = { value: string; diesAt: number };

const UNAUTHORIZED = 401;
/** A token about to expire might do so in transit. */
const MARGIN_MS = 60_000;

/**
 * Calls with a token. All callers share one token; the first that finds it expired renews it, and the others wait for
 * that renewal. A refused token proves that nothing was done, so that the call is retried once. @returns opens a series
 * of calls that together take at most `patienceMs`
 */
export function payonexSession(settings: PayonexSettings, clock: Clock): (patienceMs: number) => PayonexCall {
  let token: Token | undefined;
  let renewal: Promise<Token | string> | undefined;

  /** @returns the reason when no token could be obtained */
  async function renew(): Promise<Token | string> {
    const { url, accessKey, secretKey, timeoutMs } = settings;
    const asked = clock.now().getTime();
    const answer = await callRest({
      method: 'POST',
      url: `${url}/authenticate`,
      body: { accessKey, secretKey },
      timeoutMs,
    });
    if (answer.outcome !== 'done') return refusalReason(answer);
    const got = tokenReply.safeParse(answer.body);
    if (!got.success) return 'malformed answer';
    const { token: value, expiresIn } = got.data.data;
    token = { value, diesAt: asked + expiresIn * 1000 - MARGIN_MS };
    return token;
  }

  async function tokenOtherThan(dead: Token | undefined): Promise<Token | string> {
    if (token && token !== dead && token.diesAt > clock.now().getTime()) return token;
    renewal ??= renew().finally(() => {
      renewal = undefined;
    });
    return renewal;
  }

  async function attempt(request: PayonexRequest, withToken: Token, timeoutMs: number): Promise<RestReply> {
    if (timeoutMs <= 0) return { outcome: 'unsent', reason: 'no time left' };
    return callRest({
      method: request.method,
      url: `${settings.url}${request.path}`,
      headers: { authorization: `Bearer ${withToken.value}` },
      body: request.body,
      timeoutMs,
    });
  }

  return (patienceMs) => {
    const until = clock.now().getTime() + patienceMs;
    const left = () => Math.min(settings.timeoutMs, until - clock.now().getTime());
    return async (request) => {
      const first = await tokenOtherThan(undefined);
      if (typeof first === 'string') return { outcome: 'unsent', reason: `no token: ${first}` };
      const answer = await attempt(request, first, left());
      if (answer.outcome !== 'refused' || answer.status !== UNAUTHORIZED) return answer;
      const second = await tokenOtherThan(first);
      if (typeof second === 'string') return { outcome: 'unsent', reason: `no token: ${second}` };
      return attempt(request, second, left());
    };
  };
}

/** The code of a refusal in the gateway's format; a refusal in another format comes from a proxy and proves nothing. */
export function refusalFor(answer: RestReply): string | undefined {
  return answer.outcome === 'refused' ? refusal.safeParse(answer.body).data?.code : undefined;
}

/** Why a call had no effect, for operators. */
export function refusalReason(answer: Exclude<RestReply, { outcome: 'done' }>): string {
  if (answer.outcome !== 'refused') return answer.reason;
  return refusalFor(answer) ?? `HTTP ${answer.status}`;
}

/** The used fields of PAYONEX's answers. A malformed field invalidates the whole answer. */
const done = { success: z.literal(true) };

const time = z.iso.datetime({ offset: true }).transform((text) => new Date(text));
/** A JSON number as amount; undefined for an invalid amount, which the caller handles. */
const amount = z.unknown().transform(parseAmount);

export const tokenReply = z.object({
  ...done,
  data: z.object({ token: z.string().regex(/^[\x21-\x7e]{1,2000}$/), expiresIn: z.int().positive() }),
});

export const customerReply = z.object({ ...done, data: z.object({ customerUuid: outsideIdentity(64) }) });

export const refusal = z.object({ success: z.literal(false), code: outsideText(64) });

export const transactionReply = z.object({
  ...done,
  data: z.object({
    uuid: paymentNumber,
    referenceId: outsideText(64),
    type: z.literal('DEPOSIT'),
    status: z.enum(['PROCESSING', 'SUCCESS', 'ON_HOLD', 'REJECTED', 'REFUNDED', 'ERROR']),
    /** The amount that the payer pays or has paid, before the fee. */
    amount,
    /** The received amount, as far as it is known. */
    receivedAmount: z.number().nullish(),
    qrCode: optionalText(512),
    expiredAt: time,
    paidAt: time.nullish(),
    payer: reportedPayer,
  }),
});

export const heldPayment = z.object({
  id: paymentNumber,
  amount,
  at: time,
  payer: reportedPayer,
});

export const unmatchedReply = z.object({ ...done, data: z.array(z.unknown()).max(1_000) });

export type Transaction = z.output<typeof transactionReply>['data'];

/** The only field read from a callback: which code it is about. */
export const callbackClaim = z.object({ data: z.object({ referenceId: z.string().regex(/^[A-Z0-9]{1,20}$/) }) });
