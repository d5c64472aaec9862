/** What stands at the other end of a movement. */
export type Place =
  | { kind: 'bank'; bank: string | undefined }
  | { kind: 'walletApp' }
  | { kind: 'suspense' }
  | { kind: 'other'; name: string };

/** An account of ours at a bank: its code and its number, as the ledger names it. */
const BANK = /^(?:bank|payout):([A-Z]+)-\d+$/i;
const BANK_CODE = /^[A-Z]{2,8}$/;

/** Reads a name that the statement gives: `bank:SCB-4680001234`, `wallet-app`, `suspense`, a gateway's or a game's code. */
export function placeOf(account: string): Place {
  const [, bank] = BANK.exec(account) ?? [];
  if (bank) return { kind: 'bank', bank: bank.toUpperCase() };
  const name = account.toLowerCase();
  if (name === 'bank') return { kind: 'bank', bank: undefined };
  if (name === 'wallet-app') return { kind: 'walletApp' };
  if (name === 'suspense') return { kind: 'suspense' };
  return { kind: 'other', name: account };
}

/** The bank that a withdrawal went to; undefined when the statement names an account of ours instead. */
export const bankOf = (to: string): string | undefined => (BANK_CODE.test(to) ? to : undefined);
