import type { Accounts, Holder } from '../bank/accounts.ts';
import type { Currency } from '../money.ts';
import type { Store } from '../store.ts';

/** Opening balance of the operator's accounts, for payouts: ten million baht, or five billion kip. */
const OPENING_BALANCE: Readonly<Record<Currency, number>> = { BAHT: 1_000_000_000, LAK: 500_000_000_000 };

/** Pays each of the operator's accounts its opening balance, once. It counts as paid-in cash. */
export function postOpeningBalances(
  store: Store,
  accounts: Accounts,
  holders: readonly (Holder & { currency: Currency })[],
): void {
  store.atomically(() => {
    for (const { bankCode, accountNo, currency } of holders) {
      const amount = OPENING_BALANCE[currency];
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
