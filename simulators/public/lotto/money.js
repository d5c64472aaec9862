/** Text with two decimals to satang, without floating point. */
export const satang = (text) => Number(text.replace('.', ''));

/** Satang with commas; what is no whole baht shows its satang. */
export function money(amount) {
  const digits = String(amount).padStart(3, '0');
  const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ',');
  return digits.endsWith('00') ? whole : `${whole}.${digits.slice(-2)}`;
}

/** Always with two decimals. */
export function exactMoney(amount) {
  const text = money(amount);
  return text.includes('.') ? text : `${text}.00`;
}

/** What a bet pays, in tenths, as people say it: 900, 3.2. */
export const times = (tenths) =>
  tenths % 10 === 0 ? String(tenths / 10) : `${Math.floor(tenths / 10)}.${tenths % 10}`;

/** The hour of an instant in Thailand and Laos. */
export const hour = (at) => new Date(at + 7 * 3_600_000).toISOString().slice(11, 16);

/** A while as minutes and seconds. */
export function minutes(ms) {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}
