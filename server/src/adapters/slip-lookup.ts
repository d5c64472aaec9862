import { type Currency, type Minor, parseDecimal } from '@krapao/contract/money';
import { z } from 'zod';
import { newReference } from '../platform/ids.ts';
import type { Clock } from '../platform/time.ts';
import { type BankSettings, callBank } from './bank-client.ts';
import { optionalText, outsideText, outsideTime } from './outside-text.ts';
import { failedProbe, PROVEN, type Probe, type ProbeOutcome } from './probe.ts';

/** A transfer from the bank's reply. Numbers and names are masked in the style of each account's bank. */
export type LookedUpTransfer = {
  amount: Minor;
  currency: Currency;
  sentAt: Date;
  from: { bankCode: string; accountNo: string; name: string };
  /** `BILLER`: the transfer paid a gateway's code. accountNo: the biller; reference1: reference of the code. */
  to: { kind: 'ACCOUNT' | 'BILLER'; bankCode: string; accountNo: string; name: string; reference1: string | null };
};

export type SlipLookup =
  | { outcome: 'found'; transfer: LookedUpTransfer }
  /** The bank has no such transfer, or it is older than the bank's records. */
  | { outcome: 'no-such-transfer' }
  /** The bank refused our captcha; nothing is known. */
  | { outcome: 'refused' }
  /** The bank will return the transfer later. */
  | { outcome: 'later'; inMs: number }
  /** Timeout, a bank that is down, or a malformed reply. */
  | { outcome: 'unknown'; reason: string };

/** Looks up the transfer of a slip's QR code. Failures of the bank are outcomes and never throw. */
export type SlipLookupService = {
  fetchOperatorData(transfer: { sendingBank: string; transRef: string }): Promise<SlipLookup>;
  /** Maximum duration of one call, in ms. */
  patienceMs: number;
  /** Looks up a transfer that never was. */
  probe?: Probe;
};

const foundTransfer = z.object({
  sendingBank: outsideText(8),
  transRef: outsideText(64),
  amount: outsideText(20),
  currency: z.enum(['THB', 'LAK']),
  at: outsideTime,
  from: z.object({ bankCode: outsideText(32), accountNo: outsideText(64), name: optionalText(200) }),
  to: z.object({
    type: outsideText(32),
    bankCode: optionalText(32),
    accountNo: outsideText(64),
    name: optionalText(200),
    reference1: outsideText(64).nullish(),
  }),
});
const lookupReply = z.discriminatedUnion('code', [
  z.object({ code: z.literal('0000'), data: foundTransfer }),
  z.object({ code: z.literal('1010'), delaySeconds: z.int().min(0).max(86_400) }),
  z.object({ code: z.enum(['8404', '8503', '8601']) }),
]);

const SENDING_BANK_DOWN = 'the sending bank does not answer';
/** SCB, which every Thai bank looks up. */
const PROBED_BANK = '014';
const CURRENCY_BY_CODE = { THB: 'BAHT', LAK: 'LAK' } as const;

export function bankSlipLookup(settings: BankSettings, clock: Clock): SlipLookupService {
  const call = callBank(settings, clock);
  const fetchOperatorData: SlipLookupService['fetchOperatorData'] = async ({ sendingBank, transRef }) => {
    const reply = await call('POST', '/slip-lookup', { sendingBank, transRef });
    if (reply.outcome !== 'answered') return { outcome: 'unknown', reason: reply.note };
    if (reply.status !== 200) return { outcome: 'unknown', reason: `HTTP ${reply.status}` };
    const parsedReply = lookupReply.safeParse(reply.body);
    if (!parsedReply.success) return { outcome: 'unknown', reason: 'malformed reply' };
    switch (parsedReply.data.code) {
      case '0000':
        return readFound(parsedReply.data.data, { sendingBank, transRef });
      case '1010':
        return { outcome: 'later', inMs: parsedReply.data.delaySeconds * 1_000 };
      case '8404':
        return { outcome: 'no-such-transfer' };
      case '8601':
        return { outcome: 'refused' };
      case '8503':
        return { outcome: 'unknown', reason: SENDING_BANK_DOWN };
    }
  };
  return {
    patienceMs: settings.timeoutMs,
    fetchOperatorData,
    probe: async () => readProbe(await fetchOperatorData({ sendingBank: PROBED_BANK, transRef: newReference(20) })),
  };
}

/** A transfer that the bank shows later is one that it looked up. */
function readProbe(lookup: SlipLookup): ProbeOutcome {
  switch (lookup.outcome) {
    case 'no-such-transfer':
    case 'later':
      return PROVEN;
    case 'found':
      return failedProbe('it found a transfer that never was');
    case 'refused':
      return failedProbe('it refused the captcha');
    case 'unknown':
      return lookup.reason === SENDING_BANK_DOWN
        ? { outcome: 'unproven', reason: lookup.reason }
        : failedProbe(lookup.reason);
  }
}

function readFound(
  data: z.output<typeof foundTransfer>,
  requested: { sendingBank: string; transRef: string },
): SlipLookup {
  if (data.sendingBank !== requested.sendingBank || data.transRef !== requested.transRef) {
    return { outcome: 'unknown', reason: 'reply about another transfer' };
  }
  const amount = parseDecimal(data.amount);
  if (amount === undefined || amount <= 0n) return { outcome: 'unknown', reason: 'answer without an amount' };
  const { from, to } = data;
  return {
    outcome: 'found',
    transfer: {
      amount,
      currency: CURRENCY_BY_CODE[data.currency],
      sentAt: data.at,
      from: { bankCode: from.bankCode, accountNo: from.accountNo, name: from.name },
      to: {
        kind: to.type === 'BILLER' ? 'BILLER' : 'ACCOUNT',
        bankCode: to.bankCode,
        accountNo: to.accountNo,
        name: to.name,
        reference1: to.reference1 ?? null,
      },
    },
  };
}
