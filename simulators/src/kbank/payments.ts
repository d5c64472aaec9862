import type { Accounts, Holder, Transfer } from '../bank/accounts.ts';
import type { Faults } from '../control/faults.ts';
import { formatMoney } from '../money.ts';
import type { Outside } from '../outside-file.ts';
import type { Store } from '../store.ts';
import type { CallbackBody, Callbacks } from './callbacks.ts';
import type { Code, Codes } from './codes.ts';

const LATE_DEFAULT_MS = 60_000;
const FORGED_TIMES = 10;
const FORGED_AFTER_MS = 50;

/** The gateway's name on a payer's slip. */
export const PAYEE_NAME = 'KRAPAO';

type Deps = { store: Store; outside: Outside; codes: Codes; accounts: Accounts; callbacks: Callbacks; faults: Faults };

/** Payments on KBANK codes, and the callbacks that follow, true and false ones. */
export class KbankPayments {
  readonly #deps: Deps;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /**
   * Takes the payer's money and books it on the code: both or none. The callback is owed with it.
   * @throws Refusal when the code can't be paid or the money isn't there
   */
  pay(code: Code, payment: { from: Holder; amount: number; late: boolean }): { transfer: Transfer; code: Code } {
    const paid = this.#deps.store.atomically(() => {
      const booked = this.#book(code, payment);
      this.#oweCallbacks(booked.code);
      return booked;
    });
    this.#deps.callbacks.wake();
    return paid;
  }

  /** Pays a fresh code at once and has the callback answered before anybody else hears of the code. */
  async payEarly(code: Code): Promise<void> {
    const from = { bankCode: 'KBANK', accountNo: '0000000001', accountName: 'เร็วทัน ใจดี' };
    const id = this.#deps.store.atomically(() => {
      const paid = this.#book(code, { from, amount: code.amount, late: false });
      return this.#deps.callbacks.owe(this.#callbackOf(paid.code), Date.now());
    });
    await this.#deps.callbacks.sendNow(id);
  }

  /** Somebody who knows the address claims that a code is paid. */
  forge(code: Code, amount: number): void {
    // A moment later: the forger acts on a code that its owner has got.
    this.#deps.callbacks.owe(
      { ...this.#callbackOf(code), txnAmount: formatMoney(amount), txnNo: `9${Date.now()}9` },
      Date.now() + FORGED_AFTER_MS,
    );
    this.#deps.callbacks.wake();
  }

  #book(code: Code, payment: { from: Holder; amount: number; late: boolean }): { transfer: Transfer; code: Code } {
    const { codes, accounts, outside } = this.#deps;
    const payee = { bankCode: 'KBANK', accountNo: outside.kbank.billerId, accountName: PAYEE_NAME };
    const transfer = accounts.payGateway(payment.from, payee, payment.amount, code.reference1);
    // The bank knows its customer by the name on the account, whatever the payer typed.
    return { transfer, code: codes.bookPayment(code.id, payment.amount, transfer.from, payment.late) };
  }

  #oweCallbacks(code: Code): void {
    const { faults, callbacks } = this.#deps;
    const body = this.#callbackOf(code);
    const now = Date.now();
    const late = faults.takeForCallback('kbank', 'callback-late', 'payment');
    const dueAt = late ? now + (late.delayMs ?? LATE_DEFAULT_MS) : now;
    callbacks.owe(body, dueAt);
    if (faults.takeForCallback('kbank', 'callback-twice', 'payment')) callbacks.owe(body, dueAt);
    const forged = faults.takeForCallback('kbank', 'callback-forged', 'payment');
    if (!forged) return;
    const amount = forged.amount ?? (code.paidAmount ?? code.amount) * FORGED_TIMES;
    callbacks.owe({ ...body, txnAmount: formatMoney(amount), txnNo: `9${now}9` }, now);
  }

  #callbackOf(code: Code): CallbackBody {
    const { outside } = this.#deps;
    return {
      partnerTxnUid: code.uid,
      partnerId: outside.kbank.partnerId,
      statusCode: '00',
      errorCode: null,
      errorDesc: null,
      merchantId: outside.kbank.merchantId,
      txnAmount: formatMoney(code.paidAmount ?? code.amount),
      txnCurrencyCode: 'THB',
      txnNo: code.txnNo,
      reference1: code.reference1,
      reference2: code.reference2,
      additionalInfo: null,
    };
  }
}
