import { type Minor, parseDecimal } from '@krapao/contract/money';
import { readEmvText, readFields } from './emv.ts';

/** A Thai QR bill payment: receiver, amount and references. */
export type ThaiBill = {
  billerId: string;
  reference1: string;
  reference2: string | undefined;
  /** THB. A code without an amount is not accepted. */
  amount: Minor;
};

const BILL_PAYMENT = 'A000000677010112';
const SINGLE_USE = '12';
const BAHT = '764';
const BILLER_ID = /^\d{13}(?:\d{2})?$/;
const REFERENCE = /^[A-Z0-9]{1,20}$/;
/** Other ways to pay that a bank app could choose instead of the bill. */
const BILL_RIVAL_TAGS = ['29', '31'];

/**
 * Reads the text of a Thai QR bill payment (tag 30) with a fixed amount.
 * @returns undefined for any other code: with another scheme beside it, another currency or country, no amount, a wrong
 * CRC
 */
export function readThaiBill(text: string): ThaiBill | undefined {
  const fields = readEmvText(text);
  if (!fields || BILL_RIVAL_TAGS.some((tag) => fields.has(tag))) return undefined;
  if (fields.get('01') !== SINGLE_USE || fields.get('53') !== BAHT || fields.get('58') !== 'TH') return undefined;
  const payee = readPayee(fields.get('30') ?? '');
  const amount = parseDecimal(fields.get('54') ?? '');
  return payee && amount !== undefined && amount > 0n ? { ...payee, amount } : undefined;
}

/** Whether a text is a bill that pays this biller exactly this amount under this reference. */
export function isBillFor(text: string, due: { billerId: string; reference: string; amount: Minor }): boolean {
  const bill = readThaiBill(text);
  return bill?.billerId === due.billerId && bill.reference1 === due.reference && bill.amount === due.amount;
}

function readPayee(text: string): Omit<ThaiBill, 'amount'> | undefined {
  const fields = readFields(text);
  if (fields?.get('00') !== BILL_PAYMENT) return undefined;
  const billerId = fields.get('01') ?? '';
  const reference1 = fields.get('02') ?? '';
  const reference2 = fields.get('03');
  if (!BILLER_ID.test(billerId) || !REFERENCE.test(reference1)) return undefined;
  if (reference2 !== undefined && !REFERENCE.test(reference2)) return undefined;
  return { billerId, reference1, reference2 };
}

/** A PromptPay transfer of a fixed amount: it has neither reference nor expiry. */
export type PromptPay = {
  proxy: 'mobile' | 'national-id' | 'e-wallet' | 'account';
  /** Digits, as in the code. */
  id: string;
  /** THB. */
  amount: Minor;
};

const CREDIT_TRANSFER = 'A000000677010111';
const PROXIES = [
  { tag: '01', proxy: 'mobile', shape: /^\d{13}$/ },
  { tag: '02', proxy: 'national-id', shape: /^\d{13}$/ },
  { tag: '03', proxy: 'e-wallet', shape: /^\d{15}$/ },
  { tag: '04', proxy: 'account', shape: /^\d{4,43}$/ },
] as const;
/** Other ways to pay that a bank app could choose instead of the transfer. */
const PROMPT_PAY_RIVAL_TAGS = ['30', '31'];

/**
 * Reads the text of a PromptPay credit transfer (tag 29) with a fixed amount.
 * @returns undefined for any other code: with another scheme beside it, two receivers, another currency or country, no
 * amount, a wrong CRC
 */
export function readPromptPay(text: string): PromptPay | undefined {
  const fields = readEmvText(text);
  if (!fields || PROMPT_PAY_RIVAL_TAGS.some((tag) => fields.has(tag))) return undefined;
  if (fields.get('01') !== SINGLE_USE || fields.get('53') !== BAHT || fields.get('58') !== 'TH') return undefined;
  const receiver = readReceiver(fields.get('29') ?? '');
  const amount = parseDecimal(fields.get('54') ?? '');
  return receiver && amount !== undefined && amount > 0n ? { ...receiver, amount } : undefined;
}

function readReceiver(text: string): Omit<PromptPay, 'amount'> | undefined {
  const fields = readFields(text);
  if (fields?.get('00') !== CREDIT_TRANSFER) return undefined;
  const named = PROXIES.filter(({ tag }) => fields.has(tag));
  const [only] = named;
  const id = only && fields.get(only.tag);
  if (!only || named.length > 1 || id === undefined || !only.shape.test(id)) return undefined;
  return { proxy: only.proxy, id };
}
