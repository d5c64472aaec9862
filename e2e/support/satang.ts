/** Satang of an amount as it is shown: `฿1,234.50`, `+64.50`, `−200.00`. Throws when it is none. */
export function satangOf(shown: string): bigint {
  const [, sign, whole, rest] = /^\s*([+−-]?)\s*฿?\s*([\d,]+)\.(\d\d)\s*$/.exec(shown) ?? [];
  if (whole === undefined || rest === undefined) throw new Error(`not an amount with two decimals: ${shown}`);
  const amount = BigInt(whole.replaceAll(',', '') + rest);
  return sign === '' || sign === '+' ? amount : -amount;
}

/** An amount as it is shown, without sign or currency: 123450n is `1,234.50`. */
export function shown(satang: bigint): string {
  const digits = String(satang < 0n ? -satang : satang).padStart(3, '0');
  return `${digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ',')}.${digits.slice(-2)}`;
}
