import type { Currency } from '../money.ts';
import { Refusal } from '../refusal.ts';
import type { Store } from '../store.ts';
import { bankNumber, currencyOf } from './banks.ts';
import { newReference, referenceOfShortCrc, type SlipLayout } from './references.ts';

/** Opening balance of a person's account, as cash: a million baht, or 500 million kip. */
const OPENING_CASH: Readonly<Record<Currency, number>> = { BAHT: 100_000_000, LAK: 50_000_000_000 };

export type Holder = { bankCode: string; accountNo: string; accountName: string };
export type Account = Holder & { owner: 'operator' | 'person'; currency: Currency; balance: number };

/**
 * A movement between accounts, or from an account to a gateway. Hundredths of the currency, milliseconds since 1970.
 */
export type Transfer = {
  id: string;
  kind: 'transfer' | 'pay-qr';
  at: number;
  from: Holder;
  to: Holder;
  amount: number;
  currency: Currency;
  reference: string | null;
  /** The sending bank's reference, unique per bank; usually the id. */
  transRef: string;
  layout: SlipLayout;
};

/** Overrides of a transfer's time, reference and slip layout. */
export type TransferOptions = {
  at?: number | undefined;
  transRef?: string | undefined;
  layout?: SlipLayout | undefined;
};

type TransferRow = {
  id: string;
  kind: Transfer['kind'];
  at: number;
  amount: number;
  currency: Currency;
  reference: string | null;
  trans_ref: string | null;
  layout: SlipLayout;
  from_bank: string;
  from_number: string;
  from_name: string;
  to_bank: string;
  to_number: string;
  to_name: string;
};

function asTransfer(row: TransferRow): Transfer {
  return {
    id: row.id,
    kind: row.kind,
    at: row.at,
    from: { bankCode: row.from_bank, accountNo: row.from_number, accountName: row.from_name },
    to: { bankCode: row.to_bank, accountNo: row.to_number, accountName: row.to_name },
    amount: row.amount,
    currency: row.currency,
    reference: row.reference,
    // Transfers stored by earlier versions have only the id.
    transRef: row.trans_ref ?? row.id,
    layout: row.layout,
  };
}

const ACCOUNT_COLUMNS = 'bank as bankCode, number as accountNo, name as accountName, owner, currency, balance';

/** All accounts at all banks, and the movements between them. */
export class Accounts {
  readonly #store: Store;
  readonly #watchers: ((transfer: Transfer) => void)[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  /** Registers a listener for every movement, called inside its transaction. */
  watch(watcher: (transfer: Transfer) => void): void {
    this.#watchers.push(watcher);
  }

  /** Ensures that the operator's accounts exist, under their current names in the outside file. */
  seedOperator(holders: readonly (Holder & { currency: Currency })[]): void {
    for (const holder of holders) {
      this.#store.run(
        `insert into bank_account (bank, number, name, owner, currency) values (?, ?, ?, 'operator', ?)
         on conflict (bank, number) do update set name = excluded.name, owner = 'operator', currency = excluded.currency`,
        holder.bankCode,
        holder.accountNo,
        holder.accountName,
        holder.currency,
      );
    }
  }

  find(bankCode: string, accountNo: string): Account | undefined {
    return this.#store.one<Account>(
      `select ${ACCOUNT_COLUMNS} from bank_account where bank = ? and number = ?`,
      bankCode,
      accountNo,
    );
  }

  list(): Account[] {
    return this.#store.all<Account>(`select ${ACCOUNT_COLUMNS} from bank_account order by owner, bank, number`);
  }

  /** Opens a person's account with its opening cash, or returns the existing one. */
  open(holder: Holder): Account {
    const currency = currencyOf(holder.bankCode);
    this.#store.run(
      `insert into bank_account (bank, number, name, owner, balance, cash_in, currency) values (?1, ?2, ?3, 'person', ?4, ?4, ?5)
       on conflict do nothing`,
      holder.bankCode,
      holder.accountNo,
      holder.accountName,
      OPENING_CASH[currency],
      currency,
    );
    return this.#mustFind(holder.bankCode, holder.accountNo);
  }

  /** Pays cash into an account. */
  addCash(bankCode: string, accountNo: string, amount: number): Account {
    const { changes } = this.#store.run(
      'update bank_account set balance = balance + ?1, cash_in = cash_in + ?1 where bank = ?2 and number = ?3',
      amount,
      bankCode,
      accountNo,
    );
    if (changes === 0) throw new Refusal(404, 'unknown_account', 'There is no such account');
    return this.#mustFind(bankCode, accountNo);
  }

  /**
   * Moves money to another account. Runs inside a transaction. @throws Refusal when the money is insufficient or the
   * receiver unknown
   */
  transfer(
    from: Holder,
    to: { bankCode: string; accountNo: string },
    amount: number,
    options: TransferOptions = {},
  ): Transfer {
    if (from.bankCode === to.bankCode && from.accountNo === to.accountNo) {
      throw new Refusal(400, 'same_account', 'Sender and receiver are the same account');
    }
    const receiver = this.find(to.bankCode, to.accountNo);
    if (!receiver) throw new Refusal(404, 'unknown_account', 'The receiving account does not exist');
    const { currency } = receiver;
    const sender = this.#take(from, amount, currency);
    this.add(receiver, amount);
    return this.record({ kind: 'transfer', from: sender, to: receiver, amount, currency, reference: null }, options);
  }

  /** Increases a balance. The caller books the counterpart. */
  add({ bankCode, accountNo }: { bankCode: string; accountNo: string }, amount: number): void {
    this.#store.run(
      'update bank_account set balance = balance + ? where bank = ? and number = ?',
      amount,
      bankCode,
      accountNo,
    );
  }

  /** Decreases a balance; false when it is too small. The caller books the counterpart. */
  subtract({ bankCode, accountNo }: { bankCode: string; accountNo: string }, amount: number): boolean {
    const { changes } = this.#store.run(
      'update bank_account set balance = balance - ?1 where bank = ?2 and number = ?3 and balance >= ?1',
      amount,
      bankCode,
      accountNo,
    );
    return changes === 1;
  }

  /** Takes a payment to a gateway. Runs inside a transaction. */
  payGateway(
    from: Holder,
    payee: Holder,
    { amount, currency, reference }: { amount: number; currency: Currency; reference: string },
  ): Transfer {
    const payer = this.#take(from, amount, currency);
    return this.record({ kind: 'pay-qr', from: payer, to: payee, amount, currency, reference });
  }

  findTransfer(id: string): Transfer | undefined {
    const row = this.#store.one<TransferRow>('select * from bank_transfer where id = ?', id);
    return row && asTransfer(row);
  }

  /** The transfer with this reference of a bank, identified by its three digits. */
  findByReference(sendingBank: string, transRef: string): Transfer | undefined {
    return this.#store
      .all<TransferRow>('select * from bank_transfer where trans_ref = ?1 or (trans_ref is null and id = ?1)', transRef)
      .map(asTransfer)
      .find(({ from }) => bankNumber(from.bankCode) === sendingBank);
  }

  /** The last transfers of an account, newest first. */
  recent(bankCode: string, accountNo: string, limit: number): Transfer[] {
    return this.#store
      .all<TransferRow>(
        `select * from bank_transfer where (from_bank = ?1 and from_number = ?2) or (to_bank = ?1 and to_number = ?2)
         order by at desc, rowid desc limit ?3`,
        bankCode,
        accountNo,
        limit,
      )
      .map(asTransfer);
  }

  /** Total cash paid in, per currency. */
  cash(currency: Currency): number {
    const row = this.#store.one<{ cash: number }>(
      'select coalesce(sum(cash_in), 0) as cash from bank_account where currency = ?',
      currency,
    );
    return row?.cash ?? 0;
  }

  #take(from: Holder, amount: number, currency: Currency): Account {
    const account = this.open(from);
    if (account.currency !== currency) {
      throw new Refusal(409, 'other_currency', `The account is kept in ${account.currency}, not in ${currency}`);
    }
    if (!this.subtract(account, amount)) {
      throw new Refusal(409, 'not_enough_money', 'There is not enough money in the account');
    }
    return account;
  }

  /** Records a movement and calls the listeners. The caller changes the balances, in the same transaction. */
  record(movement: Omit<Transfer, 'id' | 'at' | 'transRef' | 'layout'>, options: TransferOptions = {}): Transfer {
    const { from, to } = movement;
    const { at = Date.now(), layout = 'bank' } = options;
    const sendingBank = bankNumber(from.bankCode);
    if (options.transRef !== undefined && this.findByReference(sendingBank, options.transRef)) {
      throw new Refusal(409, 'trans_ref_used', 'The sending bank has given that reference to another transfer');
    }
    const id =
      layout === 'short-crc' ? referenceOfShortCrc(from.bankCode, sendingBank, at) : newReference(from.bankCode, at);
    const storedTransfer: Transfer = { ...movement, id, at, layout, transRef: options.transRef ?? id };
    this.#store.run(
      `insert into bank_transfer (id, kind, at, from_bank, from_number, from_name, to_bank, to_number, to_name, amount, reference,
         currency, trans_ref, layout) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      id,
      movement.kind,
      at,
      from.bankCode,
      from.accountNo,
      from.accountName,
      to.bankCode,
      to.accountNo,
      to.accountName,
      movement.amount,
      movement.reference,
      movement.currency,
      storedTransfer.transRef,
      layout,
    );
    for (const watcher of this.#watchers) watcher(storedTransfer);
    return storedTransfer;
  }

  #mustFind(bankCode: string, accountNo: string): Account {
    const account = this.find(bankCode, accountNo);
    if (!account) throw new Error(`account ${bankCode} ${accountNo} vanished`);
    return account;
  }
}
