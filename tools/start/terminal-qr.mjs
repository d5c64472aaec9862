/** Quiet zone in modules. With a smaller one cameras miss the code on a dark screen. */
const MARGIN_MODULES = 4;
const BLACK_ON_WHITE = '\u001B[30;47m';
const AS_BEFORE = '\u001B[0m';

/** Draws a QR code for a terminal of any colours; each character shows two modules, one above the other. */
export async function terminalQr(text) {
  // Imported here, because npm start may have installed it only now.
  const { default: qrcode } = await import('qrcode');
  const { modules } = qrcode.create(text, { errorCorrectionLevel: 'M' });
  const isDark = (row, column) =>
    row >= 0 && column >= 0 && row < modules.size && column < modules.size && modules.get(row, column) === 1;
  const lines = [];
  for (let row = -MARGIN_MODULES; row < modules.size + MARGIN_MODULES; row += 2) {
    let line = '';
    for (let column = -MARGIN_MODULES; column < modules.size + MARGIN_MODULES; column += 1)
      line += ' ▀▄█'[Number(isDark(row, column)) + 2 * Number(isDark(row + 1, column))];
    lines.push(`${BLACK_ON_WHITE}${line}${AS_BEFORE}`);
  }
  return lines.join('\n');
}
