import { crc16, readFields } from '../../../adapters/gateway/emv.ts';

/** A slip's QR code: it identifies a transfer of a bank or of the wallet app, without amount or parties. */
export type SlipCode =
  | { kind: 'bank'; sendingBank: string; transRef: string }
  | { kind: 'wallet-app'; eventType: string; transactionId: string };

/** `damaged`: the layout of a slip's code, with a wrong checksum. */
export type CodeReading = SlipCode | 'damaged' | 'other';

const CHARACTERS_MAX = 128;
const CODE_HEADER = /^00(\d{2})/;
/** Some bank apps drop leading zeros of the checksum. */
const BANK_TAIL = /^5102TH9104([0-9A-Fa-f]{1,4})$/;
const WALLET_APP_TAIL = /^9104([0-9A-Fa-f]{4})$/;
const CRC_DIGITS = 4;

/** Parses a code strictly: text that a bank app might parse differently is rejected. */
export function readSlipCode(text: string): CodeReading {
  const length = CODE_HEADER.exec(text)?.[1];
  if (length === undefined || text.length > CHARACTERS_MAX) return 'other';
  const fieldsEnd = 4 + Number(length);
  const fields = readFields(text.slice(4, fieldsEnd));
  if (!fields) return 'other';
  const checksumField = text.slice(fieldsEnd);
  const bankCrc = BANK_TAIL.exec(checksumField)?.[1];
  const code = bankCrc === undefined ? parseWalletAppCode(fields) : parseBankCode(fields);
  const crc = bankCrc ?? WALLET_APP_TAIL.exec(checksumField)?.[1];
  if (!code || crc === undefined) return 'other';
  const isIntact = crc16(text.slice(0, -crc.length)) === crc.toUpperCase().padStart(CRC_DIGITS, '0');
  return isIntact ? code : 'damaged';
}

function parseBankCode(fields: ReadonlyMap<string, string>): SlipCode | undefined {
  if ([...fields.keys()].join() !== '00,01,02' || fields.get('00') !== '000001') return undefined;
  const [sendingBank = '', transRef = ''] = [fields.get('01'), fields.get('02')];
  if (!/^\d{3}$/.test(sendingBank) || !/^[A-Za-z0-9]{1,25}$/.test(transRef)) return undefined;
  return { kind: 'bank', sendingBank, transRef };
}

function parseWalletAppCode(fields: ReadonlyMap<string, string>): SlipCode | undefined {
  if ([...fields.keys()].join() !== '00,01,02,03,04') return undefined;
  if (fields.get('00') !== '01' || fields.get('01') !== '01' || !/^\d{8}$/.test(fields.get('04') ?? ''))
    return undefined;
  const [eventType = '', transactionId = ''] = [fields.get('02'), fields.get('03')];
  if (!/^[A-Z0-9]{1,8}$/.test(eventType) || !/^[A-Za-z0-9]{1,40}$/.test(transactionId)) return undefined;
  return { kind: 'wallet-app', eventType, transactionId };
}

/** Key of the transfer: equal for codes of the same transfer. */
const transferKey = (code: SlipCode): string =>
  code.kind === 'bank' ? `bank ${code.sendingBank} ${code.transRef}` : `wallet-app ${code.transactionId}`;

export type CodeAgreement =
  | { verdict: 'slip'; code: SlipCode }
  | { verdict: 'UNSTABLE_REFNO_ON_SLIP' | 'INVALID_SLIP' | 'CANNOT_READ_CROPPED_IMAGE' };

/** Finds the only transfer that all codes of an image identify, or the reason why there is none. */
export function agreeOnCode(texts: readonly string[]): CodeAgreement {
  const readings = texts.map(readSlipCode);
  const codes = new Map<string, SlipCode>();
  for (const reading of readings) if (typeof reading === 'object') codes.set(transferKey(reading), reading);
  const [code] = codes.values();
  if (codes.size > 1 || readings.includes('damaged')) return { verdict: 'UNSTABLE_REFNO_ON_SLIP' };
  if (code) return { verdict: 'slip', code };
  return { verdict: texts.length > 0 ? 'INVALID_SLIP' : 'CANNOT_READ_CROPPED_IMAGE' };
}
