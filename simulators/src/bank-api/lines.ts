import type { Account, Accounts, Transfer } from '../bank/accounts.ts';
import { bankNumber } from '../bank/banks.ts';
import { shownBy } from '../bank/mask.ts';
import type { Faults } from '../control/faults.ts';
import { formatMoney } from '../money.ts';
import type { Outside } from '../outside/outside-file.ts';
import { Alarm } from '../push/alarm.ts';
import type { Outbox } from '../push/outbox.ts';
import type { Store } from '../store.ts';
import { thaiTime } from '../time.ts';
import { isoCurrency } from './currency.ts';

const LATE_DEFAULT_MS = 60_000;
const EARLY_DEFAULT_MS = 2_000;
const FORGED_TIMES = 10;

/** The channel of the outbox, and the name in the settings, for pushes of lines. */
export const FEED_CHANNEL = 'bank-feed';

type Deps = { store: Store; accounts: Accounts; outbox: Outbox; faults: Faults; outside: Outside };
type Kind = { direction: 'in' | 'out'; channel: 'TRANSFER' | 'BILL' | 'PAYOUT'; reference1: string | null };
type Row = Kind & {
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

/** The lines of the operator's accounts, in order of appearance, and the pushes that announce them. */
export class Lines {
  readonly #deps: Deps;
  readonly #alarm = new Alarm(() => this.#appear());

  constructor(deps: Deps) {
    this.#deps = deps;
    deps.accounts.watch((moved) => this.#see(moved));
  }

  resume(): void {
    this.#alarm.set();
  }

  stop(): void {
    this.#alarm.stop();
  }

  /**
   * Lines of an account after a cursor.
   * @returns the lines in wire format, and whether there are more
   */
  after(account: Account, cursor: number, limit: number): { lines: { cursor: string }[]; more: boolean } {
    this.#appear();
    const rows = this.#deps.store.all<Row>(
      'select * from bank_line where bank = ? and number = ? and cursor > ? order by cursor limit ?',
      account.bankCode,
      account.accountNo,
      cursor,
      limit + 1,
    );
    return { lines: rows.slice(0, limit).map((row) => this.#shown(row, account)), more: rows.length > limit };
  }

  /** Whether the bank has issued this cursor. */
  isKnown(cursor: number): boolean {
    const last = this.#deps.store.one<{ last: number }>('select coalesce(max(cursor), 0) as last from bank_line');
    return cursor <= (last?.last ?? 0);
  }

  #see(moved: Transfer): void {
    const { accounts, outside } = this.#deps;
    if (moved.kind === 'pay-qr' && moved.to.accountNo === outside.kbank.billerId) this.#settle(moved);
    const sender = accounts.find(moved.from.bankCode, moved.from.accountNo);
    const receiver = accounts.find(moved.to.bankCode, moved.to.accountNo);
    const isPayout = moved.kind === 'transfer' && moved.reference !== null;
    if (sender?.owner === 'operator') {
      const channel = isPayout ? 'PAYOUT' : 'TRANSFER';
      this.#book(sender, moved, { direction: 'out', channel, reference1: moved.reference });
    }
    if (receiver?.owner === 'operator') {
      this.#book(receiver, moved, { direction: 'in', channel: 'TRANSFER', reference1: null });
    }
  }

  /** The bank's own gateway settles immediately, to the operator's first account there. */
  #settle(paid: Transfer): void {
    const { store, accounts, outside } = this.#deps;
    const own = outside.bank.accounts.find(({ bankCode, currency }) => bankCode === 'KBANK' && currency === 'BAHT');
    const account = own && accounts.find(own.bankCode, own.accountNo);
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

  #book(account: Account, moved: Transfer, kind: Kind): void {
    const { faults } = this.#deps;
    const now = Date.now();
    const late = faults.takeForEvent('bank', 'line-late', 'line');
    const early = faults.takeForEvent('bank', 'callback-early', 'line');
    const latePush = faults.takeForEvent('bank', 'callback-late', 'line');
    const twice = faults.takeForEvent('bank', 'callback-twice', 'line') !== undefined;
    const appearsAt =
      now + (late ? (late.delayMs ?? LATE_DEFAULT_MS) : 0) + (early ? (early.delayMs ?? EARLY_DEFAULT_MS) : 0);
    const pushAt = early ? null : appearsAt + (latePush ? (latePush.delayMs ?? LATE_DEFAULT_MS) : 0);
    this.#insert(account, moved, kind, { appearsAt, pushAt, twice });
    if (early) this.#push(account, moved, kind, { dueAt: now, twice });
    if (faults.takeForEvent('bank', 'line-twice', 'line')) {
      this.#insert(account, moved, kind, { appearsAt, pushAt: null, twice: false });
    }
    const forged = faults.takeForEvent('bank', 'callback-forged', 'line');
    if (forged) {
      const amount = forged.amount ?? moved.amount * FORGED_TIMES;
      const claimed = { ...moved, amount, transRef: `${moved.transRef.slice(0, -3)}000` };
      this.#push(account, claimed, kind, { dueAt: appearsAt, isForged: forged.applied !== true });
    }
    this.#appear();
  }

  #insert(
    account: Account,
    moved: Transfer,
    kind: Kind,
    when: { appearsAt: number; pushAt: number | null; twice: boolean },
  ): void {
    this.#deps.store.run(
      `insert into bank_line (bank, number, direction, channel, transfer_id, reference1, appears_at, push_at, push_twice)
       values (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      account.bankCode,
      account.accountNo,
      kind.direction,
      kind.channel,
      moved.id,
      kind.reference1,
      when.appearsAt,
      when.pushAt,
      Number(when.twice),
    );
    this.#alarm.set();
  }

  /** Assigns cursors to due lines; returns when the next is due. */
  #appear(): number | null {
    const { store, accounts } = this.#deps;
    const now = Date.now();
    const due = store.all<Row>(
      'select * from bank_line where cursor is null and appears_at <= ? order by appears_at, id',
      now,
    );
    for (const row of due) {
      const account = accounts.find(row.bank, row.number);
      store.run(
        'update bank_line set cursor = (select coalesce(max(cursor), 0) + 1 from bank_line), balance_after = ? where id = ?',
        account?.balance ?? 0,
        row.id,
      );
      const moved = accounts.findTransfer(row.transfer_id);
      if (account && moved && row.push_at !== null) {
        this.#push(account, moved, row, { dueAt: row.push_at, twice: row.push_twice === 1 });
      }
    }
    const next = store.one<{ at: number | null }>('select min(appears_at) as at from bank_line where cursor is null');
    return next?.at ?? null;
  }

  #push(
    account: Account,
    moved: Transfer,
    kind: Kind,
    { dueAt, twice = false, isForged = false }: { dueAt: number; twice?: boolean; isForged?: boolean },
  ): void {
    const body = JSON.stringify({
      event: 'line',
      account: { bankCode: account.bankCode, accountNo: account.accountNo },
      direction: kind.direction,
      channel: kind.channel,
      transRef: moved.transRef,
      sendingBank: bankNumber(moved.from.bankCode),
      amount: formatMoney(moved.amount),
      currency: isoCurrency(moved.currency),
      at: thaiTime(moved.at),
    });
    const message = { channel: FEED_CHANNEL, key: moved.transRef, body, isForged };
    this.#deps.outbox.owe(message, dueAt);
    if (twice) this.#deps.outbox.owe(message, dueAt);
  }

  #shown(row: Row, account: Account): { cursor: string } & Record<string, unknown> {
    const moved = this.#deps.accounts.findTransfer(row.transfer_id);
    if (!moved) throw new Error(`transfer ${row.transfer_id} vanished`);
    const other = row.direction === 'in' ? moved.from : moved.to;
    const shownOther = { bankCode: other.bankCode, ...shownBy(account.bankCode, other) };
    return {
      cursor: cursorText(row.cursor ?? 0),
      direction: row.direction,
      channel: row.channel,
      transRef: moved.transRef,
      sendingBank: bankNumber(moved.from.bankCode),
      bankCode: moved.from.bankCode,
      amount: formatMoney(moved.amount),
      currency: isoCurrency(moved.currency),
      at: thaiTime(moved.at),
      from: row.direction === 'in' ? shownOther : null,
      to: row.direction === 'out' ? shownOther : null,
      reference1: row.reference1,
      balanceAfter: formatMoney(row.balance_after ?? 0),
    };
  }
}

/** A cursor in wire format. */
export function cursorText(cursor: number): string {
  return String(cursor).padStart(16, '0');
}
