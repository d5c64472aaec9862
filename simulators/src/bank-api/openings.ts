import type { Accounts, Holder } from '../bank/accounts.ts';
import type { Currency } from '../money.ts';
import type { Store } from '../store.ts';

/** What the operator's accounts hold on their first day, to pay out of: ten million baht, or five thousand million kip. */
const FLOAT: Readonly<Record<Currency, number>> = { BAHT: 1_000_000_000, LAK: 500_000_000_000 };

/** Gives each of the operator's accounts its float, once. It counts as cash that was paid in. */
export function openFloats(
  store: Store,
  accounts: Accounts,
  holders: readonly (Holder & { currency: Currency })[],
): void {
  store.atomically(() => {
    for (const { bankCode, accountNo, currency } of holders) {
      const amount = FLOAT[currency];
      const { changes } = store.run(
        'insert into bank_opening (bank, number, amount) values (?, ?, ?) on conflict do nothing',
        bankCode,
        accountNo,
        amount,
      );
      if (changes === 1) accounts.addCash(bankCode, accountNo, amount);
    }
  });
}
