/** Money is integer satang of credit, odds are integer hundredths; neither is ever a fraction. */

function twoDecimals(hundredths) {
  const digits = String(Math.abs(hundredths)).padStart(3, '0');
  return [digits.slice(0, -2), digits.slice(-2)];
}

/** Satang as `1,234.50`. */
export function money(satang) {
  const [whole, cents] = twoDecimals(satang);
  return `${satang < 0 ? '−' : ''}${whole.replace(/\B(?=(\d{3})+$)/g, ',')}.${cents}`;
}

/** Satang as short as it can be said: `1,000`, `12.50`. */
export function shortMoney(satang) {
  return money(satang).replace(/\.00$/, '');
}

export function oddsText(odds) {
  return twoDecimals(odds).join('.');
}

/** Half goals as a line: -3 is `−1.5`; `signed` shows a plus as well. */
export function lineText(halves, signed) {
  const sign = halves < 0 ? '−' : signed && halves > 0 ? '+' : '';
  const whole = Math.trunc(Math.abs(halves) / 2);
  return `${sign}${whole}${halves % 2 === 0 ? '' : '.5'}`;
}

/** What a person typed as satang; undefined when it is no amount. */
export function readMoney(text) {
  const match = /^(\d{1,9})(?:\.(\d{0,2}))?$/.exec(text.replaceAll(/[,\s]/g, ''));
  return match ? Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0')) : undefined;
}

/** What a bet returns when it wins, stake included, rounded down. */
export function returnOf(stake, odds) {
  const hundredfold = stake * odds;
  return (hundredfold - (hundredfold % 100)) / 100;
}

/** Milliseconds as `4:05`. */
export function countdown(ms) {
  const seconds = Math.max(Math.ceil(ms / 1000), 0);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** What a score makes of a selection: `won`, `lost` or `void`. */
export function verdictOf({ market, line, pick }, { home, away }) {
  const lead = home - away;
  if (market === 'result') return pick === (lead > 0 ? 'home' : lead < 0 ? 'away' : 'draw') ? 'won' : 'lost';
  const over = market === 'total' ? (home + away) * 2 - line : lead * 2 + line;
  if (over === 0) return 'void';
  return over > 0 === (pick === 'over' || pick === 'home') ? 'won' : 'lost';
}
