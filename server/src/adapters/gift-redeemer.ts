import { type Minor, minor } from '@krapao/contract/money';
import { z } from 'zod';
import { callOutside, OutboundFailure } from '../platform/http/outbound.ts';
import { parseGrouped, optionalText, outsideText } from './outside-text.ts';

/** Permanent refusals of a gift. `NO_RECEIVER`: our phone number has no wallet there, which is a misconfiguration. */
export type GiftRefusal = 'NOT_FOUND' | 'EXPIRED' | 'OWN' | 'OUT_OF_STOCK' | 'NO_RECEIVER';

export type GiftReply =
  /** We can still redeem it. `share`: the minimum that we would receive. */
  | { answer: 'REDEEMABLE'; share: Minor }
  /** Redeemed by us: the amount of our own ticket, not of the voucher. */
  | { answer: 'TICKET'; amount: Minor; voucherId: string | null }
  /** Redeemed by us, with an unknown amount. */
  | { answer: 'TICKET_UNREADABLE' }
  | { answer: 'REFUSED'; refusal: GiftRefusal }
  /** No answer, or one that proves nothing. After `redeem` it may have happened or not. */
  | { answer: 'UNKNOWN'; reason: string };

/** Redeems gift links for our account in the wallet app. Nothing here throws on failures of the wallet app. */
export type GiftRedeemer = {
  /** Our phone number there. */
  receiver: string;
  timeoutMs: number;
  /** Read-only inquiry. */
  verify(hash: string): Promise<GiftReply>;
  /** Redeems it. Not idempotent: after UNKNOWN only `verify` returns the outcome. */
  redeem(hash: string): Promise<GiftReply>;
};

export type GiftSettings = { url: string; phone: string; timeoutMs: number };

const ticket = z.object({ mobile: outsideText(20), amount_baht: outsideText(20) });
const envelope = z.object({
  status: z.object({ code: outsideText(40) }),
  data: z
    .object({
      voucher: z.object({
        voucher_id: optionalText(64),
        amount_baht: outsideText(20),
        member: z.int().positive(),
      }),
      my_ticket: ticket.nullish(),
      tickets: z.array(ticket).default([]),
    })
    .nullable()
    .catch(null),
});
type Envelope = z.output<typeof envelope>;

const REFUSALS: Readonly<Record<string, GiftRefusal>> = {
  VOUCHER_NOT_FOUND: 'NOT_FOUND',
  VOUCHER_EXPIRED: 'EXPIRED',
  CANNOT_GET_OWN_VOUCHER: 'OWN',
  VOUCHER_OUT_OF_STOCK: 'OUT_OF_STOCK',
  TARGET_USER_NOT_FOUND: 'NO_RECEIVER',
};
const HAVE_TICKET = 'TARGET_USER_REDEEMED';

/** The wallet app's calls for gifts. Failure messages never contain the hash of a link. */
export function giftRedeemer({ url, phone, timeoutMs }: GiftSettings): GiftRedeemer {
  const addressOf = (hash: string): string => `${url}/campaign/vouchers/${encodeURIComponent(hash)}`;
  return {
    receiver: phone,
    timeoutMs,
    verify: (hash) => ask('GET', `${addressOf(hash)}/verify?mobile=${encodeURIComponent(phone)}`, undefined),
    redeem: (hash) => ask('POST', `${addressOf(hash)}/redeem`, { mobile: phone, voucher_hash: hash }),
  };

  async function ask(method: 'GET' | 'POST', address: string, body: unknown): Promise<GiftReply> {
    try {
      const reply = await callOutside({
        method,
        url: address,
        headers: { accept: 'application/json', ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
        timeoutMs,
      });
      const parsed = envelope.safeParse(JSON.parse(reply.text));
      return parsed.success ? parseReply(parsed.data, phone) : unknown(`HTTP ${reply.status}, not an answer`);
    } catch (error) {
      if (error instanceof OutboundFailure) return unknown(error.message);
      if (error instanceof SyntaxError) return unknown('answer is not JSON');
      throw error;
    }
  }
}

const unknown = (reason: string): GiftReply => ({ answer: 'UNKNOWN', reason });

/** Interprets an answer of verify or redeem. */
export function parseReply({ status, data }: Envelope, phone: string): GiftReply {
  const refusal = REFUSALS[status.code];
  // Our ticket takes precedence over any code beside it: the money has arrived.
  const own = data?.my_ticket ?? (status.code === HAVE_TICKET ? ticketAlike(data, phone) : undefined);
  if (own) {
    const amount = readBaht(own.amount_baht);
    if (amount === undefined) return { answer: 'TICKET_UNREADABLE' };
    return { answer: 'TICKET', amount, voucherId: data?.voucher.voucher_id || null };
  }
  if (refusal) return { answer: 'REFUSED', refusal };
  if (status.code === HAVE_TICKET) return { answer: 'TICKET_UNREADABLE' };
  const share = status.code === 'SUCCESS' && data ? shareOf(data.voucher) : undefined;
  return share === undefined ? unknown(`status ${status.code}`) : { answer: 'REDEEMABLE', share };
}

// Tickets show masked numbers: one that fits ours counts only if no other does.
function ticketAlike(data: Envelope['data'], phone: string): z.output<typeof ticket> | undefined {
  const alike = data?.tickets.filter(({ mobile }) => isOurs(mobile, phone)) ?? [];
  return alike.length === 1 ? alike[0] : undefined;
}

function shareOf({ amount_baht, member }: { amount_baht: string; member: number }): Minor | undefined {
  const whole = readBaht(amount_baht);
  return whole === undefined ? undefined : minor(whole / BigInt(member));
}

/** "1,000.00" as minor units. */
function readBaht(text: string): Minor | undefined {
  const amount = parseGrouped(text);
  return amount !== undefined && amount > 0n ? amount : undefined;
}

// 080-xxx-0001: as many digits as the number, and every visible one matches.
function isOurs(masked: string, phone: string): boolean {
  const places = masked.replaceAll(/[\s-]/g, '');
  const isVisible = /\d{4}/.test(places);
  return (
    isVisible &&
    places.length === phone.length &&
    places.split('').every((one, at) => /[xX*]/.test(one) || one === phone[at])
  );
}
