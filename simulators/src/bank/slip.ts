import QRCode from 'qrcode';
import { type Currency, formatMoneyWithCommas } from '../money.ts';
import { slipQr, walletSlipQr } from '../thai-qr.ts';
import { thaiDate, thaiTime } from '../time.ts';
import type { Transfer } from './accounts.ts';
import { BANKS, bankNumber } from './banks.ts';
import { maskAccount } from './mask.ts';
import { type Color, Picture } from './picture.ts';

const WIDTH = 720;
const HEIGHT = 1040;
const MARGIN = 56;
const QR_MODULE = 9;
const INK: Color = [34, 30, 40];
const QUIET: Color = [120, 112, 128];
const PAPER: Color = [255, 255, 255];
const RULE: Color = [226, 222, 230];

function rgb(hex: string): Color {
  return [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16)) as unknown as Color;
}

/** The text of a transfer's slip QR. */
export function slipPayload({ from, transRef, layout, at }: Transfer): string {
  if (layout === 'truemoney') return walletSlipQr(transRef, thaiDate(at));
  const whole = slipQr(bankNumber(from.bankCode), transRef);
  return layout === 'short-crc' ? whole.slice(0, -4) + whole.slice(-4).replace(/^0{1,3}/, '') : whole;
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

/** Draws the slip of a transfer as a PNG: when, who to whom with masked numbers, how much, and the mini QR. */
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

/** Draws any slip as a PNG. */
export function drawSlipOf(text: SlipText): Buffer {
  const slip = new Picture(WIDTH, HEIGHT, PAPER);
  slip.fill(0, 0, WIDTH, 132, rgb(text.color));
  slip.write(MARGIN, 40, text.head, 7, PAPER);
  slip.write(MARGIN, 168, 'TRANSFER COMPLETE', 4, INK);
  slip.write(MARGIN, 212, thaiTime(text.at).slice(0, 19).replace('T', ' '), 3, QUIET);
  slip.write(MARGIN, 244, `REF ${text.reference}`, 3, QUIET);
  const lines = [
    ['FROM', text.from],
    ['TO', text.to],
    ['AMOUNT', `${formatMoneyWithCommas(text.amount)} ${text.currency === 'LAK' ? 'LAK' : 'THB'}`],
  ] as const;
  for (const [index, [label, value]] of lines.entries()) {
    const top = 300 + index * 104;
    slip.fill(MARGIN, top - 12, WIDTH - 2 * MARGIN, 2, RULE);
    slip.write(MARGIN, top + 4, label, 3, QUIET);
    slip.write(MARGIN, top + 40, value, 4, INK);
  }
  drawQr(slip, text.payload, HEIGHT - 400);
  return slip.png();
}

/** Draws the mini QR alone, as SVG. */
export function drawSlipQr(transfer: Transfer): Promise<string> {
  return QRCode.toString(slipPayload(transfer), { type: 'svg', errorCorrectionLevel: 'M', margin: 1 });
}

function drawQr(slip: Picture, text: string, top: number): void {
  const { modules } = QRCode.create(text, { errorCorrectionLevel: 'M' });
  const left = Math.round((WIDTH - modules.size * QR_MODULE) / 2);
  for (let y = 0; y < modules.size; y++) {
    for (let x = 0; x < modules.size; x++) {
      if (modules.get(y, x)) slip.fill(left + x * QR_MODULE, top + y * QR_MODULE, QR_MODULE, QR_MODULE, INK);
    }
  }
}
