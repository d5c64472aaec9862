import type { Currency, Minor } from '@krapao/contract/money';
import type { Ledger, Operation } from '../../ledger/module.ts';

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

/**
 * Credits a deposit to the member's wallet. Repeating it changes nothing.
 * @returns false when its key stands for another deposit: an operator has to look
 * @throws when the ledger has not applied it
 */
export async function creditDeposit(ledger: Pick<Ledger, 'post'>, deposit: Deposit): Promise<boolean> {
  const { house, ...rest } = deposit;
  const [verdict] = await ledger.post({
    ...rest,
    type: 'transfer',
    kind: 'deposit',
    debit: { house },
    credit: { member: deposit.memberId, kind: 'WALLET' },
  });
  if (verdict?.outcome === 'conflict') return false;
  if (verdict?.outcome !== 'applied') throw new Error(`the deposit ${deposit.reference} was not credited`);
  return true;
}
