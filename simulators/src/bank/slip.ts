import QRCode from 'qrcode';
import { type Currency, formatMoneyWithCommas } from '../money.ts';
import { slipQr, walletSlipQr } from '../thai-qr.ts';
import { thaiDate, thaiTime } from '../time.ts';
import type { Transfer } from './accounts.ts';
import { BANKS, bankNumber } from './banks.ts';
import { type Color, Canvas } from './canvas.ts';
import { maskAccount } from './mask.ts';

const SLIP_WIDTH = 720;
const SLIP_HEIGHT = 1040;
const SLIP_MARGIN = 56;
const QR_MODULE = 9;
const TEXT_COLOR: Color = [34, 30, 40];
const LABEL_COLOR: Color = [120, 112, 128];
const PAPER_COLOR: Color = [255, 255, 255];
const LINE_COLOR: Color = [226, 222, 230];

function parseColor(hex: string): Color {
  return [1, 3, 5].map((offset) => Number.parseInt(hex.slice(offset, offset + 2), 16)) as unknown as Color;
}

/** Text of the QR code on a transfer's slip. */
export function slipPayload({ from, transRef, layout, at }: Transfer): string {
  if (layout === 'truemoney') return walletSlipQr(transRef, thaiDate(at));
  const fullPayload = slipQr(bankNumber(from.bankCode), transRef);
  return layout === 'short-crc' ? fullPayload.slice(0, -4) + fullPayload.slice(-4).replace(/^0{1,3}/, '') : fullPayload;
}

/** Contents of a slip. */
export type SlipText = {
  head: string;
  color: string;
  at: number;
  reference: string;
  from: string;
  to: string;
  amount: number;
  currency: Currency;
  payload: string;
};

/** Draws the slip of a transfer as a PNG: time, sender and receiver with masked numbers, amount, and the mini QR. */
export function drawSlip(transfer: Transfer): Buffer {
  const { from, to, at, amount, currency } = transfer;
  return drawSlipOf({
    head: from.bankCode,
    color: BANKS.find((bank) => bank.code === from.bankCode)?.color ?? '#40384c',
    at,
    reference: transfer.transRef,
    from: `${from.bankCode} ${maskAccount(from.accountNo)}`,
    to: `${to.bankCode} ${maskAccount(to.accountNo)}`,
    amount,
    currency,
    payload: slipPayload(transfer),
  });
}

/** Draws a slip of any kind as a PNG. */
export function drawSlipOf(text: SlipText): Buffer {
  const slip = new Canvas(SLIP_WIDTH, SLIP_HEIGHT, PAPER_COLOR);
  slip.fill(0, 0, SLIP_WIDTH, 132, parseColor(text.color));
  slip.write(SLIP_MARGIN, 40, text.head, 7, PAPER_COLOR);
  slip.write(SLIP_MARGIN, 168, 'TRANSFER COMPLETE', 4, TEXT_COLOR);
  slip.write(SLIP_MARGIN, 212, thaiTime(text.at).slice(0, 19).replace('T', ' '), 3, LABEL_COLOR);
  slip.write(SLIP_MARGIN, 244, `REF ${text.reference}`, 3, LABEL_COLOR);
  const slipLines = [
    ['FROM', text.from],
    ['TO', text.to],
    ['AMOUNT', `${formatMoneyWithCommas(text.amount)} ${text.currency === 'LAK' ? 'LAK' : 'THB'}`],
  ] as const;
  for (const [index, [label, value]] of slipLines.entries()) {
    const rowTop = 300 + index * 104;
    slip.fill(SLIP_MARGIN, rowTop - 12, SLIP_WIDTH - 2 * SLIP_MARGIN, 2, LINE_COLOR);
    slip.write(SLIP_MARGIN, rowTop + 4, label, 3, LABEL_COLOR);
    slip.write(SLIP_MARGIN, rowTop + 40, value, 4, TEXT_COLOR);
  }
  drawQr(slip, text.payload, SLIP_HEIGHT - 400);
  return slip.png();
}

/** Draws the mini QR alone, as SVG. */
export function drawSlipQr(transfer: Transfer): Promise<string> {
  return QRCode.toString(slipPayload(transfer), { type: 'svg', errorCorrectionLevel: 'M', margin: 1 });
}

function drawQr(slip: Canvas, text: string, top: number): void {
  const { modules } = QRCode.create(text, { errorCorrectionLevel: 'M' });
  const leftEdge = Math.round((SLIP_WIDTH - modules.size * QR_MODULE) / 2);
  for (let y = 0; y < modules.size; y++) {
    for (let x = 0; x < modules.size; x++) {
      if (modules.get(y, x)) slip.fill(leftEdge + x * QR_MODULE, top + y * QR_MODULE, QR_MODULE, QR_MODULE, TEXT_COLOR);
    }
  }
}
