import type { Currency, Minor } from '@krapao/contract/money';
import { type Ledger, type Operation, type LedgerCommand, retryOnRowLock } from '../../ledger/index.ts';

/** Money that has come, whatever way it took. */
type Deposit = {
  /** Names the money as its counterparty does: the same money is credited once, whichever way finds it first. */
  key: string;
  memberId: string;
  /** House account that received it. */
  house: string;
  currency: Currency;
  amount: Minor;
  reference: string;
  actor: Operation['actor'];
};

/** The rows that go with it: a kind of step, and its row. */
type Rows = Pick<LedgerCommand, 'kind'> &
  Partial<Pick<LedgerCommand, 'claims' | 'unique'>> & {
    row: { id: string; [column: string]: unknown };
  };

/** Credits a deposit to the member's wallet, as {@link postWithRows} does. */
export const postDeposit = (
  ledger: Pick<Ledger, 'postStep'>,
  { house, ...deposit }: Deposit,
  rows: Rows,
): Promise<string> =>
  postWithRows(
    ledger,
    {
      ...deposit,
      type: 'transfer',
      kind: 'deposit',
      debit: { house },
      credit: { member: deposit.memberId, kind: 'WALLET' },
    },
    rows,
  );

/**
 * Posts an operation in the commit that writes its rows. Repeating it changes nothing.
 * @returns the letter of the step, never `w`; they stand at its function in the schema `settlement`
 * @throws when the rows stayed locked, or the ledger refuses the money: nothing is written
 */
export async function postWithRows(
  ledger: Pick<Ledger, 'postStep'>,
  operation: Operation,
  { kind, row, claims = [row.id], unique = [] }: Rows,
): Promise<string> {
  const step: LedgerCommand = { kind, row, claims, unique, memberId: operation.memberId, groups: [[operation]] };
  const { letter } = await retryOnRowLock(() => ledger.postStep(step));
  if (letter === 'w') throw new Error(`the rows of the deposit ${operation.reference} are locked`);
  return letter;
}
