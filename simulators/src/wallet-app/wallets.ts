import { createHmac } from 'node:crypto';
import { maskName } from '../bank/mask.ts';
import type { Faults } from '../control/faults.ts';
import { formatMoney } from '../money.ts';
import type { Outside } from '../outside/outside-file.ts';
import { DueTimer } from '../push/due-timer.ts';
import type { Channel, Outbox } from '../push/outbox.ts';
import { Refusal } from '../refusal.ts';
import type { Store } from '../store.ts';
import { thaiDigits, thaiTime } from '../time.ts';

/** Opening balance of a person's wallet: 50,000.00 baht. */
const OPENING_CASH = 5_000_000;
const LATE_DEFAULT_MS = 60_000;
const EARLY_DEFAULT_MS = 2_000;
const FORGED_TIMES = 10;

/** Outbox channel and settings name of the webhook. */
export const WALLET_APP_CHANNEL = 'wallet-app';

/** The webhook of a received transfer. It has no signature headers, because the token in its body is signed. */
export const webhookChannel: Channel = { headersOf: () => ({}), isTaken: (status) => status === 200 };

export type Wallet = { phone: string; name: string; owner: 'operator' | 'person'; balance: number };
export type Transaction = {
  id: number;
  cursor: number | null;
  type: 'P2P' | 'GIFT' | 'GIVEN' | 'RETURNED';
  number: string;
  from_phone: string;
  to_phone: string;
  amount: number;
  message: string;
  voucher_id: string | null;
  at: number;
};
type NewTransaction = Pick<Transaction, 'type' | 'from_phone' | 'to_phone' | 'amount'> & {
  message?: string;
  voucherId?: string;
};
type WalletsDeps = { store: Store; outbox: Outbox; faults: Faults; outside: Outside };

/** All wallets, their transfers, and the operator's history. Satang; milliseconds since 1970. */
export class Wallets {
  readonly #deps: WalletsDeps;
  readonly #timer = new DueTimer(() => this.#appear());

  constructor(deps: WalletsDeps) {
    this.#deps = deps;
    const { phone, accountName } = deps.outside.walletApp;
    deps.store.run(
      `insert into wallet (phone, name, owner) values (?, ?, 'operator')
       on conflict (phone) do update set name = excluded.name, owner = 'operator'`,
      phone,
      accountName,
    );
  }

  resume(): void {
    this.#timer.schedule();
  }

  stop(): void {
    this.#timer.stop();
  }

  find(phone: string): Wallet | undefined {
    return this.#deps.store.one<Wallet>('select phone, name, owner, balance from wallet where phone = ?', phone);
  }

  /** Opens a person's wallet with its opening cash, or returns the existing one. */
  open(phone: string, name = `ผู้ใช้ ${phone.slice(-4)}`): Wallet {
    this.#deps.store.run(
      "insert into wallet (phone, name, owner, balance, cash_in) values (?1, ?2, 'person', ?3, ?3) on conflict do nothing",
      phone,
      name,
      OPENING_CASH,
    );
    const wallet = this.find(phone);
    if (!wallet) throw new Error(`wallet ${phone} vanished`);
    return wallet;
  }

  /**
   * Sends money to another wallet; notifies the operator if the receiver is the operator. Runs inside a transaction.
   */
  transfer(from: Wallet, to: Wallet, amount: number, message: string): Transaction {
    if (from.phone === to.phone) throw new Refusal(400, 'same_wallet', 'Sender and receiver are the same wallet');
    this.take(from, amount);
    this.add(to.phone, amount);
    const movement = { type: 'P2P', from_phone: from.phone, to_phone: to.phone, amount, message } as const;
    if (to.owner !== 'operator') return this.record(movement, Date.now());
    const { faults } = this.#deps;
    const now = Date.now();
    const earlyFault = faults.takeForEvent('wallet-app', 'callback-early', 'payment');
    const storedTransaction = this.record(movement, now + (earlyFault ? (earlyFault.delayMs ?? EARLY_DEFAULT_MS) : 0));
    const lateFault = faults.takeForEvent('wallet-app', 'callback-late', 'payment');
    const pushAt = now + (lateFault ? (lateFault.delayMs ?? LATE_DEFAULT_MS) : 0);
    const isPushedTwice = faults.takeForEvent('wallet-app', 'callback-twice', 'payment') !== undefined;
    for (let remainingPushes = isPushedTwice ? 2 : 1; remainingPushes > 0; remainingPushes--)
      this.#notify(storedTransaction, amount, pushAt);
    const forgedFault = faults.takeForEvent('wallet-app', 'callback-forged', 'payment');
    if (forgedFault)
      this.#notify(storedTransaction, forgedFault.amount ?? amount * FORGED_TIMES, now, forgedFault.applied !== true);
    return storedTransaction;
  }

  /** @throws Refusal when the wallet holds less */
  take({ phone }: Wallet, amount: number): void {
    const { changes } = this.#deps.store.run(
      'update wallet set balance = balance - ?1 where phone = ?2 and balance >= ?1',
      amount,
      phone,
    );
    if (changes === 0) throw new Refusal(409, 'not_enough_money', 'There is not enough money in the wallet');
  }

  add(phone: string, amount: number): void {
    this.#deps.store.run('update wallet set balance = balance + ? where phone = ?', amount, phone);
  }

  /** Records a movement, which appears in the history from `appearsAt` on. */
  record(movement: NewTransaction, appearsAt: number): Transaction {
    const { store } = this.#deps;
    const at = Date.now();
    const { id } = store.run(
      `insert into wallet_transaction (type, from_phone, to_phone, amount, message, voucher_id, at, appears_at)
       values (?, ?, ?, ?, ?, ?, ?, ?)`,
      movement.type,
      movement.from_phone,
      movement.to_phone,
      movement.amount,
      movement.message ?? '',
      movement.voucherId ?? null,
      at,
      appearsAt,
    );
    const number = `5000${thaiDigits(at).slice(2, 8)}${String(id).padStart(7, '0')}`;
    store.run('update wallet_transaction set number = ? where id = ?', number, id);
    this.#timer.schedule();
    this.#appear();
    return { message: '', voucher_id: movement.voucherId ?? null, ...movement, id, cursor: null, number, at };
  }

  findTransaction(number: string): Transaction | undefined {
    return this.#deps.store.one<Transaction>('select * from wallet_transaction where number = ?', number);
  }

  /** Sent and received transfers of a wallet, newest first. */
  recent(phone: string, limit: number): Transaction[] {
    return this.#deps.store.all<Transaction>(
      'select * from wallet_transaction where to_phone = ?1 or from_phone = ?1 order by id desc limit ?2',
      phone,
      limit,
    );
  }

  /** Transfers to the operator after a cursor, in wire format. */
  history(cursor: number, limit: number): { transactions: { cursor: string }[]; more: boolean } {
    this.#appear();
    const rows = this.#deps.store.all<Transaction>(
      `select * from wallet_transaction where to_phone = ? and type in ('P2P', 'GIFT') and cursor > ? order by cursor limit ?`,
      this.#deps.outside.walletApp.phone,
      cursor,
      limit + 1,
    );
    return { transactions: rows.slice(0, limit).map((row) => this.#rowView(row)), more: rows.length > limit };
  }

  /** Whether the app has issued the cursor. */
  isKnown(cursor: number): boolean {
    const row = this.#deps.store.one<{ last: number }>(
      'select coalesce(max(cursor), 0) as last from wallet_transaction',
    );
    return cursor <= (row?.last ?? 0);
  }

  #appear(): number | null {
    const { store } = this.#deps;
    const dueTransactions = store.all<{ id: number }>(
      'select id from wallet_transaction where cursor is null and appears_at <= ? order by appears_at, id',
      Date.now(),
    );
    for (const { id } of dueTransactions) {
      store.run(
        'update wallet_transaction set cursor = (select coalesce(max(cursor), 0) + 1 from wallet_transaction) where id = ?',
        id,
      );
    }
    const nextDue = store.one<{ at: number | null }>(
      'select min(appears_at) as at from wallet_transaction where cursor is null',
    );
    return nextDue?.at ?? null;
  }

  #notify(sent: Transaction, amount: number, dueAt: number, isForged = false): void {
    const { outbox, outside } = this.#deps;
    const claims = {
      event_type: 'P2P',
      received_time: `${thaiTime(sent.at).slice(0, 19)}+07:00`,
      amount,
      sender_mobile: sent.from_phone,
      message: sent.message,
      iat: Math.floor(sent.at / 1000),
    };
    const message = jwt(claims, isForged ? 'a guess' : outside.walletApp.webhookSecret);
    outbox.enqueue({ channel: WALLET_APP_CHANNEL, key: sent.number, body: JSON.stringify({ message }) }, dueAt);
  }

  #rowView(row: Transaction): { cursor: string } & Record<string, unknown> {
    return {
      cursor: String(row.cursor ?? 0).padStart(16, '0'),
      type: row.type,
      transactionId: row.number,
      sender: { phone: row.from_phone, name: maskName(this.find(row.from_phone)?.name ?? '') },
      amount: formatMoney(row.amount),
      currency: 'THB',
      message: row.message,
      voucherId: row.voucher_id,
      at: thaiTime(row.at),
    };
  }
}

function jwt(claims: object, secret: string): string {
  const encodePart = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const signingInput = `${encodePart({ alg: 'HS256', typ: 'JWT' })}.${encodePart(claims)}`;
  return `${signingInput}.${createHmac('sha256', secret).update(signingInput).digest('base64url')}`;
}
