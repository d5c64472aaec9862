import { readEmvText } from './emv.ts';
import { readLaoQr } from './lao-qr.ts';
import { readPromptPay, readThaiBill } from './thai-qr.ts';

/** The payee of a payment QR, as members see it. What the QR lacks is null. */
export type Payee = {
  name: string | null;
  /** Masked to its last characters. */
  id: string | null;
  scheme: 'PROMPTPAY' | 'LAO_QR' | null;
};

const NAME_TAG = '59';
const SHOWN_CHARACTERS = 4;
/** Format characters could make a name look like another one; Thai and Lao words may contain the zero-width ones. */
const MISLEADING = /(?![\u200b-\u200d])[\p{Cf}\p{Zl}\p{Zp}]/u;

/** Reads the payee of an EMVCo text. @returns undefined for another form, and where it names no payee */
export function readPayee(text: string): Payee | undefined {
  const receiver = readReceiver(text);
  const name = (readEmvText(text)?.get(NAME_TAG) ?? '').trim();
  const shownName = name === '' || MISLEADING.test(name) ? null : name;
  if (shownName === null && !receiver) return undefined;
  return { name: shownName, id: receiver ? masked(receiver.id) : null, scheme: receiver?.scheme ?? null };
}

function readReceiver(text: string): { id: string; scheme: NonNullable<Payee['scheme']> } | undefined {
  const bill = readThaiBill(text);
  if (bill) return { id: bill.billerId, scheme: 'PROMPTPAY' };
  const transfer = readPromptPay(text);
  if (transfer) return { id: transfer.id, scheme: 'PROMPTPAY' };
  const lao = readLaoQr(text);
  return lao && { id: lao.receiver, scheme: 'LAO_QR' };
}

// A short id would be readable as a whole.
const masked = (id: string): string => `x-${id.slice(-Math.min(SHOWN_CHARACTERS, Math.floor(id.length / 2)))}`;
