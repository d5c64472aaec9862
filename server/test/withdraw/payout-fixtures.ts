import { strict as assert } from 'node:assert';
import { createHmac } from 'node:crypto';
import { toDecimal } from '@krapao/contract/money';
import { houseAccountBalance } from '../../src/ledger/balances.ts';
import { audit } from '../../src/ledger/index.ts';
import type { Outside } from '../../src/outside-config.ts';
import type { ApiReply } from '../harness/api-client.ts';
import { waitUntilResult } from '../harness/games.ts';
import type { TestMember } from '../harness/members.ts';
import type { System } from '../harness/system.ts';

export const PAYOUT_HOUSE_ACCOUNT = 'payout:SCB-4680001234';

type SystemClients = Pick<System, 'api' | 'simulatorsApi'>;
type TokenHolder = Pick<TestMember, 'token'>;

/** For `startSystem`: timeout of calls to the bank. */
export const outsideWithBankTimeout =
  (timeoutMs: number) =>
  (outside: Outside): Outside => ({ ...outside, bank: { ...outside.bank, timeoutMs } });

const keyHeader = (key: string | undefined) => (key === undefined ? {} : { idempotencyKey: key });

export const withdraw = (
  system: SystemClients,
  { token }: TokenHolder,
  amount: unknown,
  key?: string,
): Promise<ApiReply> => system.api('POST /api/wallet/withdraw', { token, body: { amount }, ...keyHeader(key) });

export const withdrawAll = (
  system: SystemClients,
  { token }: TokenHolder,
  amount: unknown,
  key?: string,
): Promise<ApiReply> => system.api('POST /api/wallet/withdrawAll', { token, body: { amount }, ...keyHeader(key) });

/** Injects faults into the bank's next calls; `payouts` by default. */
export async function injectBankFault(system: SystemClients, fault: Record<string, unknown>): Promise<void> {
  const { status, body } = await system.simulatorsApi('POST /control/faults', {
    body: { target: 'bank', call: 'payouts', ...fault },
  });
  assert.equal(status, 201, JSON.stringify(body));
}

/** Processing time of payouts at the bank; a day when the test ends them. */
export async function setPayoutDelay(system: SystemClients, payoutDelayMs: number): Promise<void> {
  const { status, body } = await system.simulatorsApi('POST /control/settings', { body: { payoutDelayMs } });
  assert.equal(status, 200, JSON.stringify(body));
}

/** Makes the bank end an accepted payout. */
export async function endPayout(
  system: SystemClients,
  reference: string,
  outcome: 'PAID' | 'FAILED',
  reason?: string,
): Promise<void> {
  const { status, body } = await system.simulatorsApi('POST /control/payouts/{reference}', {
    params: { reference },
    body: { outcome, ...(reason === undefined ? {} : { reason }) },
  });
  assert.equal(status, 200, JSON.stringify(body));
}

export type WithdrawalRow = {
  reference: string;
  state: string;
  isHeld: boolean;
  proof: string | null;
  attempts: number;
  reason: string | null;
  note: string | null;
};

export async function readWithdrawalRows(
  { database }: Pick<System, 'database'>,
  memberId: string,
): Promise<WithdrawalRow[]> {
  const { rows } = await database.query<WithdrawalRow>(
    `select reference, state, is_held as "isHeld", proof, attempts, reason, note
       from withdraw where member_id = $1 order by created_at`,
    [memberId],
  );
  return rows;
}

export async function readWithdrawalRow(
  { database }: Pick<System, 'database'>,
  reference: string,
): Promise<WithdrawalRow> {
  const { rows } = await database.query<WithdrawalRow>(
    `select reference, state, is_held as "isHeld", proof, attempts, reason, note from withdraw where reference = $1`,
    [reference],
  );
  assert.ok(rows[0], reference);
  return rows[0];
}

export const waitForState = (
  system: Pick<System, 'database'>,
  reference: string,
  ...states: string[]
): Promise<WithdrawalRow> =>
  waitUntilResult(
    `${reference} reaches ${states.join(' or ')}`,
    () => readWithdrawalRow(system, reference),
    ({ state }) => states.includes(state),
  );

/** No withdrawal of any member is open. */
export const waitForNoOpenWithdrawals = ({ database }: Pick<System, 'database'>): Promise<unknown> =>
  waitUntilResult(
    'withdrawals under way',
    async () => {
      const { rows } = await database.query<{ reference: string; state: string; note: string | null }>(
        `select reference, state, note from withdraw where state not in ('PAID', 'FAILED')`,
      );
      return rows;
    },
    (openRows) => openRows.length === 0,
  );

/** Makes all scheduled inquiries due. */
export async function makeInquiriesDue({ database }: Pick<System, 'database'>): Promise<void> {
  await database.query('update withdraw set next_inquiry_at = now()');
}

/**
 * Like `waitForState`, without back-off: a pending inquiry may still get an outdated reply, which would postpone the
 * next inquiry for long.
 */
export const waitForStateWithoutBackoff = (
  system: Pick<System, 'database'>,
  reference: string,
  expected: string,
): Promise<WithdrawalRow> =>
  waitUntilResult(
    `${reference} reaches ${expected} when time passes`,
    async () => {
      await makeInquiriesDue(system);
      return readWithdrawalRow(system, reference);
    },
    ({ state }) => state === expected,
  );

export type StatementWithdrawal = {
  status: string;
  amount: number;
  requested: number;
  from: string;
  to: string;
  reason: string | null;
  statementType: string;
  reference: string;
};

/** Withdrawals in a member's statement, newest first. */
export async function readStatementWithdrawals(
  system: SystemClients,
  { token }: TokenHolder,
): Promise<StatementWithdrawal[]> {
  const { body } = await system.api('POST /api/statement', { token, body: { limit: 100 } });
  return (body.statements as StatementWithdrawal[]).filter(({ statementType }) => statementType === 'withdraw');
}

const NO_PAYOUTS = { accepted: '0.00', underWay: '0.00', paid: '0.00', failed: '0.00' };

/** Payouts by the bank: sums as decimal texts. */
export async function readBankTotals(
  system: SystemClients,
): Promise<{ accepted: string; underWay: string; paid: string; failed: string }> {
  const { body } = await system.simulatorsApi('GET /control/totals');
  return (
    (body.payouts as { currency: string; accepted: string; underWay: string; paid: string; failed: string }[]).find(
      ({ currency }) => currency === 'BAHT',
    ) ?? NO_PAYOUTS
  );
}

/** Amount that the bank has paid to a member's account. */
export async function readReceivedAmount(
  system: SystemClients,
  { bankCode, bankAccountNo }: TestMember,
): Promise<string> {
  const { body } = await system.simulatorsApi('GET /control/totals');
  const accounts = body.bank as { bankCode: string; accountNo: string; in: string }[];
  return accounts.find((account) => account.bankCode === bankCode && account.accountNo === bankAccountNo)?.in ?? '0.00';
}

/** The ledger passes its audit and agrees with the bank's payouts. */
export async function assertPaidOnce(system: System): Promise<void> {
  assert.deepEqual(
    (await audit(system.database)).filter(({ violations }) => violations !== 0),
    [],
  );
  const { paid, underWay } = await readBankTotals(system);
  assert.equal(toDecimal(await houseAccountBalance(system.database, PAYOUT_HOUSE_ACCOUNT, 'BAHT')), paid);
  assert.equal(underWay, '0.00');
}

/** Sends a callback with the bank's signature, unless the test changes it. */
export function sendBankCallback(
  system: System,
  callbackBody: unknown,
  signatureChanges: { secret?: string; ageSeconds?: number; signature?: string | null; body?: string } = {},
): Promise<ApiReply> {
  const body = signatureChanges.body ?? JSON.stringify(callbackBody);
  const seconds = Math.floor(Date.now() / 1000) - (signatureChanges.ageSeconds ?? 0);
  const hmac = createHmac('sha256', signatureChanges.secret ?? system.outside.bank.callbackSecret);
  const signatureHeader = `t=${seconds},v1=${hmac.update(`${seconds}.${body}`).digest('hex')}`;
  const signature = signatureChanges.signature === undefined ? signatureHeader : signatureChanges.signature;
  return system.api('POST /api/callback/bank-payout', {
    body,
    headers: signature === null ? {} : { 'x-bank-signature': signature },
  });
}
