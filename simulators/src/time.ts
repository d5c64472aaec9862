const BANGKOK_OFFSET_MS = 7 * 60 * 60 * 1000;

/** Formats a time as ISO 8601 in Thai time, e.g. `2026-11-21T15:02:11.123+07:00`. */
export function thaiTime(epochMs: number): string {
  return new Date(epochMs + BANGKOK_OFFSET_MS).toISOString().replace('Z', '+07:00');
}

/** Thai date and time as 14 digits, `20261121150211`, as in bank references. */
export function thaiDigits(epochMs: number): string {
  return thaiTime(epochMs).slice(0, 19).replace(/\D/g, '');
}

/** Thai date as DDMMYYYY, `21112026`, as on wallet slips. */
export function thaiDate(epochMs: number): string {
  const digits = thaiDigits(epochMs);
  return digits.slice(6, 8) + digits.slice(4, 6) + digits.slice(0, 4);
}
