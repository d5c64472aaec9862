/** Masks an account number as bank notices do: `1234567890` becomes `xxx-x-x6789-x`. */
export function maskAccount(accountNo: string): string {
  const visibleDigits = accountNo.slice(-5, -1);
  if (accountNo.length === 10) return `xxx-x-x${visibleDigits}-x`;
  return `${'x'.repeat(Math.max(accountNo.length - 5, 0))}${visibleDigits}x`;
}

/** Shortens a name to the first name and the initial of the last name. */
export function maskName(name: string): string {
  const nameWords = name.trim().split(/\s+/);
  const lastName = nameWords.length > 1 ? nameWords.at(-1) : undefined;
  const firstNames = nameWords.slice(0, Math.max(nameWords.length - 1, 1)).join(' ');
  // A Thai initial includes its leading vowel, without which the consonant can't be read.
  const initial = lastName === undefined ? '' : (/^[เแโใไ]?./u.exec(lastName)?.[0] ?? '');
  return initial ? `${firstNames} ${initial}` : firstNames;
}

const LAST_SIX = 6;
const FIRST_LETTERS = 10;

/**
 * Account number and name as a bank shows them to others: each bank masks different digits.
 * @param bankCode the bank that shows the account
 */
export function maskedHolder(
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
