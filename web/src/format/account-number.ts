/** A bank account number as 3-3-rest when it has exactly 10 characters; any other as it is. */
export const formatAccountNumber = (number: string): string =>
  number.length === 10 ? `${number.slice(0, 3)}-${number.slice(3, 6)}-${number.slice(6)}` : number;
