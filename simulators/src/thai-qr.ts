/** Thai QR codes by EMVCo: a strict parser, and the two kinds of codes that the bank itself issues. */

export type Fields = ReadonlyMap<string, string>;

const BILL_PAYMENT_AID = 'A000000677010112';
const CREDIT_TRANSFER_AID = 'A000000677010111';
const MAX_LENGTH = 512;

/** CRC-16/CCITT-FALSE of ASCII text: four upper-case hex digits. */
export function crc16(text: string): string {
  let crc = 0xffff;
  for (const byte of Buffer.from(text, 'utf8')) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc.toString(16).toUpperCase().padStart(4, '0');
}

/**
 * Splits text into tag-length-value fields; undefined when a length exceeds the text, a tag repeats, or text is left
 * over.
 */
export function readFields(text: string): Fields | undefined {
  const fields = new Map<string, string>();
  for (let offset = 0; offset < text.length;) {
    const head = /^(\d{2})(\d{2})$/.exec(text.slice(offset, offset + 4));
    if (!head) return undefined;
    const [, tag = '', length = ''] = head;
    const end = offset + 4 + Number(length);
    if (end > text.length || length === '00' || fields.has(tag)) return undefined;
    fields.set(tag, text.slice(offset + 4, end));
    offset = end;
  }
  return fields.size > 0 ? fields : undefined;
}

/** Content of a scanned code. `amount` is the text of tag 54. */
export type ScannedPayment =
  | {
      kind: 'bill';
      billerId: string;
      reference1: string | null;
      reference2: string | null;
      amount: string | null;
      payee: string | null;
    }
  | {
      kind: 'promptpay';
      proxy: 'mobile' | 'national-id' | 'e-wallet' | 'account';
      id: string;
      amount: string | null;
      payee: string | null;
    };

/**
 * Parses a Thai payment QR strictly.
 * @returns undefined for anything else: garbage, a wrong CRC, another currency or country, an unknown scheme
 */
export function readPaymentQr(payload: string): ScannedPayment | undefined {
  if (payload.length > MAX_LENGTH || !/^[\x20-\x7e]+$/.test(payload)) return undefined;
  const body = payload.slice(0, -4);
  if (!body.endsWith('6304') || crc16(body) !== payload.slice(-4).toUpperCase()) return undefined;
  const fields = readFields(payload);
  if (!fields || fields.get('00') !== '01' || !payload.startsWith('000201')) return undefined;
  if (fields.get('53') !== '764' || fields.get('58') !== 'TH') return undefined;
  const commonFields = { amount: fields.get('54') ?? null, payee: fields.get('59') ?? null };
  const bill = fields.get('30');
  if (bill !== undefined) return readBill(bill, commonFields);
  const transfer = fields.get('29');
  return transfer === undefined ? undefined : readCreditTransfer(transfer, commonFields);
}

function readBill(value: string, common: { amount: string | null; payee: string | null }): ScannedPayment | undefined {
  const fields = readFields(value);
  const billerId = fields?.get('01');
  if (!fields || fields.get('00') !== BILL_PAYMENT_AID || !billerId || !/^\d{13}(\d{2})?$/.test(billerId))
    return undefined;
  return {
    kind: 'bill',
    billerId,
    reference1: fields.get('02') ?? null,
    reference2: fields.get('03') ?? null,
    ...common,
  };
}

const PROXY_TAGS = [
  { tag: '01', proxy: 'mobile', shape: /^\d{13}$/ },
  { tag: '02', proxy: 'national-id', shape: /^\d{13}$/ },
  { tag: '03', proxy: 'e-wallet', shape: /^\d{15}$/ },
  { tag: '04', proxy: 'account', shape: /^\d{4,43}$/ },
] as const;

function readCreditTransfer(
  value: string,
  common: { amount: string | null; payee: string | null },
): ScannedPayment | undefined {
  const fields = readFields(value);
  if (!fields || fields.get('00') !== CREDIT_TRANSFER_AID) return undefined;
  for (const { tag, proxy, shape } of PROXY_TAGS) {
    const id = fields.get(tag);
    if (id !== undefined) return shape.test(id) ? { kind: 'promptpay', proxy, id, ...common } : undefined;
  }
  return undefined;
}

/** Encodes one field of a code. */
export function field(tag: string, value: string): string {
  if (value.length < 1 || value.length > 99) throw new Error(`field ${tag} has ${value.length} characters`);
  return `${tag}${String(value.length).padStart(2, '0')}${value}`;
}

function withCrc(body: string, crcTag: string): string {
  const open = `${body}${crcTag}04`;
  return open + crc16(open);
}

/** Creates a single-use bill payment QR. `amount` is text with two decimals; references are `[A-Z0-9]`, at most 20. */
export function billPaymentQr(bill: {
  billerId: string;
  reference1: string;
  reference2: string;
  amount: string;
  name: string;
  city: string;
}): string {
  const account =
    field('00', BILL_PAYMENT_AID) +
    field('01', bill.billerId) +
    field('02', bill.reference1) +
    field('03', bill.reference2);
  return withCrc(
    field('00', '01') +
      field('01', '12') +
      field('30', account) +
      field('53', '764') +
      field('54', bill.amount) +
      field('58', 'TH') +
      field('59', bill.name.slice(0, 25)) +
      field('60', bill.city.slice(0, 15)),
    '63',
  );
}

/**
 * Creates a PromptPay QR with a fixed amount to an e-wallet. `label` makes the code unique; the transfer does not carry
 * it.
 */
export function promptPayQr(transfer: { eWallet: string; amount: string; name: string; label: string }): string {
  return withCrc(
    field('00', '01') +
      field('01', '12') +
      field('29', field('00', CREDIT_TRANSFER_AID) + field('03', transfer.eWallet)) +
      field('53', '764') +
      field('54', transfer.amount) +
      field('58', 'TH') +
      field('59', transfer.name.slice(0, 25)) +
      field('62', field('07', transfer.label)),
    '63',
  );
}

/**
 * Creates the mini QR of a slip: three digits of the sending bank and the bank's transaction reference (at most 25).
 */
export function slipQr(sendingBank: string, transactionReference: string): string {
  const payload = field('00', '000001') + field('01', sendingBank) + field('02', transactionReference);
  return withCrc(field('00', payload) + field('51', 'TH'), '91');
}

/** Creates the QR of a wallet transfer's slip: no country, and a check sum in lower case. `date` is DDMMYYYY. */
export function walletSlipQr(transactionId: string, date: string): string {
  const payload =
    field('00', '01') + field('01', '01') + field('02', 'P2P') + field('03', transactionId) + field('04', date);
  const open = `${field('00', payload)}9104`;
  return open + crc16(open).toLowerCase();
}
