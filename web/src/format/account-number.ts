/** A bank account number as 3-3-rest when it has exactly 10 characters; any other as it is. */
export const formatAccountNumber = (number: string): string =>
  number.length === 10 ? `${number.slice(0, 3)}-${number.slice(3, 6)}-${number.slice(6)}` : number;

/** Formats the digits of an account number in groups of 3-3-4-4. */
export function groupedAccountNumber(digits: string): string {
  const rest = digits.slice(6).match(/\d{1,4}/g) ?? [];
  return [digits.slice(0, 3), digits.slice(3, 6), ...rest].filter(Boolean).join('-');
}
