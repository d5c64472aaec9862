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
const HUNDREDTHS_PER_UNIT = 100;

/** A received payment; `code` undefined when the gateway can't match it. */
export type BookedPayment = { transfer: Transfer; code: Code | undefined };

type GatewayServiceDeps = {
  store: Store;
  accounts: Accounts;
  callbacks: Callbacks;
  faults: Faults;
  settings: Settings;
};

/** Common behaviour of all gateways: issues codes, takes payments, and sends callbacks, genuine and forged. */
export class GatewayService {
  readonly gateway: Gateway;
  readonly codes: Codes;
  readonly #deps: GatewayServiceDeps;

  constructor(gateway: Gateway, deps: GatewayServiceDeps) {
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
    const forgedFault = faults.takeForCallback(name, 'callback-forged', 'issue');
    if (forgedFault) {
      // Delayed, so that the forged callback arrives after the merchant has received the code.
      this.#oweForged(code, forgedFault.amount ?? code.amount, Date.now() + FORGED_AFTER_MS);
    }
    return code;
  }

  /**
   * Takes the payer's money, books it on the code and queues the callback, atomically.
   * @throws Refusal when the code can't be paid or the payer lacks the money
   */
  pay(code: Code, payment: { from: Holder; amount: number; late: boolean }): BookedPayment {
    return this.#deps.store.atomically(() => {
      const booking = this.#book(code, payment);
      if (booking.code) this.#oweCallbacks(booking.code);
      return booking;
    });
  }

  /** Pays a new code immediately and delivers the callback before the code is returned. */
  async #payEarly(code: Code): Promise<void> {
    const isLao = this.gateway.currency === 'LAK';
    const from = { bankCode: isLao ? 'BCEL' : 'KBANK', accountNo: '0000000001', accountName: 'เร็วทัน ใจดี' };
    const id = this.#deps.store.atomically(() => {
      const booking = this.#book(code, { from, amount: code.amount, late: false });
      return this.#enqueue(booking.code ?? code, Date.now());
    });
    await this.#deps.callbacks.sendNow(id);
  }

  /** Sends a callback about a code whose status has changed without a payment. */
  notify(code: Code): void {
    this.#enqueue(code, Date.now());
  }

  /** Refunds a payment to its payer, and sends a callback. @throws Refusal when there is no payment to refund */
  refund(code: Code): Code {
    const refundedCode = this.#deps.store.atomically(() => {
      const reversedCode = this.codes.giveBack(code);
      const payer = this.#deps.accounts.find(reversedCode.payerBank ?? '', reversedCode.payerNumber ?? '');
      if (!payer) throw new Refusal(409, 'no_payer', 'The payer is unknown');
      this.#deps.accounts.add(payer, reversedCode.paidAmount ?? 0);
      return reversedCode;
    });
    this.notify(refundedCode);
    return refundedCode;
  }

  #book(code: Code, payment: { from: Holder; amount: number; late: boolean }): BookedPayment {
    const { payee, currency, finder } = this.gateway;
    if (currency === 'LAK' && payment.amount % HUNDREDTHS_PER_UNIT !== 0) {
      throw new Refusal(400, 'bad_input', 'amount: there are no fractions of a kip');
    }
    const transfer = this.#deps.accounts.payGateway(payment.from, payee, {
      amount: payment.amount,
      currency,
      reference: code.reference,
    });
    // Uses the name of the account, not the name that the payer typed.
    const payer = transfer.from;
    if (finder) {
      const matchedCode = finder.book({ codes: this.codes, amount: payment.amount, payer, at: transfer.at });
      return { transfer, code: matchedCode };
    }
    return { transfer, code: this.codes.bookPayment(code.id, payment.amount, payer, payment.late) };
  }

  #oweCallbacks(code: Code): void {
    const { faults } = this.#deps;
    const { name } = this.gateway;
    const now = Date.now();
    const lateFault = faults.takeForCallback(name, 'callback-late', 'payment');
    const dueAt = lateFault ? now + (lateFault.delayMs ?? LATE_DEFAULT_MS) : now;
    this.#enqueue(code, dueAt);
    if (faults.takeForCallback(name, 'callback-twice', 'payment')) this.#enqueue(code, dueAt);
    const forgedFault = faults.takeForCallback(name, 'callback-forged', 'payment');
    if (forgedFault) this.#oweForged(code, forgedFault.amount ?? (code.paidAmount ?? code.amount) * FORGED_TIMES, now);
  }

  #enqueue(code: Code, dueAt: number): number {
    const { paidAmount, txnNo, paidAt } = code;
    return this.#deps.callbacks.enqueue(
      { code, amount: paidAmount ?? code.amount, transactionNumber: txnNo ?? '', at: paidAt ?? Date.now() },
      dueAt,
    );
  }

  /** Queues a forged callback that claims the payment of a code; the forger knows the callback URL. */
  #oweForged(code: Code, amount: number, dueAt: number): void {
    const at = Date.now();
    this.#deps.callbacks.enqueue({ code, amount, transactionNumber: `9${at}9`, at }, dueAt, true);
  }
}
