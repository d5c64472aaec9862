/** Hides an account number the way bank notices do: `1234567890` becomes `xxx-x-x6789-x`. */
export function maskAccount(accountNo: string): string {
  const seen = accountNo.slice(-5, -1);
  if (accountNo.length === 10) return `xxx-x-x${seen}-x`;
  return `${'x'.repeat(Math.max(accountNo.length - 5, 0))}${seen}x`;
}

/** Shortens a name to the first name and the initial of the last one. */
export function maskName(name: string): string {
  const parts = name.trim().split(/\s+/);
  const last = parts.length > 1 ? parts.at(-1) : undefined;
  const first = parts.slice(0, Math.max(parts.length - 1, 1)).join(' ');
  // A Thai initial needs its leading vowel's consonant as well, or it can't be read.
  const initial = last === undefined ? '' : (/^[เแโใไ]?./u.exec(last)?.[0] ?? '');
  return initial ? `${first} ${initial}` : first;
}
