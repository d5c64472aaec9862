import type { Account, Accounts } from '../bank/accounts.ts';
import type { Currency } from '../money.ts';
import type { Store } from '../store.ts';

export type AccountTotals = Account & { opening: number; cashIn: number; in: number; out: number };
export type PayoutTotals = { currency: Currency; accepted: number; underWay: number; paid: number; failed: number };

/** Every account with its total inflow and outflow; balance = opening + cashIn + in − out. */
export function accountTotals(store: Store, accounts: Accounts): AccountTotals[] {
  const accountFlows = store.all<{
    bank: string;
    number: string;
    opening: number;
    cashIn: number;
    in: number;
    out: number;
  }>(
    `with flow (bank, number, came, went) as (
       select to_bank, to_number, amount, 0 from bank_transfer
       union all select from_bank, from_number, 0, amount from bank_transfer
       union all select bank, number, amount, 0 from bank_settlement
       union all select from_bank, from_number, 0, amount from bank_payout where state = 'ACCEPTED'
     ), flows as (select bank, number, sum(came) as came, sum(went) as went from flow group by bank, number)
     select a.bank, a.number, coalesce(o.amount, 0) as opening, a.cash_in - coalesce(o.amount, 0) as cashIn,
       coalesce(f.came, 0) as "in", coalesce(f.went, 0) as out
     from bank_account a left join bank_opening o using (bank, number) left join flows f using (bank, number)`,
  );
  const byAccount = new Map(accountFlows.map(({ bank, number, ...flow }) => [`${bank} ${number}`, flow]));
  const noFlows = { opening: 0, cashIn: 0, in: 0, out: 0 };
  return accounts.list().map((account) => ({
    ...account,
    ...(byAccount.get(`${account.bankCode} ${account.accountNo}`) ?? noFlows),
  }));
}

/** Sums of payouts per currency; accepted = underWay + paid + failed. */
export function payoutTotals(store: Store): PayoutTotals[] {
  return store.all<PayoutTotals>(
    `select currency, sum(amount) as accepted, sum(iif(state = 'ACCEPTED', amount, 0)) as underWay,
       sum(iif(state = 'PAID', amount, 0)) as paid, sum(iif(state = 'FAILED', amount, 0)) as failed
     from bank_payout group by currency order by currency`,
  );
}

/** Total of the settlements of gateways to the operator's accounts. */
export function settledTotal(store: Store, currency: Currency): number {
  const row = store.one<{ total: number }>(
    `select coalesce(sum(s.amount), 0) as total from bank_settlement s join bank_account a using (bank, number)
     where a.currency = ?`,
    currency,
  );
  return row?.total ?? 0;
}
