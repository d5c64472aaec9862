import { crc16, field, readFields } from './thai-qr.ts';

/** Lao QR codes in the national layout: a strict parser, and the codes of a gateway at BCEL. */

const LAPNET_AID = 'A005266284662577';
const BCEL_IIN = '27710418';
const MAX_LENGTH = 512;
const HUNDREDTHS_PER_KIP = 100;

/** Converts hundredths, the internal unit, to whole kip. */
export const kipOf = (hundredths: number): number => hundredths / HUNDREDTHS_PER_KIP;

/** Content of a scanned Lao code. `amount` is the text of tag 54. */
export type LaoScanned = { receiver: string; amount: string | null; payee: string | null };

/**
 * Parses a Lao payment QR. @returns undefined for anything else: garbage, a wrong CRC, another currency, country or
 * scheme
 */
export function readLaoPaymentQr(payload: string): LaoScanned | undefined {
  if (payload.length > MAX_LENGTH || !/^000201[\x20-\x7e]+$/.test(payload)) return undefined;
  const body = payload.slice(0, -4);
  if (!body.endsWith('6304') || crc16(body) !== payload.slice(-4).toUpperCase()) return undefined;
  const fields = readFields(payload);
  if (fields?.get('53') !== '418' || fields.get('58') !== 'LA') return undefined;
  const merchantFields = readFields(fields.get('38') ?? '');
  const receiver = merchantFields?.get('03');
  if (merchantFields?.get('00') !== LAPNET_AID || receiver === undefined) return undefined;
  return { receiver, amount: fields.get('54') ?? null, payee: fields.get('59') ?? null };
}

/** Creates a single-use Lao QR of a merchant at BCEL. `kip` is a whole number as text. */
export function laoMerchantQr(code: {
  merchantId: string;
  kip: string;
  bill: string;
  transactionId: string;
  name: string;
  city: string;
}): string {
  const merchantField =
    field('00', LAPNET_AID) + field('01', BCEL_IIN) + field('02', '002') + field('03', code.merchantId);
  const open = [
    field('00', '01'),
    field('01', '12'),
    field('38', merchantField),
    field('52', '7995'),
    field('53', '418'),
    field('54', code.kip),
    field('58', 'LA'),
    field('59', code.name),
    field('60', code.city),
    field('62', field('01', code.bill) + field('05', code.transactionId)),
    '6304',
  ].join('');
  return open + crc16(open);
}
