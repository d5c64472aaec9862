import type { Ledger, Operation } from '../../ledger/module.ts';
import type { Withdrawal } from './withdraw.ts';

/**
 * The ledger operations of a withdrawal. Their keys are made of its reference, so that whoever repeats a step after a
 * crash gets the first answer instead of a second movement.
 */
export async function holdMoney(ledger: Ledger, withdrawal: Withdrawal): Promise<'held' | 'insufficient'> {
  const { amount } = withdrawal;
  const [verdict] = await ledger.post({ ...common(withdrawal, 'hold', 'member'), type: 'hold', amount });
  if (verdict?.outcome === 'applied') return 'held';
  if (verdict?.reason === 'insufficient') return 'insufficient';
  throw new Error(`the ledger refused a hold: ${verdict?.reason ?? 'no verdict'}`);
}

/** The bank has paid: what was held is gone. */
export const settleMoney = (ledger: Ledger, withdrawal: Withdrawal): Promise<void> =>
  resolve(ledger, withdrawal, 'post');

/** Nothing was paid: the money is free again. */
export const giveMoneyBack = (ledger: Ledger, withdrawal: Withdrawal): Promise<void> =>
  resolve(ledger, withdrawal, 'void');

async function resolve(ledger: Ledger, withdrawal: Withdrawal, type: 'post' | 'void'): Promise<void> {
  const [verdict] = await ledger.post({
    ...common(withdrawal, type, withdrawal.proofBy ?? 'resolver'),
    type,
    pendingKey: keyOf(withdrawal, 'hold'),
    amount: withdrawal.amount,
  });
  if (verdict?.outcome !== 'applied') {
    throw new Error(`the ledger refused to ${type} ${withdrawal.reference}: ${verdict?.reason ?? 'no verdict'}`);
  }
}

type Word = 'hold' | 'post' | 'void';

const keyOf = ({ reference }: Withdrawal, word: Word): string =>
  word === 'hold' ? `withdraw:${reference}` : `withdraw:${reference}:${word}`;

function common(withdrawal: Withdrawal, word: Word, actor: string): Omit<Operation, 'type' | 'amount'> {
  const { memberId, currency, reference, paidFrom } = withdrawal;
  return {
    key: keyOf(withdrawal, word),
    kind: 'withdraw',
    memberId,
    currency,
    debit: { member: memberId, kind: 'WALLET' },
    credit: { house: `payout:${paidFrom}` },
    reference,
    actor,
  };
}
