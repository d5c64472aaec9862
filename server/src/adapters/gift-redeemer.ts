import { type Minor, minor } from '@krapao/contract/money';
import { z } from 'zod';
import { callOutside, OutboundFailure } from '../platform/http/outbound.ts';
import { newReference } from '../platform/ids.ts';
import { parseGrouped, optionalText, outsideText } from './outside-text.ts';
import { failedProbe, PROVEN, type Probe, type ProbeOutcome } from './probe.ts';

/** Permanent refusals of a gift. `NO_RECEIVER`: our phone number has no wallet, which is a misconfiguration. */
export type GiftRefusal = 'NOT_FOUND' | 'EXPIRED' | 'OWN' | 'OUT_OF_STOCK' | 'NO_RECEIVER';

export type GiftReply =
  /** We can still redeem the gift. `share`: the minimum that we would receive. */
  | { answer: 'REDEEMABLE'; share: Minor }
  /** We redeemed the gift. `amount`: of our own ticket, not of the voucher. */
  | { answer: 'TICKET'; amount: Minor; voucherId: string | null }
  /** We redeemed the gift, but the amount is unknown. */
  | { answer: 'TICKET_UNREADABLE' }
  | { answer: 'REFUSED'; refusal: GiftRefusal }
  /** No reply, or one that proves nothing. After `redeem` the redemption may have happened. */
  | { answer: 'UNKNOWN'; reason: string };

/** Redeems gift links for our account in the wallet app. Failures of the wallet app are outcomes and never throw. */
export type GiftRedeemer = {
  /** Our phone number in the wallet app. */
  receiver: string;
  timeoutMs: number;
  /** Read-only inquiry. */
  verify(hash: string): Promise<GiftReply>;
  /** Redeems the gift. Not idempotent: after UNKNOWN only `verify` returns the outcome. */
  redeem(hash: string): Promise<GiftReply>;
  /** Verifies a link that was never made. */
  probe?: Probe;
};

export type GiftSettings = { url: string; phone: string; timeoutMs: number };

const ticketReply = z.object({ mobile: outsideText(20), amount_baht: outsideText(20) });
const replyEnvelope = z.object({
  status: z.object({ code: outsideText(40) }),
  data: z
    .object({
      voucher: z.object({
        voucher_id: optionalText(64),
        amount_baht: outsideText(20),
        member: z.int().positive(),
      }),
      my_ticket: ticketReply.nullish(),
      tickets: z.array(ticketReply).default([]),
    })
    .nullable()
    .catch(null),
});
type ReplyEnvelope = z.output<typeof replyEnvelope>;

const REFUSAL_BY_CODE: Readonly<Record<string, GiftRefusal>> = {
  VOUCHER_NOT_FOUND: 'NOT_FOUND',
  VOUCHER_EXPIRED: 'EXPIRED',
  CANNOT_GET_OWN_VOUCHER: 'OWN',
  VOUCHER_OUT_OF_STOCK: 'OUT_OF_STOCK',
  TARGET_USER_NOT_FOUND: 'NO_RECEIVER',
};
const HASH_CHARACTERS = 35;
const HAVE_TICKET = 'TARGET_USER_REDEEMED';

/** Client of the wallet app's gift calls. Failure messages never contain the hash of a link. */
export function giftRedeemer({ url, phone, timeoutMs }: GiftSettings): GiftRedeemer {
  const addressOf = (hash: string): string => `${url}/campaign/vouchers/${encodeURIComponent(hash)}`;
  const verify: GiftRedeemer['verify'] = (hash) =>
    callWalletApp('GET', `${addressOf(hash)}/verify?mobile=${encodeURIComponent(phone)}`, undefined);
  return {
    receiver: phone,
    timeoutMs,
    verify,
    probe: async () => readProbe(await verify(newReference(HASH_CHARACTERS))),
    redeem: (hash) => callWalletApp('POST', `${addressOf(hash)}/redeem`, { mobile: phone, voucher_hash: hash }),
  };

  async function callWalletApp(method: 'GET' | 'POST', address: string, body: unknown): Promise<GiftReply> {
    try {
      const reply = await callOutside({
        method,
        url: address,
        headers: { accept: 'application/json', ...(body ? { 'content-type': 'application/json' } : {}) },
        ...(body ? { body: JSON.stringify(body) } : {}),
        timeoutMs,
      });
      const parsedReply = replyEnvelope.safeParse(JSON.parse(reply.text));
      return parsedReply.success
        ? parseReply(parsedReply.data, phone)
        : unknownReply(`HTTP ${reply.status}, not an answer`);
    } catch (error) {
      if (error instanceof OutboundFailure) return unknownReply(error.message);
      if (error instanceof SyntaxError) return unknownReply('reply is not JSON');
      throw error;
    }
  }
}

function readProbe(reply: GiftReply): ProbeOutcome {
  if (reply.answer === 'REFUSED') return reply.refusal === 'NOT_FOUND' ? PROVEN : failedProbe(reply.refusal);
  return failedProbe(reply.answer === 'UNKNOWN' ? reply.reason : `${reply.answer} for a link that was never made`);
}

const unknownReply = (reason: string): GiftReply => ({ answer: 'UNKNOWN', reason });

/** Interprets a reply to verify or redeem. */
export function parseReply({ status, data }: ReplyEnvelope, phone: string): GiftReply {
  const refusal = REFUSAL_BY_CODE[status.code];
  // Our ticket takes precedence over any code in the reply: the money has arrived.
  const ownTicket = data?.my_ticket ?? (status.code === HAVE_TICKET ? matchingTicket(data, phone) : undefined);
  if (ownTicket) {
    const amount = readBaht(ownTicket.amount_baht);
    if (amount === undefined) return { answer: 'TICKET_UNREADABLE' };
    return { answer: 'TICKET', amount, voucherId: data?.voucher.voucher_id || null };
  }
  if (refusal) return { answer: 'REFUSED', refusal };
  if (status.code === HAVE_TICKET) return { answer: 'TICKET_UNREADABLE' };
  const minimumShare = status.code === 'SUCCESS' && data ? shareOf(data.voucher) : undefined;
  return minimumShare === undefined
    ? unknownReply(`status ${status.code}`)
    : { answer: 'REDEEMABLE', share: minimumShare };
}

// Finds our ticket by its masked number, which counts only if exactly one ticket matches.
function matchingTicket(data: ReplyEnvelope['data'], phone: string): z.output<typeof ticketReply> | undefined {
  const matchingTickets = data?.tickets.filter(({ mobile }) => matchesMaskedNumber(mobile, phone)) ?? [];
  return matchingTickets.length === 1 ? matchingTickets[0] : undefined;
}

function shareOf({ amount_baht, member }: { amount_baht: string; member: number }): Minor | undefined {
  const baht = readBaht(amount_baht);
  return baht === undefined ? undefined : minor(baht / BigInt(member));
}

/** Parses "1,000.00" as minor units. */
function readBaht(text: string): Minor | undefined {
  const amount = parseGrouped(text);
  return amount !== undefined && amount > 0n ? amount : undefined;
}

// Whether a masked number such as 080-xxx-0001 has the length of the phone number, and every visible digit matches.
function matchesMaskedNumber(masked: string, phone: string): boolean {
  const maskedDigits = masked.replaceAll(/[\s-]/g, '');
  const isVisible = /\d{4}/.test(maskedDigits);
  return (
    isVisible &&
    maskedDigits.length === phone.length &&
    maskedDigits.split('').every((digit, index) => /[xX*]/.test(digit) || digit === phone[index])
  );
}
