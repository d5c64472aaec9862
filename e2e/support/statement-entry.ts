/** A movement as the statement's answer has it: a deposit of 100 by KBANK, but for the changes. */
export const statementEntry = (number: number, changes: object) => ({
  _id: String(number),
  statementType: 'deposit',
  status: 'SUCCESS',
  from: 'KBANK',
  to: 'WALLET',
  amount: 100,
  requested: 100,
  reference: `R${number}`,
  reason: null,
  createdAt: new Date().toISOString(),
  ...changes,
});
