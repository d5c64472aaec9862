import QRCode from 'qrcode';
import { formatMoneyWithCommas } from '../money.ts';
import { slipQr } from '../thai-qr.ts';
import { thaiTime } from '../time.ts';
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
export function slipPayload(transfer: Transfer): string {
  return slipQr(bankNumber(transfer.from.bankCode), transfer.id);
}

/** Draws the slip of a transfer as a PNG: when, who to whom with masked numbers, how much, and the mini QR. */
export function drawSlip(transfer: Transfer): Buffer {
  const color = rgb(BANKS.find((bank) => bank.code === transfer.from.bankCode)?.color ?? '#40384c');
  const slip = new Picture(WIDTH, HEIGHT, PAPER);
  slip.fill(0, 0, WIDTH, 132, color);
  slip.write(MARGIN, 40, transfer.from.bankCode, 7, PAPER);
  slip.write(MARGIN, 168, 'TRANSFER COMPLETE', 4, INK);
  slip.write(MARGIN, 212, thaiTime(transfer.at).slice(0, 19).replace('T', ' '), 3, QUIET);
  slip.write(MARGIN, 244, `REF ${transfer.id}`, 3, QUIET);
  const lines = [
    ['FROM', `${transfer.from.bankCode} ${maskAccount(transfer.from.accountNo)}`],
    ['TO', `${transfer.to.bankCode} ${maskAccount(transfer.to.accountNo)}`],
    ['AMOUNT', `${formatMoneyWithCommas(transfer.amount)} ${transfer.currency === 'LAK' ? 'LAK' : 'THB'}`],
  ] as const;
  for (const [index, [label, value]] of lines.entries()) {
    const top = 300 + index * 104;
    slip.fill(MARGIN, top - 12, WIDTH - 2 * MARGIN, 2, RULE);
    slip.write(MARGIN, top + 4, label, 3, QUIET);
    slip.write(MARGIN, top + 40, value, 4, INK);
  }
  drawQr(slip, slipPayload(transfer), HEIGHT - 400);
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
