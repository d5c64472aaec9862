import type { Currency, Minor } from '@krapao/contract/money';
import { type Ledger, type Operation, type LedgerCommand, retryOnRowLock } from '../../ledger/index.ts';

/** Received money of any deposit method. */
type Deposit = {
  /** Derived from the counterparty's identifier, so that no two reports credit the same money. */
  key: string;
  memberId: string;
  /** House account that received it. */
  houseAccount: string;
  currency: Currency;
  amount: Minor;
  reference: string;
  actor: Operation['actor'];
};

/** Rows written in the same commit: the kind of the ledger command, and its row. */
type CommandRows<O extends string> = Pick<LedgerCommand<O>, 'kind' | 'outcomes'> &
  Partial<Pick<LedgerCommand, 'claims' | 'unique'>> & {
    row: { id: string; [column: string]: unknown };
  };

/** Credits a deposit to the member's wallet in the commit that writes its rows, see {@link postWithRows}. */
export const postDeposit = <O extends string>(
  ledger: Pick<Ledger, 'postCommand'>,
  { houseAccount, ...deposit }: Deposit,
  rows: CommandRows<O>,
): Promise<Exclude<O, 'row_locked'>> =>
  postWithRows(
    ledger,
    {
      ...deposit,
      type: 'transfer',
      kind: 'deposit',
      debit: { houseAccount },
      credit: { member: deposit.memberId, kind: 'WALLET' },
    },
    { ...rows, row: { ...rows.row, key: deposit.key } },
  );

/**
 * Posts an operation in the commit that writes its rows. Repeating it changes nothing.
 * @returns the outcome, which `commands.<kind>_admit` explains
 * @throws when the rows stayed locked, or the ledger refuses the money: nothing is written
 */
export async function postWithRows<O extends string>(
  ledger: Pick<Ledger, 'postCommand'>,
  operation: Operation,
  { claims, unique = [], ...rows }: CommandRows<O>,
): Promise<Exclude<O, 'row_locked'>> {
  const { memberId } = operation;
  const command: LedgerCommand<O> = {
    ...rows,
    claims: claims ?? [rows.row.id],
    unique,
    memberId,
    groups: [[operation]],
  };
  const { outcome } = await retryOnRowLock(() => ledger.postCommand(command));
  if (outcome === 'row_locked') throw new Error(`the rows of the deposit ${operation.reference} are locked`);
  return outcome as Exclude<O, 'row_locked'>;
}
