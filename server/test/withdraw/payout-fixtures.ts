import { strict as assert } from 'node:assert';
import { createHmac } from 'node:crypto';
import { toDecimal } from '@krapao/contract/money';
import { audit } from '../../src/ledger/index.ts';
import { houseBalance } from '../../src/ledger/balances.ts';
import type { Outside } from '../../src/outside-config.ts';
import type { ApiReply } from '../harness/api-client.ts';
import { eventually } from '../harness/games.ts';
import type { TestMember } from '../harness/members.ts';
import type { System } from '../harness/system.ts';

export const PAYOUT_HOUSE = 'payout:SCB-4680001234';

type World = Pick<System, 'api' | 'world'>;
type Holder = Pick<TestMember, 'token'>;

/** For `startSystem`: timeout of calls to the bank. */
export const bankWithin =
  (timeoutMs: number) =>
  (outside: Outside): Outside => ({ ...outside, bank: { ...outside.bank, timeoutMs } });

const keyed = (key: string | undefined) => (key === undefined ? {} : { idempotencyKey: key });

export const withdraw = (system: World, { token }: Holder, amount: unknown, key?: string): Promise<ApiReply> =>
  system.api('POST /api/wallet/withdraw', { token, body: { amount }, ...keyed(key) });

export const withdrawAll = (system: World, { token }: Holder, amount: unknown, key?: string): Promise<ApiReply> =>
  system.api('POST /api/wallet/withdrawAll', { token, body: { amount }, ...keyed(key) });

/** Injects faults into the bank's next calls; `payouts` by default. */
export async function bankFault(system: World, fault: Record<string, unknown>): Promise<void> {
  const { status, body } = await system.world('POST /control/faults', {
    body: { target: 'bank', call: 'payouts', ...fault },
  });
  assert.equal(status, 201, JSON.stringify(body));
}

/** Processing time of payouts at the bank; a day when the test ends them. */
export async function payoutsTake(system: World, payoutDelayMs: number): Promise<void> {
  const { status, body } = await system.world('POST /control/settings', { body: { payoutDelayMs } });
  assert.equal(status, 200, JSON.stringify(body));
}

/** The bank ends a payout that it has accepted. */
export async function end(
  system: World,
  reference: string,
  outcome: 'PAID' | 'FAILED',
  reason?: string,
): Promise<void> {
  const { status, body } = await system.world('POST /control/payouts/{reference}', {
    params: { reference },
    body: { outcome, ...(reason === undefined ? {} : { reason }) },
  });
  assert.equal(status, 200, JSON.stringify(body));
}

export type Row = {
  reference: string;
  state: string;
  isHeld: boolean;
  proof: string | null;
  attempts: number;
  reason: string | null;
  note: string | null;
};

export async function rowsOf({ database }: Pick<System, 'database'>, memberId: string): Promise<Row[]> {
  const { rows } = await database.query<Row>(
    `select reference, state, is_held as "isHeld", proof, attempts, reason, note
       from withdraw where member_id = $1 order by created_at`,
    [memberId],
  );
  return rows;
}

export async function rowOf({ database }: Pick<System, 'database'>, reference: string): Promise<Row> {
  const { rows } = await database.query<Row>(
    `select reference, state, is_held as "isHeld", proof, attempts, reason, note from withdraw where reference = $1`,
    [reference],
  );
  assert.ok(rows[0], reference);
  return rows[0];
}

export const reaches = (system: Pick<System, 'database'>, reference: string, ...states: string[]): Promise<Row> =>
  eventually(
    `${reference} reaches ${states.join(' or ')}`,
    () => rowOf(system, reference),
    ({ state }) => states.includes(state),
  );

/** No withdrawal of any member is open. */
export const nothingOpen = ({ database }: Pick<System, 'database'>): Promise<unknown> =>
  eventually(
    'withdrawals under way',
    async () => {
      const { rows } = await database.query<{ reference: string; state: string; note: string | null }>(
        `select reference, state, note from withdraw where state not in ('PAID', 'FAILED')`,
      );
      return rows;
    },
    (open) => open.length === 0,
  );

/** Makes all scheduled inquiries due. */
export async function letTimePass({ database }: Pick<System, 'database'>): Promise<void> {
  await database.query('update withdraw set next_ask_at = now()');
}

/**
 * Like `reaches`, without back-off: a pending inquiry may still get an outdated reply, which
 * would postpone the next one for long.
 */
export const reachesInTime = (system: Pick<System, 'database'>, reference: string, expected: string): Promise<Row> =>
  eventually(
    `${reference} reaches ${expected} when time passes`,
    async () => {
      await letTimePass(system);
      return rowOf(system, reference);
    },
    ({ state }) => state === expected,
  );

export type Line = {
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
export async function linesOf(system: World, { token }: Holder): Promise<Line[]> {
  const { body } = await system.api('POST /api/statement', { token, body: { limit: 100 } });
  return (body.statements as Line[]).filter(({ statementType }) => statementType === 'withdraw');
}

const NOTHING_PAID = { accepted: '0.00', underWay: '0.00', paid: '0.00', failed: '0.00' };

/** Payouts by the bank: sums as decimal texts. */
export async function bankTotals(
  system: World,
): Promise<{ accepted: string; underWay: string; paid: string; failed: string }> {
  const { body } = await system.world('GET /control/totals');
  return (
    (body.payouts as { currency: string; accepted: string; underWay: string; paid: string; failed: string }[]).find(
      ({ currency }) => currency === 'BAHT',
    ) ?? NOTHING_PAID
  );
}

/** Amount that the bank has paid to a member's account. */
export async function receivedBy(system: World, { bankCode, bankAccountNo }: TestMember): Promise<string> {
  const { body } = await system.world('GET /control/totals');
  const accounts = body.bank as { bankCode: string; accountNo: string; in: string }[];
  return accounts.find((one) => one.bankCode === bankCode && one.accountNo === bankAccountNo)?.in ?? '0.00';
}

/** The ledger passes its audit and agrees with the bank's payouts. */
export async function assertPaidOnce(system: System): Promise<void> {
  assert.deepEqual(
    (await audit(system.database)).filter(({ violations }) => violations !== 0),
    [],
  );
  const { paid, underWay } = await bankTotals(system);
  assert.equal(toDecimal(await houseBalance(system.database, PAYOUT_HOUSE, 'BAHT')), paid);
  assert.equal(underWay, '0.00');
}

/** A callback with the bank's signature, unless the test spoils it. */
export function callBack(
  system: System,
  claim: unknown,
  spoil: { secret?: string; ageSeconds?: number; signature?: string | null; body?: string } = {},
): Promise<ApiReply> {
  const body = spoil.body ?? JSON.stringify(claim);
  const seconds = Math.floor(Date.now() / 1000) - (spoil.ageSeconds ?? 0);
  const mac = createHmac('sha256', spoil.secret ?? system.outside.bank.callbackSecret);
  const signed = `t=${seconds},v1=${mac.update(`${seconds}.${body}`).digest('hex')}`;
  const signature = spoil.signature === undefined ? signed : spoil.signature;
  return system.api('POST /api/callback/bank-payout', {
    body,
    headers: signature === null ? {} : { 'x-bank-signature': signature },
  });
}
