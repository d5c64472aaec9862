/** Parses a displayed amount: `฿1,234.50`, `+64.50`, `−200.00`. Throws for other text. */
export function parseSatang(amountText: string): bigint {
  const [, sign, wholeDigits, satangDigits] = /^\s*([+−-]?)\s*฿?\s*([\d,]+)\.(\d\d)\s*$/.exec(amountText) ?? [];
  if (wholeDigits === undefined || satangDigits === undefined)
    throw new Error(`not an amount with two decimals: ${amountText}`);
  const amount = BigInt(wholeDigits.replaceAll(',', '') + satangDigits);
  return sign === '' || sign === '+' ? amount : -amount;
}

/** Formats an amount without sign or currency: 123450n is `1,234.50`. */
export function formatSatang(satang: bigint): string {
  const digits = String(satang < 0n ? -satang : satang).padStart(3, '0');
  return `${digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ',')}.${digits.slice(-2)}`;
}
