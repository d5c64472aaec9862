import { formatMoney } from '../money.ts';
import type { Outside } from '../outside-file.ts';
import { Refusal } from '../refusal.ts';
import type { Store } from '../store.ts';
import { billPaymentQr } from '../thai-qr.ts';
import { thaiDigits } from '../time.ts';

const PAYEE = 'KRAPAO';
const CITY = 'BANGKOK';

export type CodeStatus = 'REQUESTED' | 'PAID' | 'CANCELLED' | 'EXPIRED';
export type Payer = { bankCode: string; accountNo: string; accountName: string };

/** A QR code that the gateway issued. Amounts in satang, times in milliseconds since 1970. */
export type Code = {
  id: number;
  uid: string;
  reference1: string;
  reference2: string | null;
  amount: number;
  payload: string;
  expiresAt: number;
  cancelledAt: number | null;
  paidAt: number | null;
  paidAmount: number | null;
  txnNo: string | null;
  payerBank: string | null;
  payerNumber: string | null;
  payerName: string | null;
};

const COLUMNS = `id, uid, reference1, reference2, amount, payload, expires_at as expiresAt, cancelled_at as cancelledAt,
  paid_at as paidAt, paid_amount as paidAmount, txn_no as txnNo, payer_bank as payerBank, payer_number as payerNumber, payer_name as payerName`;

/** Where a code stands. Paid beats everything, whenever the money came. */
export function statusOf(code: Code, now: number): CodeStatus {
  if (code.paidAt !== null) return 'PAID';
  if (code.cancelledAt !== null) return 'CANCELLED';
  return now >= code.expiresAt ? 'EXPIRED' : 'REQUESTED';
}

/** The gateway's QR codes. */
export class Codes {
  readonly #store: Store;
  readonly #outside: Outside;

  constructor(store: Store, outside: Outside) {
    this.#store = store;
    this.#outside = outside;
  }

  /** Notes a request id; false when it was used before. */
  claimRequest(uid: string): boolean {
    const { changes } = this.#store.run('insert or ignore into kbank_request (uid, at) values (?, ?)', uid, Date.now());
    return changes === 1;
  }

  /** Issues a code; undefined when reference1 is known already. */
  issue(order: {
    uid: string;
    reference1: string;
    reference2: string | null;
    amount: number;
    lifeSeconds: number;
  }): Code | undefined {
    return this.#store.atomically(() => {
      if (this.byReference(order.reference1)) return undefined;
      const expiresAt = Date.now() + order.lifeSeconds * 1000;
      const { id } = this.#store.run(
        `insert into kbank_qr (uid, reference1, reference2, amount, payload, expires_at) values (?, ?, ?, ?, '', ?)`,
        order.uid,
        order.reference1,
        order.reference2,
        order.amount,
        expiresAt,
      );
      const payload = billPaymentQr({
        billerId: this.#outside.kbank.billerId,
        reference1: order.reference1,
        reference2: `KB${String(id).padStart(12, '0')}`,
        amount: formatMoney(order.amount),
        name: PAYEE,
        city: CITY,
      });
      this.#store.run('update kbank_qr set payload = ? where id = ?', payload, id);
      return this.#store.one<Code>(`select ${COLUMNS} from kbank_qr where id = ?`, id);
    });
  }

  byUid(uid: string): Code | undefined {
    return this.#store.one<Code>(`select ${COLUMNS} from kbank_qr where uid = ?`, uid);
  }

  byReference(reference1: string): Code | undefined {
    return this.#store.one<Code>(`select ${COLUMNS} from kbank_qr where reference1 = ?`, reference1);
  }

  /** Cancels a code that can still be; answers where it stands then. */
  cancel(uid: string): CodeStatus | undefined {
    this.#store.run(
      'update kbank_qr set cancelled_at = ?1 where uid = ?2 and paid_at is null and cancelled_at is null and expires_at > ?1',
      Date.now(),
      uid,
    );
    const code = this.byUid(uid);
    return code && statusOf(code, Date.now());
  }

  /** Ends a code's life now. @throws Refusal when it is paid or cancelled */
  expire(code: Code): void {
    const now = Date.now();
    const status = statusOf(code, now);
    if (status !== 'REQUESTED' && status !== 'EXPIRED') {
      throw new Refusal(409, `qr_${status.toLowerCase()}`, `The code is ${status} already`);
    }
    this.#store.run('update kbank_qr set expires_at = min(expires_at, ?) where id = ?', now, code.id);
  }

  /**
   * Books a payment on a code. Must run inside the transaction that takes the payer's money.
   * @param late lets it through although the code is cancelled or expired
   * @throws Refusal `qr_paid`, `qr_cancelled`, `qr_expired`
   */
  bookPayment(id: number, amount: number, payer: Payer, late: boolean): Code {
    const now = Date.now();
    const code = this.#store.one<Code>(`select ${COLUMNS} from kbank_qr where id = ?`, id);
    if (!code) throw new Refusal(404, 'unknown_payee', 'The gateway does not know this code');
    const status = statusOf(code, now);
    if (status === 'PAID' || (status !== 'REQUESTED' && !late)) {
      throw new Refusal(409, `qr_${status.toLowerCase()}`, `The code is ${status}`);
    }
    this.#store.run(
      `update kbank_qr set paid_at = ?, paid_amount = ?, txn_no = ?, payer_bank = ?, payer_number = ?, payer_name = ? where id = ?`,
      now,
      amount,
      `${thaiDigits(now)}${String(id).padStart(6, '0')}`,
      payer.bankCode,
      payer.accountNo,
      payer.accountName,
      id,
    );
    const paid = this.#store.one<Code>(`select ${COLUMNS} from kbank_qr where id = ?`, id);
    if (!paid) throw new Error(`code ${id} vanished`);
    return paid;
  }

  /** Everything that was paid: satang and number of payments. */
  totals(): { received: number; payments: number } {
    const row = this.#store.one<{ received: number; payments: number }>(
      'select coalesce(sum(paid_amount), 0) as received, count(paid_at) as payments from kbank_qr',
    );
    return row ?? { received: 0, payments: 0 };
  }
}
