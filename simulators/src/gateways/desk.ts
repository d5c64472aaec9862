import type { Accounts, Holder, Transfer } from '../bank/accounts.ts';
import type { Faults } from '../control/faults.ts';
import { Refusal } from '../refusal.ts';
import type { Settings } from '../settings.ts';
import type { Store } from '../store.ts';
import type { Callbacks } from './callbacks.ts';
import { type Code, Codes, type Order } from './codes.ts';
import type { Gateway } from './gateway.ts';

const LATE_DEFAULT_MS = 60_000;
const FORGED_TIMES = 10;
const FORGED_AFTER_MS = 50;
const HUNDREDTHS = 100;

/** A received payment; without a code when the gateway can't match it. */
export type Booked = { transfer: Transfer; code: Code | undefined };

type Deps = { store: Store; accounts: Accounts; callbacks: Callbacks; faults: Faults; settings: Settings };

/**
 * What all gateways share: issuing codes, taking payments on them, and the callbacks that follow, genuine and forged.
 */
export class Desk {
  readonly gateway: Gateway;
  readonly codes: Codes;
  readonly #deps: Deps;

  constructor(gateway: Gateway, deps: Deps) {
    this.gateway = gateway;
    this.codes = new Codes(deps.store, gateway);
    this.#deps = deps;
  }

  /** Issues a code, and applies callback faults for issued codes. Undefined when the reference is already used. */
  async issue(order: Omit<Order, 'lifeMs'> & { lifeMs?: number | undefined }): Promise<Code | undefined> {
    const { faults, settings } = this.#deps;
    const { name } = this.gateway;
    const code = this.codes.issue({ ...order, lifeMs: order.lifeMs ?? settings.qrLifeSeconds * 1000 });
    if (!code) return undefined;
    if (faults.takeForCallback(name, 'callback-early', 'issue')) await this.#payEarly(code);
    const forged = faults.takeForCallback(name, 'callback-forged', 'issue');
    if (forged) {
      // Delayed, so that the forged callback arrives after the merchant has received the code.
      this.#oweForged(code, forged.amount ?? code.amount, Date.now() + FORGED_AFTER_MS);
    }
    return code;
  }

  /**
   * Takes the payer's money, books it on the code and queues the callback, atomically.
   * @throws Refusal when the code can't be paid or the money isn't there
   */
  pay(code: Code, payment: { from: Holder; amount: number; late: boolean }): Booked {
    return this.#deps.store.atomically(() => {
      const booked = this.#book(code, payment);
      if (booked.code) this.#oweCallbacks(booked.code);
      return booked;
    });
  }

  /** Pays a new code immediately and delivers the callback before the code is returned. */
  async #payEarly(code: Code): Promise<void> {
    const isLao = this.gateway.currency === 'LAK';
    const from = { bankCode: isLao ? 'BCEL' : 'KBANK', accountNo: '0000000001', accountName: 'เร็วทัน ใจดี' };
    const id = this.#deps.store.atomically(() => {
      const paid = this.#book(code, { from, amount: code.amount, late: false });
      return this.#owe(paid.code ?? code, Date.now());
    });
    await this.#deps.callbacks.sendNow(id);
  }

  /** Calls back about a code whose status has changed without a payment. */
  tell(code: Code): void {
    this.#owe(code, Date.now());
  }

  /** Refunds a payment to its payer, and calls back about it. @throws Refusal when there is none to refund */
  refund(code: Code): Code {
    const back = this.#deps.store.atomically(() => {
      const reversed = this.codes.giveBack(code);
      const payer = this.#deps.accounts.find(reversed.payerBank ?? '', reversed.payerNumber ?? '');
      if (!payer) throw new Refusal(409, 'no_payer', 'The payer is unknown');
      this.#deps.accounts.add(payer, reversed.paidAmount ?? 0);
      return reversed;
    });
    this.tell(back);
    return back;
  }

  #book(code: Code, payment: { from: Holder; amount: number; late: boolean }): Booked {
    const { payee, currency, finder } = this.gateway;
    if (currency === 'LAK' && payment.amount % HUNDREDTHS !== 0) {
      throw new Refusal(400, 'bad_input', 'amount: there are no fractions of a kip');
    }
    const transfer = this.#deps.accounts.payGateway(payment.from, payee, {
      amount: payment.amount,
      currency,
      reference: code.reference,
    });
    // The bank uses the account's name, not the name that the payer typed.
    const payer = transfer.from;
    if (finder) {
      const found = finder.book({ codes: this.codes, amount: payment.amount, payer, at: transfer.at });
      return { transfer, code: found };
    }
    return { transfer, code: this.codes.bookPayment(code.id, payment.amount, payer, payment.late) };
  }

  #oweCallbacks(code: Code): void {
    const { faults } = this.#deps;
    const { name } = this.gateway;
    const now = Date.now();
    const late = faults.takeForCallback(name, 'callback-late', 'payment');
    const dueAt = late ? now + (late.delayMs ?? LATE_DEFAULT_MS) : now;
    this.#owe(code, dueAt);
    if (faults.takeForCallback(name, 'callback-twice', 'payment')) this.#owe(code, dueAt);
    const forged = faults.takeForCallback(name, 'callback-forged', 'payment');
    if (forged) this.#oweForged(code, forged.amount ?? (code.paidAmount ?? code.amount) * FORGED_TIMES, now);
  }

  #owe(code: Code, dueAt: number): number {
    const { paidAmount, txnNo, paidAt } = code;
    return this.#deps.callbacks.owe(
      { code, amount: paidAmount ?? code.amount, transactionNumber: txnNo ?? '', at: paidAt ?? Date.now() },
      dueAt,
    );
  }

  /** A forged callback, from a sender who knows the address, claims that a code is paid. */
  #oweForged(code: Code, amount: number, dueAt: number): void {
    const at = Date.now();
    this.#deps.callbacks.owe({ code, amount, transactionNumber: `9${at}9`, at }, dueAt, true);
  }
}
