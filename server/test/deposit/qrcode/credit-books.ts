import { randomUUID } from 'node:crypto';
import { minor } from '@krapao/contract/money';
import type { Gateway, Payment } from '../../../src/adapters/gateway/port.ts';
import type { Ledger } from '../../../src/ledger/index.ts';
import { type CreditResult, creditPayment } from '../../../src/modules/deposit/qrcode/credit-payment.ts';
import type { QrcodeDeps, Qrcode } from '../../../src/modules/deposit/qrcode/qrcode.ts';
import { findQrcode } from '../../../src/modules/deposit/qrcode/queries.ts';
import type { Database } from '../../../src/platform/database/database.ts';

const SHOWN_COLUMNS = `payload = 'text', pay_amount = 100, expires_at = now() + interval '10 minutes'`;
const STATE_COLUMNS: Readonly<Record<Exclude<Qrcode['state'], 'PAID'>, string>> = {
  CREATING: `state = 'CREATING'`,
  PENDING: `state = 'PENDING', ${SHOWN_COLUMNS}`,
  CANCELLED: `state = 'CANCELLED', ended_at = now(), ${SHOWN_COLUMNS}`,
  EXPIRED: `state = 'EXPIRED', ended_at = now(), ${SHOWN_COLUMNS}`,
  FAILED: `state = 'FAILED', ended_at = now(), reason = 'GATEWAY_UNKNOWN'`,
};
export const UNPAID_STATES = Object.keys(STATE_COLUMNS) as (keyof typeof STATE_COLUMNS)[];

/** A code of 1.00 baht. A member has one live code at each gateway. */
export async function insertQrcode(
  database: Database,
  memberId: string,
  { state = 'PENDING', gateway = 'KBANK' }: { state?: keyof typeof STATE_COLUMNS; gateway?: string } = {},
): Promise<Qrcode> {
  const id = randomUUID();
  await database.query(
    `insert into qrcode (id, member_id, gateway, reference, currency, amount, state, ended_at, inquire_at)
     values ($1, $2, $3, $4, 'BAHT', 100, 'FAILED', now(), now() + interval '1 hour')`,
    [id, memberId, gateway, `R${id.slice(0, 8)}`],
  );
  const endedColumn = STATE_COLUMNS[state].includes('ended_at') ? '' : ', ended_at = null';
  await database.query(`update qrcode set ${STATE_COLUMNS[state]}${endedColumn} where id = $1`, [id]);
  return readQrcode(database, id);
}

export async function readQrcode(database: Database, id: string): Promise<Qrcode> {
  const code = await findQrcode(database, id);
  if (!code) throw new Error('no such code');
  return code;
}

export const paymentOf = (overrides: Partial<Payment> = {}): Payment => ({
  transactionNumber: randomUUID(),
  amount: minor(100n),
  currency: 'BAHT',
  paidAt: new Date(),
  payer: { bankCode: 'KBANK', accountNo: 'xxx', name: 'Somjai' },
  ...overrides,
});

/** Credits a payment as the resolver, or as a callback. */
export function paymentCrediter(
  ledger: Pick<Ledger, 'postCommand'>,
): (code: Qrcode, payment: Payment, options?: { isCalledBack: boolean }) => Promise<CreditResult> {
  const gateways = ['KBANK', 'BCEL'].map((code) => ({ code, name: code.toLowerCase() }) as Gateway);
  const log = { info: () => {}, warn: () => {}, error: () => {} } as unknown as QrcodeDeps['log'];
  return (code, paid, options) => creditPayment({ ledger, gateways, log }, code, paid, options);
}

/** State of a code, whether an inquiry is due, the paid amount, and the member's wallet. */
export async function readQrcodeOutcome(
  database: Database,
  ledger: Ledger,
  { id, memberId }: Qrcode,
): Promise<unknown> {
  const { rows } = await database.query(
    `select state, inquire_at <= now() as due, wakes, paid_amount as paid, transaction_number as number from qrcode where id = $1`,
    [id],
  );
  return { ...rows[0], wallet: await readWalletBalance(ledger, memberId) };
}

export async function readWalletBalance(ledger: Ledger, memberId: string): Promise<bigint> {
  const balances = await ledger.balances(memberId);
  return balances.find(({ kind }) => kind === 'WALLET')?.posted ?? 0n;
}
