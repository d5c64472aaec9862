import type { Account, Accounts, Transfer } from '../bank/accounts.ts';
import { bankNumber } from '../bank/banks.ts';
import { maskedHolder } from '../bank/mask.ts';
import type { Faults } from '../control/faults.ts';
import { formatMoney } from '../money.ts';
import type { Outside } from '../outside/outside-file.ts';
import { DueTimer } from '../push/due-timer.ts';
import type { Outbox } from '../push/outbox.ts';
import type { Store } from '../store.ts';
import { thaiTime } from '../time.ts';
import { isoCurrency } from './currency.ts';

const LATE_DEFAULT_MS = 60_000;
const EARLY_DEFAULT_MS = 2_000;
const FORGED_TIMES = 10;

/** Outbox channel and settings name of pushes of new lines. */
export const FEED_CHANNEL = 'bank-feed';

type BankLineDeps = { store: Store; accounts: Accounts; outbox: Outbox; faults: Faults; outside: Outside };
type LineKind = { direction: 'in' | 'out'; channel: 'TRANSFER' | 'BILL' | 'PAYOUT'; reference1: string | null };
type BankLineRow = LineKind & {
  id: number;
  cursor: number | null;
  bank: string;
  number: string;
  transfer_id: string;
  appears_at: number;
  balance_after: number | null;
  push_at: number | null;
  push_twice: number;
};

/** The lines of the operator's accounts, in order of appearance, and their pushes. */
export class Lines {
  readonly #deps: BankLineDeps;
  readonly #timer = new DueTimer(() => this.#appear());

  constructor(deps: BankLineDeps) {
    this.#deps = deps;
    deps.accounts.watch((transfer) => this.#onTransfer(transfer));
  }

  resume(): void {
    this.#timer.schedule();
  }

  stop(): void {
    this.#timer.stop();
  }

  /**
   * Lines of an account after a cursor.
   * @returns the lines in wire format, and whether more lines follow
   */
  after(account: Account, cursor: number, limit: number): { lines: { cursor: string }[]; more: boolean } {
    this.#appear();
    const rows = this.#deps.store.all<BankLineRow>(
      'select * from bank_line where bank = ? and number = ? and cursor > ? order by cursor limit ?',
      account.bankCode,
      account.accountNo,
      cursor,
      limit + 1,
    );
    return { lines: rows.slice(0, limit).map((row) => this.#rowView(row, account)), more: rows.length > limit };
  }

  /** Whether the bank has issued the cursor. */
  isKnown(cursor: number): boolean {
    const lastLine = this.#deps.store.one<{ last: number }>('select coalesce(max(cursor), 0) as last from bank_line');
    return cursor <= (lastLine?.last ?? 0);
  }

  #onTransfer(transfer: Transfer): void {
    const { accounts, outside } = this.#deps;
    if (transfer.kind === 'pay-qr' && transfer.to.accountNo === outside.kbank.billerId) this.#settle(transfer);
    const sender = accounts.find(transfer.from.bankCode, transfer.from.accountNo);
    const receiver = accounts.find(transfer.to.bankCode, transfer.to.accountNo);
    const isPayout = transfer.kind === 'transfer' && transfer.reference !== null;
    if (sender?.owner === 'operator') {
      const transferChannel = isPayout ? 'PAYOUT' : 'TRANSFER';
      this.#book(sender, transfer, { direction: 'out', channel: transferChannel, reference1: transfer.reference });
    }
    if (receiver?.owner === 'operator') {
      this.#book(receiver, transfer, { direction: 'in', channel: 'TRANSFER', reference1: null });
    }
  }

  /** Settles a payment at the bank's own gateway immediately, to the operator's first account at that bank. */
  #settle(paid: Transfer): void {
    const { store, accounts, outside } = this.#deps;
    const operatorAccount = outside.bank.accounts.find(
      ({ bankCode, currency }) => bankCode === 'KBANK' && currency === 'BAHT',
    );
    const account = operatorAccount && accounts.find(operatorAccount.bankCode, operatorAccount.accountNo);
    if (!account) return;
    accounts.add(account, paid.amount);
    store.run(
      'insert into bank_settlement (transfer_id, bank, number, amount) values (?, ?, ?, ?)',
      paid.id,
      account.bankCode,
      account.accountNo,
      paid.amount,
    );
    this.#book(account, paid, { direction: 'in', channel: 'BILL', reference1: paid.reference });
  }

  #book(account: Account, transfer: Transfer, lineKind: LineKind): void {
    const { faults } = this.#deps;
    const now = Date.now();
    const lateFault = faults.takeForEvent('bank', 'line-late', 'line');
    const earlyFault = faults.takeForEvent('bank', 'callback-early', 'line');
    const latePush = faults.takeForEvent('bank', 'callback-late', 'line');
    const isPushedTwice = faults.takeForEvent('bank', 'callback-twice', 'line') !== undefined;
    const appearsAt =
      now +
      (lateFault ? (lateFault.delayMs ?? LATE_DEFAULT_MS) : 0) +
      (earlyFault ? (earlyFault.delayMs ?? EARLY_DEFAULT_MS) : 0);
    const pushAt = earlyFault ? null : appearsAt + (latePush ? (latePush.delayMs ?? LATE_DEFAULT_MS) : 0);
    this.#insert(account, transfer, lineKind, { appearsAt, pushAt, twice: isPushedTwice });
    if (earlyFault) this.#push(account, transfer, lineKind, { dueAt: now, twice: isPushedTwice });
    if (faults.takeForEvent('bank', 'line-twice', 'line')) {
      this.#insert(account, transfer, lineKind, { appearsAt, pushAt: null, twice: false });
    }
    const forgedFault = faults.takeForEvent('bank', 'callback-forged', 'line');
    if (forgedFault) {
      const amount = forgedFault.amount ?? transfer.amount * FORGED_TIMES;
      const forgedTransfer = { ...transfer, amount, transRef: `${transfer.transRef.slice(0, -3)}000` };
      this.#push(account, forgedTransfer, lineKind, { dueAt: appearsAt, isForged: forgedFault.applied !== true });
    }
    this.#appear();
  }

  #insert(
    account: Account,
    transfer: Transfer,
    lineKind: LineKind,
    delivery: { appearsAt: number; pushAt: number | null; twice: boolean },
  ): void {
    this.#deps.store.run(
      `insert into bank_line (bank, number, direction, channel, transfer_id, reference1, appears_at, push_at, push_twice)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      account.bankCode,
      account.accountNo,
      lineKind.direction,
      lineKind.channel,
      transfer.id,
      lineKind.reference1,
      delivery.appearsAt,
      delivery.pushAt,
      Number(delivery.twice),
    );
    this.#timer.schedule();
  }

  /** Assigns cursors to due lines; returns the time of the next line. */
  #appear(): number | null {
    const { store, accounts } = this.#deps;
    const now = Date.now();
    const dueLines = store.all<BankLineRow>(
      'select * from bank_line where cursor is null and appears_at <= ? order by appears_at, id',
      now,
    );
    for (const row of dueLines) {
      const account = accounts.find(row.bank, row.number);
      store.run(
        'update bank_line set cursor = (select coalesce(max(cursor), 0) + 1 from bank_line), balance_after = ? where id = ?',
        account?.balance ?? 0,
        row.id,
      );
      const bookedTransfer = accounts.findTransfer(row.transfer_id);
      if (account && bookedTransfer && row.push_at !== null) {
        this.#push(account, bookedTransfer, row, { dueAt: row.push_at, twice: row.push_twice === 1 });
      }
    }
    const nextDue = store.one<{ at: number | null }>(
      'select min(appears_at) as at from bank_line where cursor is null',
    );
    return nextDue?.at ?? null;
  }

  #push(
    account: Account,
    transfer: Transfer,
    lineKind: LineKind,
    { dueAt, twice: isPushedTwice = false, isForged = false }: { dueAt: number; twice?: boolean; isForged?: boolean },
  ): void {
    const body = JSON.stringify({
      event: 'line',
      account: { bankCode: account.bankCode, accountNo: account.accountNo },
      direction: lineKind.direction,
      channel: lineKind.channel,
      transRef: transfer.transRef,
      sendingBank: bankNumber(transfer.from.bankCode),
      amount: formatMoney(transfer.amount),
      currency: isoCurrency(transfer.currency),
      at: thaiTime(transfer.at),
    });
    const message = { channel: FEED_CHANNEL, key: transfer.transRef, body, isForged };
    this.#deps.outbox.enqueue(message, dueAt);
    if (isPushedTwice) this.#deps.outbox.enqueue(message, dueAt);
  }

  #rowView(row: BankLineRow, account: Account): { cursor: string } & Record<string, unknown> {
    const bookedTransfer = this.#deps.accounts.findTransfer(row.transfer_id);
    if (!bookedTransfer) throw new Error(`transfer ${row.transfer_id} vanished`);
    const counterparty = row.direction === 'in' ? bookedTransfer.from : bookedTransfer.to;
    const maskedCounterparty = { bankCode: counterparty.bankCode, ...maskedHolder(account.bankCode, counterparty) };
    return {
      cursor: cursorText(row.cursor ?? 0),
      direction: row.direction,
      channel: row.channel,
      transRef: bookedTransfer.transRef,
      sendingBank: bankNumber(bookedTransfer.from.bankCode),
      bankCode: bookedTransfer.from.bankCode,
      amount: formatMoney(bookedTransfer.amount),
      currency: isoCurrency(bookedTransfer.currency),
      at: thaiTime(bookedTransfer.at),
      from: row.direction === 'in' ? maskedCounterparty : null,
      to: row.direction === 'out' ? maskedCounterparty : null,
      reference1: row.reference1,
      balanceAfter: formatMoney(row.balance_after ?? 0),
    };
  }
}

/** Formats a cursor for the wire. */
export function cursorText(cursor: number): string {
  return String(cursor).padStart(16, '0');
}
