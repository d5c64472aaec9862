import { type Minor, parseDecimal } from '@krapao/contract/money';
import { crc16, type EmvFields, readEmvText, readFields } from './emv.ts';

/** A Lao payment QR. */
export type LaoQr = {
  /** The national layout in tag 38, or the older one of BCEL alone in tag 33. */
  scheme: 'LAO_QR' | 'ONEPAY';
  /** The number of the receiver's bank: 8 digits. */
  bank: string;
  /** The receiver: a merchant's number, or a person's. */
  receiver: string;
  /** LAK, whole kip; undefined when the payer types it. */
  amount: Minor | undefined;
  isSingleUse: boolean;
  /** Number of the paid bill. */
  bill: string | undefined;
  /** Whether it contains another way to pay, which an app could choose instead. */
  hasRival: boolean;
};

export const BCEL_BANK = '27710418';

const LAPNET = 'A005266284662577';
const KIP = '418';
const ONE_KIP = 100n;
const BANK = /^\d{4}0418$/;
const RECEIVER = /^[A-Za-z0-9]{1,25}$/;
const SINGLE_USE = '12';
const LAO_TAG = '38';
const ONEPAY_TAG = '33';
/** Merchant accounts of all schemes stand in tags 02 to 51. */
const MERCHANT_TAGS = { first: 2, last: 51 };

/**
 * Reads the text of a Lao QR.
 * @returns undefined for anything else: another currency or country, parts of a kip, a wrong CRC, a field of another shape
 */
export function readLaoQr(text: string): LaoQr | undefined {
  const fields = readEmvText(text) ?? readUnpadded(text);
  if (!fields || fields.get('53') !== KIP) return undefined;
  const receiver = readReceiver(fields);
  const amount = readKip(fields.get('54'));
  if (!receiver || amount === 'wrong' || !isLao(fields, receiver.scheme)) return undefined;
  const additional = fields.get('62');
  const details = additional === undefined ? undefined : readFields(additional);
  if (additional !== undefined && !details) return undefined;
  return {
    ...receiver,
    amount,
    isSingleUse: fields.get('01') === SINGLE_USE,
    bill: details?.get('01'),
    hasRival: [...fields.keys()].filter(isMerchantTag).length > 1,
  };
}

// OnePay's own script prints its CRC without leading zeros and counts the remaining digits: 6303ABC means 63040ABC.
// Accepted for this script only.
function readUnpadded(text: string): EmvFields | undefined {
  const match = /^(.*)630([1-3])([\dA-F]{1,3})$/i.exec(text);
  if (!match) return undefined;
  const [, body = '', length, digits = ''] = match;
  const crc = crc16(`${body}6304`);
  if (digits.length !== Number(length) || digits.startsWith('0') !== (crc === '0000')) return undefined;
  const fields = readEmvText(`${body}6304${digits.padStart(4, '0')}`);
  return fields?.has(ONEPAY_TAG) && !fields.has(LAO_TAG) ? fields : undefined;
}

type Receiver = Pick<LaoQr, 'scheme' | 'bank' | 'receiver'>;

function readReceiver(fields: EmvFields): Receiver | undefined {
  const lao = fields.get(LAO_TAG);
  const found = lao === undefined ? readOnePay(fields.get(ONEPAY_TAG) ?? '') : readNational(lao);
  return found && RECEIVER.test(found.receiver) ? found : undefined;
}

function readNational(text: string): Receiver | undefined {
  const parts = readFields(text);
  const bank = parts?.get('01') ?? '';
  if (parts?.get('00') !== LAPNET || !BANK.test(bank)) return undefined;
  return { scheme: 'LAO_QR', bank, receiver: parts.get('03') ?? '' };
}

function readOnePay(text: string): Receiver | undefined {
  const parts = readFields(text);
  if (parts?.get('00') !== 'BCEL' || parts.get('01') !== 'ONEPAY') return undefined;
  return { scheme: 'ONEPAY', bank: BCEL_BANK, receiver: parts.get('02') ?? '' };
}

// OnePay's script swaps country and province by default.
function isLao(fields: EmvFields, scheme: LaoQr['scheme']): boolean {
  return fields.get('58') === 'LA' || (scheme === 'ONEPAY' && fields.get('58') === 'VTE' && fields.get('60') === 'LA');
}

function readKip(text: string | undefined): Minor | undefined | 'wrong' {
  if (text === undefined) return undefined;
  const amount = parseDecimal(text);
  return amount !== undefined && amount > 0n && amount % ONE_KIP === 0n ? amount : 'wrong';
}

function isMerchantTag(tag: string): boolean {
  const number = Number(tag);
  return number >= MERCHANT_TAGS.first && number <= MERCHANT_TAGS.last;
}
