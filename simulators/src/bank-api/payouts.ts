import { z } from 'zod';
import type { Account, Accounts } from '../bank/accounts.ts';
import { bankNumber, currencyOf } from '../bank/banks.ts';
import { plainName } from '../bank/holder-name.ts';
import type { Faults } from '../control/faults.ts';
import { readInput } from '../input.ts';
import { type Currency, formatMoney, parseMoney } from '../money.ts';
import { DueTimer } from '../push/due-timer.ts';
import type { Outbox } from '../push/outbox.ts';
import { Refusal } from '../refusal.ts';
import type { Settings } from '../settings.ts';
import type { Store } from '../store.ts';
import { thaiTime } from '../time.ts';
import { isoCurrency } from './currency.ts';

const LATE_DEFAULT_MS = 60_000;
const EARLY_DEFAULT_MS = 2_000;
const PAYOUT_LIMIT: Readonly<Record<Currency, number>> = { BAHT: 200_000_000, LAK: 100_000_000_000 };

/** Outbox channel and settings name of payout callbacks. */
export const PAYOUT_CHANNEL = 'bank-payout';

type PayoutDeps = { store: Store; accounts: Accounts; outbox: Outbox; faults: Faults; settings: Settings };
type PayoutOutcome = 'PAID' | 'FAILED';
type PayoutRow = {
  id: number;
  reference: string;
  request: string;
  answer: string;
  from_bank: string;
  from_number: string;
  to_bank: string;
  to_number: string;
  to_name: string;
  amount: number;
  currency: Currency;
  state: 'ACCEPTED' | PayoutOutcome;
  planned: PayoutOutcome;
  reason: string | null;
  transfer_id: string | null;
  accepted_at: number;
  finished_at: number | null;
};

const account = { bankCode: z.string().regex(/^[A-Z0-9]{2,10}$/), accountNo: z.string().regex(/^\d{6,20}$/) };
const orderInput = z.object({
  reference: z.string().regex(/^[A-Za-z0-9_-]{1,40}$/),
  from: z.object(account),
  to: z.object({ ...account, accountName: z.string().trim().min(1).max(100) }),
  amount: z.unknown(),
  currency: z.enum(['THB', 'LAK']),
});
type PayoutOrder = z.output<typeof orderInput>;

/** Payouts: accepted once per reference, and paid or failed after a delay. */
export class Payouts {
  readonly #deps: PayoutDeps;
  readonly #timer = new DueTimer(() => this.#endDue());

  constructor(deps: PayoutDeps) {
    this.#deps = deps;
  }

  resume(): void {
    this.#timer.schedule();
  }

  stop(): void {
    this.#timer.stop();
  }

  /**
   * Accepts an order; the same order again is an idempotent replay.
   * @throws Refusal when the order had no effect; docs/outside/bank.md lists the codes
   */
  accept(body: unknown): object {
    const payout = readOrder(body);
    return this.#deps.store.atomically(() => {
      const existingPayout = this.#find(payout.reference);
      if (existingPayout && existingPayout.request !== payout.request) {
        throw new Refusal(409, 'reference_reused', 'This reference belongs to another payout');
      }
      return JSON.parse(existingPayout?.answer ?? this.#begin(payout)) as object;
    });
  }

  /** State of a payout. @throws Refusal when no payout has this reference */
  status(reference: string): object {
    const row = this.#find(reference);
    if (!row) throw new Refusal(404, 'not_found', 'No payout of this reference was accepted');
    return {
      ...this.#claim(row),
      from: { bankCode: row.from_bank, accountNo: row.from_number },
      to: { bankCode: row.to_bank, accountNo: row.to_number, accountName: row.to_name },
      amount: formatMoney(row.amount),
      currency: isoCurrency(row.currency),
      sendingBank: bankNumber(row.from_bank),
      acceptedAt: thaiTime(row.accepted_at),
      finishedAt: row.finished_at === null ? null : thaiTime(row.finished_at),
    };
  }

  /** Completes a pending payout now. @throws Refusal when there is none, or it is final */
  end(reference: string, outcome: PayoutOutcome, reason: string | undefined): object {
    this.#deps.store.atomically(() => {
      const row = this.#find(reference);
      if (!row) throw new Refusal(404, 'not_found', 'No payout of this reference was accepted');
      if (row.state !== 'ACCEPTED') throw new Refusal(409, 'finished', `It is ${row.state}`);
      this.#finish(row, outcome, reason);
    });
    return this.status(reference);
  }

  #find(reference: string): PayoutRow | undefined {
    return this.#deps.store.one<PayoutRow>('select * from bank_payout where reference = ?', reference);
  }

  #begin({ request, reference, from, to, amount, currency }: ReturnType<typeof readOrder>): string {
    const { store, accounts, faults, settings } = this.#deps;
    const payer = accounts.find(from.bankCode, from.accountNo);
    if (payer?.owner !== 'operator') throw new Refusal(403, 'not_your_account', 'This is no account of yours');
    if (isoCurrency(payer.currency) !== currency) throw otherCurrency();
    const receiver = this.#mustReceive(to, payer.currency);
    if (amount > PAYOUT_LIMIT[payer.currency])
      throw new Refusal(422, 'limit_exceeded', 'That is more than one payout may be');
    if (!accounts.subtract(payer, amount)) {
      throw new Refusal(422, 'insufficient_funds', 'The account holds less than that');
    }
    const now = Date.now();
    const planned = faults.takeForEvent('bank', 'payout-failed', 'payout') ? 'FAILED' : 'PAID';
    const nextId = store.one<{ id: number }>('select coalesce(max(id), 0) + 1 as id from bank_payout')?.id ?? 1;
    const replyText = JSON.stringify({ payoutId: payoutId(nextId), reference, status: 'ACCEPTED' });
    store.run(
      `insert into bank_payout (id, reference, request, answer, from_bank, from_number, to_bank, to_number, to_name, amount,
         currency, planned, ends_at, accepted_at) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      nextId,
      reference,
      request,
      replyText,
      payer.bankCode,
      payer.accountNo,
      receiver.bankCode,
      receiver.accountNo,
      receiver.accountName,
      amount,
      payer.currency,
      planned,
      now + settings.payoutDelayMs,
      now,
    );
    this.#callBackBeforeOutcome(reference);
    this.#timer.schedule();
    return replyText;
  }

  #mustReceive(to: PayoutOrder['to'], currency: Currency): Account {
    const { accounts } = this.#deps;
    const existingAccount = accounts.find(to.bankCode, to.accountNo);
    if (to.accountNo.startsWith('999') || existingAccount?.owner === 'operator') {
      throw new Refusal(422, 'unknown_account', 'The receiving bank has no such account');
    }
    if (to.accountNo.startsWith('998')) throw new Refusal(422, 'closed', 'The receiving account is closed');
    if (existingAccount && plainName(existingAccount.accountName) !== plainName(to.accountName)) {
      throw new Refusal(422, 'name_mismatch', 'The receiving account has another name');
    }
    if ((existingAccount?.currency ?? currencyOf(to.bankCode)) !== currency) throw otherCurrency();
    return existingAccount ?? accounts.open(to);
  }

  /** Sends callbacks before the payout has an outcome, some of them forged. */
  #callBackBeforeOutcome(reference: string): void {
    const { faults, store } = this.#deps;
    const row = this.#find(reference);
    if (!row) return;
    const paidRow = { ...row, state: 'PAID' as const };
    const earlyFault = faults.takeForEvent('bank', 'callback-early', 'payout');
    if (earlyFault) {
      store.run(
        'update bank_payout set ends_at = ? where id = ?',
        Date.now() + (earlyFault.delayMs ?? EARLY_DEFAULT_MS),
        row.id,
      );
      this.#notify(paidRow, Date.now());
    }
    const forgedFault = faults.takeForEvent('bank', 'callback-forged', 'payout');
    if (forgedFault) this.#notify(paidRow, Date.now(), forgedFault.applied !== true);
  }

  #endDue(): number | null {
    const { store } = this.#deps;
    store.atomically(() => {
      const duePayouts = store.all<PayoutRow>(
        "select * from bank_payout where state = 'ACCEPTED' and ends_at <= ?",
        Date.now(),
      );
      for (const row of duePayouts) this.#finish(row, row.planned, undefined);
    });
    const nextDue = store.one<{ at: number | null }>(
      "select min(ends_at) as at from bank_payout where state = 'ACCEPTED'",
    );
    return nextDue?.at ?? null;
  }

  #finish(row: PayoutRow, outcome: PayoutOutcome, reason: string | undefined): void {
    const { store, accounts, faults } = this.#deps;
    const now = Date.now();
    const payer = accounts.find(row.from_bank, row.from_number);
    if (!payer) throw new Error(`account ${row.from_bank} ${row.from_number} vanished`);
    let transferId: string | null = null;
    if (outcome === 'FAILED') accounts.add(payer, row.amount);
    else {
      const receiver = { bankCode: row.to_bank, accountNo: row.to_number, accountName: row.to_name };
      accounts.add(receiver, row.amount);
      const { amount, currency, reference } = row;
      transferId = accounts.record({ kind: 'transfer', from: payer, to: receiver, amount, currency, reference }).id;
    }
    store.run(
      'update bank_payout set state = ?, reason = ?, transfer_id = ?, finished_at = ? where id = ?',
      outcome,
      outcome === 'FAILED' ? (reason ?? 'receiver_bank_rejected') : null,
      transferId,
      now,
      row.id,
    );
    const endedPayout = this.#find(row.reference);
    if (!endedPayout) return;
    const lateFault = faults.takeForEvent('bank', 'callback-late', 'payout');
    const dueAt = now + (lateFault ? (lateFault.delayMs ?? LATE_DEFAULT_MS) : 0);
    this.#notify(endedPayout, dueAt);
    if (faults.takeForEvent('bank', 'callback-twice', 'payout')) this.#notify(endedPayout, dueAt);
  }

  #notify(row: PayoutRow, dueAt: number, isForged = false): void {
    const body = JSON.stringify({ event: 'payout', ...this.#claim(row) });
    this.#deps.outbox.enqueue({ channel: PAYOUT_CHANNEL, key: row.reference, body, isForged }, dueAt);
  }

  #claim({ id, reference, state, reason, transfer_id }: PayoutRow): object {
    const transRef = transfer_id === null ? null : (this.#deps.accounts.findTransfer(transfer_id)?.transRef ?? null);
    return { payoutId: payoutId(id), reference, status: state, reason, transRef };
  }
}

function otherCurrency(): Refusal {
  return new Refusal(422, 'currency_mismatch', 'The accounts are not both kept in this currency');
}

function payoutId(id: number): string {
  return `PO${String(id).padStart(12, '0')}`;
}

function readOrder(body: unknown): Omit<PayoutOrder, 'amount'> & { amount: number; request: string } {
  let input: PayoutOrder;
  try {
    input = readInput(orderInput, body);
  } catch (error) {
    throw error instanceof Refusal ? new Refusal(400, 'bad_request', error.message) : error;
  }
  const amount = parseMoney(input.amount);
  if (amount === undefined || amount === 0) {
    throw new Refusal(400, 'bad_request', 'amount: must be an amount above 0 with at most two decimals');
  }
  const { reference, from, to, currency } = input;
  const request = JSON.stringify([
    [from.bankCode, from.accountNo],
    [to.bankCode, to.accountNo, to.accountName],
    amount,
    currency,
  ]);
  return { reference, from, to, currency, amount, request };
}
