import { type Currency, type Minor, parseDecimal } from '@krapao/contract/money';
import { z } from 'zod';
import type { Clock } from '../platform/time.ts';
import { type BankSettings, callBank } from './bank-client.ts';
import { optionalText, outsideText } from './outside-text.ts';

/** A transfer from the bank's answer. Numbers and names are masked in the style of each account's bank. */
export type LookedUpTransfer = {
  amount: Minor;
  currency: Currency;
  sentAt: Date;
  from: { bankCode: string; accountNo: string; name: string };
  /** `BILLER`: a gateway's code was paid; accountNo is the biller's, reference1 that of the code. */
  to: { kind: 'ACCOUNT' | 'BILLER'; bankCode: string; accountNo: string; name: string; reference1: string | null };
};

export type SlipLookup =
  | { outcome: 'found'; transfer: LookedUpTransfer }
  /** There is no such transfer, or it is older than the bank's records. */
  | { outcome: 'no-such-transfer' }
  /** The bank refused our captcha; nothing is known. */
  | { outcome: 'refused' }
  /** The bank will return it later. */
  | { outcome: 'later'; inMs: number }
  /** Timeout, a bank that is down, or a malformed answer. */
  | { outcome: 'unknown'; reason: string };

/** Looks up the transfer of a slip's code. Nothing here throws on failures of the outside. */
export type SlipLookupService = {
  lookUp(transfer: { sendingBank: string; transRef: string }): Promise<SlipLookup>;
  /** Upper bound of the duration of one call. */
  patienceMs: number;
};

const known = z.object({
  sendingBank: outsideText(8),
  transRef: outsideText(64),
  amount: outsideText(20),
  currency: z.enum(['THB', 'LAK']),
  at: z.iso.datetime({ offset: true }).transform((moment) => new Date(moment)),
  from: z.object({ bankCode: outsideText(32), accountNo: outsideText(64), name: optionalText(200) }),
  to: z.object({
    type: outsideText(32),
    bankCode: optionalText(32),
    accountNo: outsideText(64),
    name: optionalText(200),
    reference1: outsideText(64).nullish(),
  }),
});
const answer = z.discriminatedUnion('code', [
  z.object({ code: z.literal('0000'), data: known }),
  z.object({ code: z.literal('1010'), delaySeconds: z.int().min(0).max(86_400) }),
  z.object({ code: z.enum(['8404', '8503', '8601']) }),
]);

const CURRENCIES = { THB: 'BAHT', LAK: 'LAK' } as const;

/** The bank's look-up of a slip's code. */
export function bankSlipLookup(settings: BankSettings, clock: Clock): SlipLookupService {
  const call = callBank(settings, clock);
  return {
    patienceMs: settings.timeoutMs,
    async lookUp({ sendingBank, transRef }) {
      const reply = await call('POST', '/slip-lookup', { sendingBank, transRef });
      if (reply.outcome !== 'answered') return { outcome: 'unknown', reason: reply.note };
      if (reply.status !== 200) return { outcome: 'unknown', reason: `HTTP ${reply.status}` };
      const parsed = answer.safeParse(reply.body);
      if (!parsed.success) return { outcome: 'unknown', reason: 'malformed answer' };
      switch (parsed.data.code) {
        case '0000':
          return readFound(parsed.data.data, { sendingBank, transRef });
        case '1010':
          return { outcome: 'later', inMs: parsed.data.delaySeconds * 1_000 };
        case '8404':
          return { outcome: 'no-such-transfer' };
        case '8601':
          return { outcome: 'refused' };
        case '8503':
          return { outcome: 'unknown', reason: 'the sending bank does not answer' };
      }
    },
  };
}

function readFound(data: z.output<typeof known>, asked: { sendingBank: string; transRef: string }): SlipLookup {
  if (data.sendingBank !== asked.sendingBank || data.transRef !== asked.transRef) {
    return { outcome: 'unknown', reason: 'answer about another transfer' };
  }
  const amount = parseDecimal(data.amount);
  if (amount === undefined || amount <= 0n) return { outcome: 'unknown', reason: 'answer without an amount' };
  const { from, to } = data;
  return {
    outcome: 'found',
    transfer: {
      amount,
      currency: CURRENCIES[data.currency],
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
