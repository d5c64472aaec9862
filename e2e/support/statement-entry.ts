/** A statement entry as in the API's reply: a deposit of 100 by KBANK, with these changes. */
export const statementEntry = (number: number, changes: object) => ({
  _id: String(number),
  statementType: 'deposit',
  status: 'SUCCESS',
  from: 'KBANK',
  to: 'WALLET',
  amount: 100,
  requested: 100,
  balance: 100,
  reference: `R${number}`,
  reason: null,
  createdAt: new Date().toISOString(),
  ...changes,
});
