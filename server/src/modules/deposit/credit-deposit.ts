import type { Currency, Minor } from '@krapao/contract/money';
import type { Ledger, Operation, Step } from '../../ledger/module.ts';
import { retryLocked } from '../../settlement/step.ts';

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
 * Credits a deposit to the member's wallet, in the commit that writes its rows.
 * @param step kind of step, and its row; the letters stand at `settlement.<kind>_admit`
 * @returns the letter of the step, never `w`
 * @throws when the rows stayed locked, or the ledger refuses the money: nothing is written
 */
export async function postDeposit(
  ledger: Pick<Ledger, 'postStep'>,
  deposit: Deposit,
  step: Pick<Step, 'kind' | 'row' | 'claims' | 'unique'>,
): Promise<string> {
  const { memberId } = deposit;
  const { letter } = await retryLocked(() => ledger.postStep({ ...step, memberId, groups: [[operationOf(deposit)]] }));
  if (letter === 'w') throw new Error(`the rows of the deposit ${deposit.reference} are locked`);
  return letter;
}

const operationOf = ({ house, ...deposit }: Deposit): Operation => ({
  ...deposit,
  type: 'transfer',
  kind: 'deposit',
  debit: { house },
  credit: { member: deposit.memberId, kind: 'WALLET' },
});

/**
 * Credits a deposit to the member's wallet. Repeating it changes nothing.
 * @returns false when its key stands for another deposit: an operator has to look
 * @throws when the ledger has not applied it
 */
export async function creditDeposit(ledger: Pick<Ledger, 'post'>, deposit: Deposit): Promise<boolean> {
  const [verdict] = await ledger.post(operationOf(deposit));
  if (verdict?.outcome === 'conflict') return false;
  if (verdict?.outcome !== 'applied') throw new Error(`the deposit ${deposit.reference} was not credited`);
  return true;
}
