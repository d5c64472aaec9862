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

const LAST_SIX = 6;
const FIRST_LETTERS = 10;

/**
 * An account as a bank shows it to others: each bank masks different parts.
 * @param bankCode the bank that shows it
 */
export function shownBy(
  bankCode: string,
  holder: { accountNo: string; accountName: string },
): { accountNo: string; name: string | null } {
  const { accountNo, accountName } = holder;
  switch (bankCode) {
    case 'KBANK':
      return {
        accountNo: 'x'.repeat(Math.max(accountNo.length - LAST_SIX, 0)) + accountNo.slice(-LAST_SIX),
        name: maskName(accountName),
      };
    case 'GSB':
      return { accountNo: maskAccount(accountNo), name: null };
    case 'BCEL':
      return {
        accountNo: accountNo.slice(0, 3) + 'x'.repeat(Math.max(accountNo.length - 7, 0)) + accountNo.slice(3).slice(-4),
        name: accountName.toUpperCase().slice(0, FIRST_LETTERS).trimEnd(),
      };
    default:
      return { accountNo: maskAccount(accountNo), name: maskName(accountName) };
  }
}
