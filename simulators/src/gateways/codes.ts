import { Refusal } from '../refusal.ts';
import type { Store } from '../store.ts';
import type { Gateway } from './gateway.ts';

export type CodeStatus = 'REQUESTED' | 'PAID' | 'CANCELLED' | 'EXPIRED' | 'FAILED';
export type Payer = { bankCode: string; accountNo: string; accountName: string };

/** A QR code that a gateway issued. Amounts in hundredths of the gateway's currency, times in milliseconds since 1970. */
export type Code = {
  id: number;
  gateway: string;
  /** The gateway's number of the code, or that of the order. */
  number: string;
  /** The merchant's reference. */
  reference: string;
  /** Further gateway-specific data of the order. */
  notes: string | null;
  amount: number;
  payload: string;
  createdAt: number;
  expiresAt: number;
  cancelledAt: number | null;
  failedAt: number | null;
  paidAt: number | null;
  paidAmount: number | null;
  /** Time of the gateway's refund. */
  refundedAt: number | null;
  txnNo: string | null;
  payerBank: string | null;
  payerNumber: string | null;
  payerName: string | null;
};

/** A merchant's order of a QR code. */
export type Order = {
  reference: string;
  amount: number;
  lifeMs: number;
  number?: string;
  notes?: string | null;
  /** Stores further data of the code, in the same transaction. */
  onIssued?: (code: Code) => void;
};

const CODE_COLUMNS = `id, gateway, number, reference, notes, amount, payload, created_at as createdAt, expires_at as expiresAt,
  cancelled_at as cancelledAt, failed_at as failedAt, paid_at as paidAt, paid_amount as paidAmount, refunded_at as refundedAt, txn_no as txnNo,
  payer_bank as payerBank, payer_number as payerNumber, payer_name as payerName`;

/** Status of a code. `paid` takes precedence, even for late payments. */
export function statusOf(code: Code, now: number): CodeStatus {
  if (code.paidAt !== null) return 'PAID';
  if (code.cancelledAt !== null) return 'CANCELLED';
  if (code.failedAt !== null) return 'FAILED';
  return now >= code.expiresAt ? 'EXPIRED' : 'REQUESTED';
}

/** Finds a code by its text, at any gateway. */
export function findByPayload(store: Store, payload: string): Code | undefined {
  return store.one<Code>(`select ${CODE_COLUMNS} from gateway_code where payload = ?`, payload);
}

/** Finds a code by the reference of the merchant or of the gateway, at any gateway. */
export function findByName(store: Store, name: string): Code | undefined {
  return store.one<Code>(
    `select ${CODE_COLUMNS} from gateway_code where reference = ?1 or number = ?1 order by id desc`,
    name,
  );
}

/** The QR codes of one gateway. */
export class Codes {
  readonly #store: Store;
  readonly #gateway: Gateway;

  constructor(store: Store, gateway: Gateway) {
    this.#store = store;
    this.#gateway = gateway;
  }

  /** Issues a code; undefined when the reference is already used. */
  issue(order: Order): Code | undefined {
    return this.#store.atomically(() => {
      if (this.byReference(order.reference)) return undefined;
      const now = Date.now();
      const expiresAt = now + order.lifeMs;
      const { id } = this.#store.run(
        `insert into gateway_code (gateway, reference, notes, amount, created_at, expires_at) values (?, ?, ?, ?, ?, ?)`,
        this.#gateway.name,
        order.reference,
        order.notes ?? null,
        order.amount,
        now,
        expiresAt,
      );
      const { reference, amount } = order;
      const number = order.number ?? this.#gateway.numberOf(id);
      const payload = this.#gateway.payloadOf({ number, reference, id, amount, expiresAt });
      this.#store.run('update gateway_code set number = ?, payload = ? where id = ?', number, payload, id);
      const code = this.#mustFind(id);
      order.onIssued?.(code);
      return code;
    });
  }

  byNumber(number: string): Code | undefined {
    return this.#one('number = ?', number);
  }

  byReference(reference: string): Code | undefined {
    return this.#one('reference = ?', reference);
  }

  /** Cancels a code if possible; returns its current state. */
  cancel({ id }: Code): Code {
    this.#store.run(
      `update gateway_code set cancelled_at = ?1
       where id = ?2 and paid_at is null and cancelled_at is null and failed_at is null and expires_at > ?1`,
      Date.now(),
      id,
    );
    return this.#mustFind(id);
  }

  /** Ends a code now, as expired or as failed. @throws Refusal when it is paid or cancelled */
  end(code: Code, endStatus: 'EXPIRED' | 'FAILED'): void {
    const now = Date.now();
    const status = statusOf(code, now);
    if (status === 'PAID' || status === 'CANCELLED') {
      throw new Refusal(409, `qr_${status.toLowerCase()}`, `The code is ${status} already`);
    }
    const column = endStatus === 'FAILED' ? 'failed_at = ?1' : 'expires_at = min(expires_at, ?1)';
    this.#store.run(`update gateway_code set ${column} where id = ?2`, now, code.id);
  }

  /**
   * Books a payment of a code. Must run inside the transaction that takes the payer's money.
   * @param late accepts the payment of a cancelled or expired code
   * @throws Refusal `qr_paid`, `qr_cancelled`, `qr_expired`, `qr_failed`
   */
  bookPayment(id: number, amount: number, payer: Payer, late: boolean): Code {
    const now = Date.now();
    const status = statusOf(this.#mustFind(id), now);
    if (status === 'PAID' || (status !== 'REQUESTED' && !late)) {
      throw new Refusal(409, `qr_${status.toLowerCase()}`, `The code is ${status}`);
    }
    this.#store.run(
      `update gateway_code set paid_at = ?, paid_amount = ?, txn_no = ?, payer_bank = ?, payer_number = ?, payer_name = ? where id = ?`,
      now,
      amount,
      this.#gateway.transactionNumberOf(id, now),
      payer.bankCode,
      payer.accountNo,
      payer.accountName,
      id,
    );
    return this.#mustFind(id);
  }

  /** Refunds a payment, inside the transaction that credits the payer. @throws Refusal `not_paid` */
  giveBack(code: Code): Code {
    const { changes } = this.#store.run(
      'update gateway_code set refunded_at = ? where id = ? and paid_at is not null and refunded_at is null',
      Date.now(),
      code.id,
    );
    if (changes === 0) throw new Refusal(409, 'not_paid', 'The code is not paid, or its money is back already');
    return this.#mustFind(code.id);
  }

  /** Amount (hundredths of the currency) and number of payments that were not refunded. */
  totals(): { received: number; payments: number } {
    const row = this.#store.one<{ received: number; payments: number }>(
      `select coalesce(sum(case when refunded_at is null then paid_amount end), 0) as received, count(paid_at) as payments
       from gateway_code where gateway = ?`,
      this.#gateway.name,
    );
    return row ?? { received: 0, payments: 0 };
  }

  #one(condition: 'number = ?' | 'reference = ?', value: string): Code | undefined {
    return this.#store.one<Code>(
      `select ${CODE_COLUMNS} from gateway_code where gateway = ? and ${condition}`,
      this.#gateway.name,
      value,
    );
  }

  #mustFind(id: number): Code {
    const code = this.#store.one<Code>(`select ${CODE_COLUMNS} from gateway_code where id = ?`, id);
    if (!code) throw new Error(`code ${id} vanished`);
    return code;
  }
}
