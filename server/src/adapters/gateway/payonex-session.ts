import { parseAmount } from '@krapao/contract/money';
import { z } from 'zod';
import type { Clock } from '../../platform/time.ts';
import { optionalText, outsideIdentity, outsideText, outsideTime } from '../outside-text.ts';
import { paymentNumber, reportedPayer } from './callback.ts';
import { callRest, type RestReply } from './http.ts';

/** Section `payonex` of the outside file. */
export type PayonexSettings = {
  url: string;
  accessKey: string;
  secretKey: string;
  /** Secret in the callback URL, because callbacks are not signed. */
  callbackKey: string;
  timeoutMs: number;
};

export type PayonexRequest = { method: 'GET' | 'POST'; path: string; body?: object };
/** Makes calls one after the other, until the timeout. */
export type PayonexCall = (request: PayonexRequest) => Promise<RestReply>;

type SessionToken = { value: string; diesAt: number };

const UNAUTHORIZED_STATUS = 401;
/** Time before its expiry at which a token is renewed, because it could expire in transit. */
const MARGIN_MS = 60_000;

/**
 * Makes calls with a token. All callers share one token; the first that finds it expired renews it, and the others wait
 * for that renewal. A refused token proves that the call had no effect, so the call is retried once. @returns opens a
 * series of calls that together take at most `patienceMs`
 */
export function payonexSession(settings: PayonexSettings, clock: Clock): (patienceMs: number) => PayonexCall {
  let token: SessionToken | undefined;
  let renewal: Promise<SessionToken | string> | undefined;

  /** @returns the reason when no token could be obtained */
  async function renewToken(): Promise<SessionToken | string> {
    const { url, accessKey, secretKey, timeoutMs } = settings;
    const requestedAtMs = clock.now().getTime();
    const reply = await callRest({
      method: 'POST',
      url: `${url}/authenticate`,
      body: { accessKey, secretKey },
      timeoutMs,
    });
    if (reply.outcome !== 'done') return refusalReason(reply);
    const parsedToken = tokenReply.safeParse(reply.body);
    if (!parsedToken.success) return 'malformed reply';
    const { token: value, expiresIn } = parsedToken.data.data;
    token = { value, diesAt: requestedAtMs + expiresIn * 1000 - MARGIN_MS };
    return token;
  }

  async function tokenOtherThan(rejectedToken: SessionToken | undefined): Promise<SessionToken | string> {
    if (token && token !== rejectedToken && token.diesAt > clock.now().getTime()) return token;
    renewal ??= renewToken().finally(() => {
      renewal = undefined;
    });
    return renewal;
  }

  async function attempt(request: PayonexRequest, withToken: SessionToken, timeoutMs: number): Promise<RestReply> {
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
    const deadlineMs = clock.now().getTime() + patienceMs;
    const remainingMs = () => Math.min(settings.timeoutMs, deadlineMs - clock.now().getTime());
    return async (request) => {
      const firstToken = await tokenOtherThan(undefined);
      if (typeof firstToken === 'string') return { outcome: 'unsent', reason: `no token: ${firstToken}` };
      const reply = await attempt(request, firstToken, remainingMs());
      if (reply.outcome !== 'refused' || reply.status !== UNAUTHORIZED_STATUS) return reply;
      const renewedToken = await tokenOtherThan(firstToken);
      if (typeof renewedToken === 'string') return { outcome: 'unsent', reason: `no token: ${renewedToken}` };
      return attempt(request, renewedToken, remainingMs());
    };
  };
}

/** Code of a refusal in the gateway's format. A refusal in another format comes from a proxy and proves nothing. */
export function refusalFor(reply: RestReply): string | undefined {
  return reply.outcome === 'refused' ? refusal.safeParse(reply.body).data?.code : undefined;
}

/** Why a call had no effect, for operators. */
export function refusalReason(reply: Exclude<RestReply, { outcome: 'done' }>): string {
  if (reply.outcome !== 'refused') return reply.reason;
  return refusalFor(reply) ?? `HTTP ${reply.status}`;
}

/** Used fields of PAYONEX's replies. A malformed field invalidates the whole reply. */
const successField = { success: z.literal(true) };

/** A JSON number as amount; undefined for an invalid amount, which the caller handles. */
const amount = z.unknown().transform(parseAmount);

export const tokenReply = z.object({
  ...successField,
  data: z.object({ token: z.string().regex(/^[\x21-\x7e]{1,2000}$/), expiresIn: z.int().positive() }),
});

export const customerReply = z.object({ ...successField, data: z.object({ customerUuid: outsideIdentity(64) }) });

export const refusal = z.object({ success: z.literal(false), code: outsideText(64) });

export const transactionReply = z.object({
  ...successField,
  data: z.object({
    uuid: paymentNumber,
    referenceId: outsideText(64),
    type: z.literal('DEPOSIT'),
    status: z.enum(['PROCESSING', 'SUCCESS', 'ON_HOLD', 'REJECTED', 'REFUNDED', 'ERROR']),
    /** Amount of the payment, before the fee. */
    amount,
    /** Received amount, if known. */
    receivedAmount: z.number().nullish(),
    qrCode: optionalText(512),
    expiredAt: outsideTime,
    paidAt: outsideTime.nullish(),
    payer: reportedPayer,
  }),
});

export const heldPayment = z.object({
  id: paymentNumber,
  amount,
  at: outsideTime,
  payer: reportedPayer,
});

export const unmatchedReply = z.object({ ...successField, data: z.array(z.unknown()).max(1_000) });

export type Transaction = z.output<typeof transactionReply>['data'];

/** The only field read from a callback: the reference of its code. */
export const callbackClaim = z.object({ data: z.object({ referenceId: z.string().regex(/^[A-Z0-9]{1,20}$/) }) });
