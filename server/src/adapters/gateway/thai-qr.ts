import { type Minor, parseDecimal } from '@krapao/contract/money';
import { readEmvText, readFields } from './emv.ts';

/** A Thai QR bill payment: receiver, amount and references. */
export type ThaiBill = {
  billerId: string;
  reference1: string;
  reference2: string | undefined;
  /** THB. A code without an amount is refused. */
  amount: Minor;
};

const BILL_PAYMENT = 'A000000677010112';
const SINGLE_USE = '12';
const BAHT_CODE = '764';
const BILLER_ID = /^\d{13}(?:\d{2})?$/;
const REFERENCE_FORMAT = /^[A-Z0-9]{1,20}$/;
/** Tags of other payment methods that a bank app could choose instead of the bill. */
const BILL_RIVAL_TAGS = ['29', '31'];

/**
 * Parses the text of a Thai QR bill payment (tag 30) with a fixed amount.
 * @returns undefined for any other code: with a second scheme, another currency or country, no amount, a wrong CRC
 */
export function readThaiBill(text: string): ThaiBill | undefined {
  const fields = readEmvText(text);
  if (!fields || BILL_RIVAL_TAGS.some((tag) => fields.has(tag))) return undefined;
  if (fields.get('01') !== SINGLE_USE || fields.get('53') !== BAHT_CODE || fields.get('58') !== 'TH') return undefined;
  const payee = readPayee(fields.get('30') ?? '');
  const amount = parseDecimal(fields.get('54') ?? '');
  return payee && amount !== undefined && amount > 0n ? { ...payee, amount } : undefined;
}

/** Whether a text is a bill that pays this biller exactly this amount under this reference. */
export function isBillFor(text: string, expected: { billerId: string; reference: string; amount: Minor }): boolean {
  const bill = readThaiBill(text);
  return (
    bill?.billerId === expected.billerId && bill.reference1 === expected.reference && bill.amount === expected.amount
  );
}

function readPayee(text: string): Omit<ThaiBill, 'amount'> | undefined {
  const fields = readFields(text);
  if (fields?.get('00') !== BILL_PAYMENT) return undefined;
  const billerId = fields.get('01') ?? '';
  const reference1 = fields.get('02') ?? '';
  const reference2 = fields.get('03');
  if (!BILLER_ID.test(billerId) || !REFERENCE_FORMAT.test(reference1)) return undefined;
  if (reference2 !== undefined && !REFERENCE_FORMAT.test(reference2)) return undefined;
  return { billerId, reference1, reference2 };
}

/** A PromptPay transfer of a fixed amount, without reference and expiry. */
export type PromptPay = {
  proxy: 'mobile' | 'national-id' | 'e-wallet' | 'account';
  /** Digits, as in the code. */
  id: string;
  /** THB. */
  amount: Minor;
};

const CREDIT_TRANSFER = 'A000000677010111';
const PROXY_TAGS = [
  { tag: '01', proxy: 'mobile', shape: /^\d{13}$/ },
  { tag: '02', proxy: 'national-id', shape: /^\d{13}$/ },
  { tag: '03', proxy: 'e-wallet', shape: /^\d{15}$/ },
  { tag: '04', proxy: 'account', shape: /^\d{4,43}$/ },
] as const;
/** Tags of other payment methods that a bank app could choose instead of the transfer. */
const PROMPT_PAY_RIVAL_TAGS = ['30', '31'];

/**
 * Parses the text of a PromptPay credit transfer (tag 29) with a fixed amount.
 * @returns undefined for any other code: with a second scheme, two receivers, another currency or country, no amount, a
 *   wrong CRC
 */
export function readPromptPay(text: string): PromptPay | undefined {
  const fields = readEmvText(text);
  if (!fields || PROMPT_PAY_RIVAL_TAGS.some((tag) => fields.has(tag))) return undefined;
  if (fields.get('01') !== SINGLE_USE || fields.get('53') !== BAHT_CODE || fields.get('58') !== 'TH') return undefined;
  const receiver = readReceiver(fields.get('29') ?? '');
  const amount = parseDecimal(fields.get('54') ?? '');
  return receiver && amount !== undefined && amount > 0n ? { ...receiver, amount } : undefined;
}

function readReceiver(text: string): Omit<PromptPay, 'amount'> | undefined {
  const fields = readFields(text);
  if (fields?.get('00') !== CREDIT_TRANSFER) return undefined;
  const presentProxies = PROXY_TAGS.filter(({ tag }) => fields.has(tag));
  const [onlyProxy] = presentProxies;
  const id = onlyProxy && fields.get(onlyProxy.tag);
  if (!onlyProxy || presentProxies.length > 1 || id === undefined || !onlyProxy.shape.test(id)) return undefined;
  return { proxy: onlyProxy.proxy, id };
}
