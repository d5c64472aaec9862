import { type Minor, parseDecimal } from '@krapao/contract/money';
import { crc16, type EmvFields, readEmvText, readFields } from './emv.ts';

/** A Lao payment QR. */
export type LaoQr = {
  /** The national layout in tag 38, or BCEL's older layout in tag 33. */
  scheme: 'LAO_QR' | 'ONEPAY';
  /** Number of the receiver's bank: 8 digits. */
  bank: string;
  /** Number of the receiver: a merchant or a person. */
  receiver: string;
  /** LAK, whole kip; undefined when the payer enters the amount. */
  amount: Minor | undefined;
  isSingleUse: boolean;
  /** Number of the paid bill. */
  bill: string | undefined;
  /** Whether it contains another payment method, which an app could choose instead. */
  hasRival: boolean;
};

export const BCEL_BANK = '27710418';

const LAPNET_AID = 'A005266284662577';
const KIP_CODE = '418';
const ONE_KIP = 100n;
const BANK_FORMAT = /^\d{4}0418$/;
const RECEIVER_FORMAT = /^[A-Za-z0-9]{1,25}$/;
const SINGLE_USE = '12';
const LAO_TAG = '38';
const ONEPAY_TAG = '33';
/** Tags of the merchant accounts of all schemes. */
const MERCHANT_TAGS = { first: 2, last: 51 };

/**
 * Parses the text of a Lao QR.
 * @returns undefined for anything else: another currency or country, fractions of a kip, a wrong CRC, a malformed field
 */
export function readLaoQr(text: string): LaoQr | undefined {
  const fields = readEmvText(text) ?? readUnpadded(text);
  if (!fields || fields.get('53') !== KIP_CODE) return undefined;
  const receiver = readReceiver(fields);
  const amount = readKip(fields.get('54'));
  if (!receiver || amount === 'wrong' || !isLaoCountry(fields, receiver.scheme)) return undefined;
  const additional = fields.get('62');
  const additionalFields = additional === undefined ? undefined : readFields(additional);
  if (additional !== undefined && !additionalFields) return undefined;
  return {
    ...receiver,
    amount,
    isSingleUse: fields.get('01') === SINGLE_USE,
    bill: additionalFields?.get('01'),
    hasRival: [...fields.keys()].filter(isMerchantTag).length > 1,
  };
}

// Parses OnePay's own script, which prints its CRC without leading zeros and counts the remaining digits: 6303ABC means
// 63040ABC. Accepted for this script only.
function readUnpadded(text: string): EmvFields | undefined {
  const match = /^(.*)630([1-3])([\dA-F]{1,3})$/i.exec(text);
  if (!match) return undefined;
  const [, body = '', length, digits = ''] = match;
  const crc = crc16(`${body}6304`);
  if (digits.length !== Number(length) || digits.startsWith('0') !== (crc === '0000')) return undefined;
  const fields = readEmvText(`${body}6304${digits.padStart(4, '0')}`);
  return fields?.has(ONEPAY_TAG) && !fields.has(LAO_TAG) ? fields : undefined;
}

type QrReceiver = Pick<LaoQr, 'scheme' | 'bank' | 'receiver'>;

function readReceiver(fields: EmvFields): QrReceiver | undefined {
  const laoAccount = fields.get(LAO_TAG);
  const foundReceiver = laoAccount === undefined ? readOnePay(fields.get(ONEPAY_TAG) ?? '') : readNational(laoAccount);
  return foundReceiver && RECEIVER_FORMAT.test(foundReceiver.receiver) ? foundReceiver : undefined;
}

function readNational(text: string): QrReceiver | undefined {
  const accountFields = readFields(text);
  const bank = accountFields?.get('01') ?? '';
  if (accountFields?.get('00') !== LAPNET_AID || !BANK_FORMAT.test(bank)) return undefined;
  return { scheme: 'LAO_QR', bank, receiver: accountFields.get('03') ?? '' };
}

function readOnePay(text: string): QrReceiver | undefined {
  const accountFields = readFields(text);
  if (accountFields?.get('00') !== 'BCEL' || accountFields.get('01') !== 'ONEPAY') return undefined;
  return { scheme: 'ONEPAY', bank: BCEL_BANK, receiver: accountFields.get('02') ?? '' };
}

// Whether the country is Laos. OnePay's script swaps country and province by default.
function isLaoCountry(fields: EmvFields, scheme: LaoQr['scheme']): boolean {
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
