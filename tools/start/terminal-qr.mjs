/** Quiet zone in modules: with fewer, cameras miss the code on a dark screen. */
const MARGIN = 4;
const BLACK_ON_WHITE = '\u001B[30;47m';
const AS_BEFORE = '\u001B[0m';

/** A QR code for a terminal of any colours; a character holds two modules, one above the other. */
export async function terminalQr(text) {
  // Imported here: npm start may have installed it only now.
  const { default: qrcode } = await import('qrcode');
  const { modules } = qrcode.create(text, { errorCorrectionLevel: 'M' });
  const isDark = (row, column) =>
    row >= 0 && column >= 0 && row < modules.size && column < modules.size && modules.get(row, column) === 1;
  const lines = [];
  for (let row = -MARGIN; row < modules.size + MARGIN; row += 2) {
    let line = '';
    for (let column = -MARGIN; column < modules.size + MARGIN; column += 1)
      line += ' ▀▄█'[Number(isDark(row, column)) + 2 * Number(isDark(row + 1, column))];
    lines.push(`${BLACK_ON_WHITE}${line}${AS_BEFORE}`);
  }
  return lines.join('\n');
}
