import { randomInt } from 'node:crypto';
import type { Store } from '../../store.ts';
import type { Code, Codes, Payer } from '../codes.ts';
import type { Finder } from '../gateway.ts';

const GRACE_MS = 15 * 60_000;
const JITTER_MAX = 99;
const FEE_PER_MILLE = 15;
/** SQL of codes that their amount still identifies: not paid, not failed, and not long expired. */
const RESERVED_SQL = `gateway = 'payonex' and paid_at is null and failed_at is null and expires_at + ${GRACE_MS} > ?1`;

/** Fee on a payment: 1.5 %, rounded to the nearest satang. */
export const feeOf = (amount: number): number => Math.round((amount * FEE_PER_MILLE) / 1000);

export type HeldPayment = { id: number; amount: number; at: number } & Payer;

/** The account that receives all payments, which matches them by amount alone. */
export class CollectingAccount implements Finder {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** A free amount up to 0.99 above the requested one; undefined when none is left. */
  freeAmount(requestedAmount: number): number | undefined {
    const takenAmounts = new Set(
      this.#store
        .all<{ amount: number }>(
          `select amount from gateway_code where ${RESERVED_SQL} and amount between ?2 and ?3`,
          Date.now(),
          requestedAmount + 1,
          requestedAmount + JITTER_MAX,
        )
        .map(({ amount }) => amount),
    );
    const freeAmounts = Array.from({ length: JITTER_MAX }, (_, index) => requestedAmount + index + 1).filter(
      (candidate) => !takenAmounts.has(candidate),
    );
    return freeAmounts[randomInt(Math.max(freeAmounts.length, 1))];
  }

  /** Whether the amount of a code still identifies it. */
  isReserved(code: Code): boolean {
    return code.expiresAt + GRACE_MS > Date.now();
  }

  book({ codes, amount, payer, at }: { codes: Codes; amount: number; payer: Payer; at: number }): Code | undefined {
    const exactCode = this.#store.one<{ id: number }>(
      `select id from gateway_code where ${RESERVED_SQL} and amount = ?2`,
      at,
      amount,
    );
    // When a held payment is followed by a correct one, the first payment stays held.
    if (exactCode) return codes.bookPayment(exactCode.id, amount, payer, true);
    const likelyCode = this.#store.one<{ id: number; number: string }>(
      `select c.id, c.number from gateway_code c join payonex_transaction t on t.code_id = c.id
         join payonex_customer p on p.uuid = t.customer
       where ${RESERVED_SQL} and c.expires_at > ?1 and p.bank = ?2 and p.number = ?3
         and not exists (select 1 from payonex_unmatched u where u.code_id = c.id) order by c.id desc`,
      at,
      ourWordFor(payer.bankCode),
      payer.accountNo,
    );
    this.#store.run(
      'insert into payonex_unmatched (code_id, amount, at, payer_bank, payer_number, payer_name) values (?, ?, ?, ?, ?, ?)',
      likelyCode?.id ?? null,
      amount,
      at,
      payer.bankCode,
      payer.accountNo,
      payer.accountName,
    );
    return likelyCode && codes.byNumber(likelyCode.number);
  }

  /** A payment of a wrong amount for a code, held until its manual release. */
  heldFor(code: Code): HeldPayment | undefined {
    return this.#store.one<HeldPayment>(
      `select id, amount, at, payer_bank as bankCode, payer_number as accountNo, payer_name as accountName
       from payonex_unmatched where code_id = ? and released_at is null`,
      code.id,
    );
  }

  /** Payments that match no transaction, oldest first. */
  unmatched(): HeldPayment[] {
    return this.#store.all<HeldPayment>(
      `select id, amount, at, payer_bank as bankCode, payer_number as accountNo, payer_name as accountName
       from payonex_unmatched where code_id is null and released_at is null order by id limit 1000`,
    );
  }

  /** Releases a held payment manually: the code is paid with the received amount. Inside a transaction. */
  release(codes: Codes, code: Code, held: HeldPayment): Code {
    this.#store.run('update payonex_unmatched set released_at = ? where id = ?', Date.now(), held.id);
    return codes.bookPayment(code.id, held.amount, held, true);
  }

  totals(): { unmatched: number; fee: number } {
    const unmatchedTotal = this.#store.one<{ amount: number }>(
      'select coalesce(sum(amount), 0) as amount from payonex_unmatched where released_at is null',
    );
    const paidAmounts = this.#store.all<{ amount: number }>(
      "select paid_amount as amount from gateway_code where gateway = 'payonex' and paid_at is not null",
    );
    return {
      unmatched: unmatchedTotal?.amount ?? 0,
      fee: paidAmounts.reduce((total, { amount }) => total + feeOf(amount), 0),
    };
  }
}

const BANK_WORDS: Readonly<Record<string, string>> = {
  TTB: 'TMB',
  CIMBT: 'CIMB',
  UOBT: 'UOB',
  IBANK: 'ISBT',
  ICBCT: 'ICBC',
};

/** The gateway's own code of a bank. */
export const ourWordFor = (bankCode: string): string => BANK_WORDS[bankCode] ?? bankCode;
