import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { depositCandidates, recommend } from '@krapao/contract/deposit-advice';
import type { DepositAdvice, MethodFacts } from '@krapao/contract/endpoints/deposit/advice';
import { measureMethods } from '../../../src/modules/deposit/advice/measure-methods.ts';
import { uuidV7 } from '../../../src/platform/ids.ts';
import { systemClock } from '../../../src/platform/time.ts';
import { assertRefused } from '../../harness/assert-refused.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { setSettings } from '../../harness/operator.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { qrCustomer, injectFault, waitUntil } from '../qrcode/qr-fixtures.ts';

let system: System;
before(async () => {
  system = await startSystem({ variant: 'lao' });
});
after(() => system.stop());

const baht = (): Promise<TestMember> => registerMember(system, { currency: 'BAHT' });

const adviceOf = async ({ token }: TestMember): Promise<DepositAdvice> => {
  const { status, body } = await system.api('GET /api/deposit/advice', { token });
  assert.equal(status, 200, JSON.stringify(body));
  return body as DepositAdvice;
};
const factsOf = async (member: TestMember, id: string): Promise<MethodFacts> => {
  const found = (await adviceOf(member)).ways.find((method) => method.id === id);
  assert.ok(found, id);
  return found;
};

/** Measures now: the running job waits a minute. */
async function measure(): Promise<void> {
  await system.database.query(`update deposit_method_stat set at = at - interval '1 minute'`);
  const { database } = system;
  await measureMethods({ database, clock: systemClock, standby: { ofAll: () => database } });
}

/** A code that a gateway made, paid and credited the given times ago. */
async function insertCode(
  { id: memberId }: TestMember,
  code: { gateway?: string; state?: string; agoMs?: number; tookMs?: number },
): Promise<void> {
  const { gateway = 'FP', state = 'PAID', agoMs = 0, tookMs = 40_000 } = code;
  const isPaid = state === 'PAID';
  await system.database.query(
    `insert into qrcode (id, member_id, gateway, reference, currency, amount, pay_amount, state, created_at, ended_at, payload,
       expires_at, paid_amount, paid_at, transaction_number)
     select $1::uuid, $2::uuid, $3, $1, 'BAHT', 100, 100, $4, t.ended, t.ended, 'x', t.ended + interval '1 hour',
            case when $6 then 100 end, case when $6 then t.ended - $7 * interval '1 ms' end, case when $6 then $1 end
       from (select now() - $5 * interval '1 ms' as ended) t`,
    [uuidV7(new Date(Date.now() - agoMs)), memberId, gateway, state, agoMs, isPaid, tookMs],
  );
}

const HOUR_MS = 3_600_000;

test("each deposit method of the member's currency has advice under its id, in list order [R-WALLET-01]", async () => {
  const thai = await baht();
  const lao = await registerMember(system, { currency: 'LAK', bankCode: 'BCEL' });
  const { body: lookup } = await system.api('GET /api/lookup/deposit');
  for (const [member, currency] of [
    [thai, 'BAHT'],
    [lao, 'LAK'],
  ] as const) {
    const advice = await adviceOf(member);
    assert.equal(advice.headroom, null);
    assert.equal(advice.freesAt, null);
    const candidates = depositCandidates(lookup, currency);
    const ids = advice.ways.map(({ id }) => id);
    assert.deepEqual(
      candidates.map(({ id }) => id),
      ids.filter((id) => candidates.some((one) => one.id === id)),
    );
    assert.equal(ids.at(-1), 'slip');
    assert.equal(recommend(candidates, advice, 500_000).outcome, candidates.length > 0 ? 'METHOD' : 'NONE');
  }
  assert.ok((await adviceOf(thai)).ways.some(({ id }) => id.startsWith('wallet GIFT')));
});

test('deposit advice without a session is refused', async () => {
  assertRefused(await system.api('GET /api/deposit/advice'), 'UNAUTHORIZED');
});

test('the usual time is the median of the last day if it has five payments, else of the week; other codes do not count', async () => {
  const member = await baht();
  for (const tookMs of [10_000, 30_000, 50_001, -90_000]) await insertCode(member, { agoMs: 26 * HOUR_MS, tookMs });
  await insertCode(member, { agoMs: HOUR_MS, tookMs: 60_000 });
  await insertCode(member, { state: 'EXPIRED' });
  await insertCode(member, { agoMs: 8 * 24 * HOUR_MS, tookMs: 1 });
  await measure();
  const week = await factsOf(member, 'qr FP');
  assert.deepEqual([week.medianSeconds, week.samples], [30, 5]);
  for (const tookMs of [60_000, 70_000, 80_000, 90_000]) await insertCode(member, { agoMs: HOUR_MS, tookMs });
  await measure();
  const day = await factsOf(member, 'qr FP');
  assert.deepEqual([day.medianSeconds, day.samples], [70, 5]);
  const other = await factsOf(await baht(), 'qr FP');
  assert.deepEqual([other.medianSeconds, other.lastUsedAt, other.lastWorked], [70, null, false]);
});

test('slips and gift links are measured from sending to credit, and refused ones do not count [R-WALLET-05]', async () => {
  const member = await baht();
  const at = (made: number): Date => new Date(Date.now() - HOUR_MS + made);
  for (const [made, tookMs] of [10_000, 20_000, 30_000, 40_000, 50_000, 1].entries()) {
    const values = [uuidV7(at(made)), member.id, made < 5 ? 'CREDITED' : 'FAILED', at(made), tookMs];
    await system.database.query(
      `insert into slip (id, member_id, reference, currency, state, created_at, ended_at, amount, paid_at, work_at,
         sending_bank, trans_ref, reason)
       values ($1::uuid, $2, $1, 'BAHT', $3, $4, $4::timestamptz + $5 * interval '1 ms', 100, $4, null, '014', $1,
               case when $3 = 'FAILED' then 'INVALID_SLIP' end)`,
      values,
    );
    await system.database.query(
      `insert into truelink_gift (id, member_id, reference, receiver, hash_sha256, state, code, amount, created_at, ended_at)
       values ($1::uuid, $2, $1, 'x', sha256($1::text::bytea), $3, case when $3 = 'FAILED' then 'x' end,
               case when $3 = 'CREDITED' then 100 end, $4, $4::timestamptz + 2 * $5 * interval '1 ms')`,
      values,
    );
  }
  await measure();
  const { ways } = await adviceOf(member);
  const measured = (start: string) =>
    ways.filter(({ id }) => id.startsWith(start)).map(({ medianSeconds, samples }) => [medianSeconds, samples]);
  assert.deepEqual(measured('slip'), [[30, 5]]);
  assert.deepEqual(measured('wallet GIFT'), [[60, 5]]);
});

test("a member's last paid code is their last use; a later failed creation is reported as not working", async () => {
  const member = await baht();
  await insertCode(member, { gateway: 'WW', agoMs: 3 * HOUR_MS });
  const used = await factsOf(member, 'qr WW');
  assert.equal(used.lastWorked, true);
  assert.equal((await adviceOf(member)).lastAmount, 1);
  assert.ok(Math.abs(Date.parse(used.lastUsedAt ?? '') - (Date.now() - 3 * HOUR_MS)) < 60_000);
  const candidates = [
    { id: 'qr KBANK', isAutomatic: true, minimum: 1, maximum: null },
    { id: 'qr WW', isAutomatic: true, minimum: 100, maximum: null },
  ];
  const advice = recommend(candidates, await adviceOf(member), 500);
  assert.deepEqual(advice.outcome === 'METHOD' && [advice.id, advice.reason], ['qr WW', 'LAST_USED']);
  await insertCode(member, { gateway: 'WW', state: 'CANCELLED', agoMs: 2 * HOUR_MS });
  assert.equal((await factsOf(member, 'qr WW')).lastWorked, true);
  await insertCode(member, { gateway: 'WW', state: 'FAILED', agoMs: HOUR_MS });
  assert.equal((await factsOf(member, 'qr WW')).lastWorked, false);
});

test('money received at a bank account counts as its use, and the next deposit proposes the amount in whole units', async () => {
  const member = await baht();
  assert.equal((await adviceOf(member)).lastAmount, null);
  const to = { bankCode: 'SCB', accountNo: '4680001234' };
  const from = { bankCode: member.bankCode, accountNo: member.bankAccountNo, accountName: member.bankAccountName };
  assert.equal(
    (await system.simulatorsApi('POST /bank/transfer', { body: { from, to, amount: '120.37' } })).status,
    200,
  );
  const used = await waitUntil(
    () => factsOf(member, 'bank SCB 4680001234'),
    ({ lastUsedAt }) => lastUsedAt !== null,
    'used',
  );
  assert.equal(used.lastWorked, true);
  assert.equal((await adviceOf(member)).lastAmount, 120);
  await measure();
  assert.ok(((await factsOf(member, 'bank SCB 4680001234')).samples ?? 0) >= 1);
});

test('a method with three failed codes of the last five in ten minutes is unhealthy until newer ones succeed', async () => {
  const member = await baht();
  const isHealthy = async () => {
    await measure();
    return (await factsOf(member, 'qr PAYONEX')).isHealthy;
  };
  const made = (state: string, agoMs: number) => insertCode(member, { gateway: 'PAYONEX', state, agoMs });
  for (const agoMs of [40 * 60_000, 30 * 60_000, 11 * 60_000]) await made('FAILED', agoMs);
  assert.equal(await isHealthy(), true);
  for (const agoMs of [9_000, 8_000]) await made('FAILED', agoMs);
  assert.equal(await isHealthy(), true);
  await made('FAILED', 7_000);
  assert.equal(await isHealthy(), false);
  for (const agoMs of [6_000, 5_000]) await made('PAID', agoMs);
  assert.equal(await isHealthy(), false);
  await made('CANCELLED', 4_000);
  assert.equal(await isHealthy(), true);
});

test('codes that a gateway refuses count as failures, and old statistics count as unknown', async () => {
  const member = await baht();
  await injectFault(system, { fault: 'error-500', call: 'qr_request', times: 3 });
  for (const amount of [11, 12, 13]) await qrCustomer(system, member).create(amount);
  await system.simulatorsApi('DELETE /control/faults');
  await measure();
  assert.equal((await factsOf(member, 'qr KBANK')).isHealthy, false);
  await system.database.query(`update deposit_method_stat set at = now() - interval '11 minutes'`);
  assert.equal((await factsOf(member, 'qr KBANK')).isHealthy, true);
});

test('two concurrent measurements store one row per method, and a third shortly after measures nothing', async () => {
  await Promise.all([measure(), measure(), measure()]);
  const { rows } = await system.database.query<{ rows: number; methods: number }>(
    'select count(*)::int as rows, count(distinct (method, currency))::int as methods from deposit_method_stat',
  );
  assert.ok(rows[0] && rows[0].rows === rows[0].methods);
  const member = await baht();
  await insertCode(member, { gateway: 'NEW' });
  await measureMethods({
    database: system.database,
    clock: systemClock,
    standby: { ofAll: () => assert.fail('measured again') },
  });
});

test('slips and accounts that need them are open in the slip hours, and report when they open', async () => {
  const member = await baht();
  const at = (ms: number): string => new Date(ms + 7 * HOUR_MS).toISOString().slice(11, 16);
  const now = Date.now();
  const { rows } = await system.database.query<{ value: object }>(
    `select value from operator_data_setting where name = 'slip'`,
  );
  const slip = rows[0]?.value;
  try {
    await setSettings(system, { slip: { ...slip, closedFrom: at(now - HOUR_MS), closedTo: at(now + HOUR_MS) } });
    const closed = await factsOf(member, 'slip');
    assert.equal(closed.isOpen, false);
    const opensIn = Date.parse(closed.opensAt ?? '') - now;
    assert.ok(opensIn > HOUR_MS - 120_000 && opensIn <= HOUR_MS, `${opensIn}`);
    assert.equal((await factsOf(member, 'qr KBANK')).isOpen, true);
  } finally {
    await setSettings(system, { slip });
  }
  const open = await factsOf(member, 'slip');
  assert.deepEqual([open.isOpen, open.opensAt], [true, null]);
});

test("a gateway's QR names its payee, masked", async () => {
  const member = await baht();
  const { body } = await qrCustomer(system, member).create(25);
  assert.equal(body.payee.scheme, 'PROMPTPAY');
  assert.match(body.payee.id, /^x-\d{4}$/);
  assert.ok(body.payee.name.length > 0);
  assert.ok(!JSON.stringify(body.payee).includes(system.outside.kbank.billerId ?? 'none'));
});

test('links to bank apps have the currency of their bank; a malformed list counts as empty', async () => {
  const apps = async () => (await system.api('GET /api/lookup/deposit')).body.apps;
  assert.deepEqual(await apps(), []);
  const kplus = { code: 'KBANK', name: 'K PLUS', url: 'kplus://' };
  const one = { code: 'BCEL', name: 'BCEL One', url: 'https://bcelone.test/open' };
  const other = { code: 'X', name: 'X', url: 'x-app://pay' };
  try {
    await setSettings(system, { bankApps: [{ ...kplus, url: 'kplus://open' }, one, other] });
    assert.deepEqual(await apps(), [
      { ...kplus, url: 'kplus://open', currency: 'BAHT' },
      { ...one, currency: 'LAK' },
      { ...other, currency: null },
    ]);
    for (const url of ['javascript:alert(1)', 'JavaScript:x', 'data:text/html,x', 'http://x.test', 'no link', '']) {
      await setSettings(system, { bankApps: [{ ...kplus, url }] });
      assert.deepEqual(await apps(), [], url);
    }
    await setSettings(system, { bankApps: 'none' });
    assert.deepEqual(await apps(), []);
  } finally {
    await setSettings(system, { bankApps: [] });
  }
});
