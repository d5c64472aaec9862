/** What stands at the other end of a movement. */
export type Place =
  | { kind: 'bank'; bank: string | undefined }
  | { kind: 'walletApp' }
  | { kind: 'other'; name: string };

/** An account of ours at a bank. */
const BANK = /^bank:([A-Z0-9]+)$/;
const BANK_CODE = /^[A-Z]{2,8}$/;

/** Reads a name that the statement gives: `bank:SCB`, `BANK` for one of them, `WALLET_APP`, a gateway's or a game's code. */
export function placeOf(account: string): Place {
  const [, bank] = BANK.exec(account) ?? [];
  if (bank || account === 'BANK') return { kind: 'bank', bank };
  if (account === 'WALLET_APP') return { kind: 'walletApp' };
  return { kind: 'other', name: account };
}

/** The bank that a withdrawal went to; undefined when the statement names an account of ours instead. */
export const bankOf = (to: string): string | undefined => (BANK_CODE.test(to) ? to : undefined);
