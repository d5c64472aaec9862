import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minor } from '@krapao/contract/money';
import { nextInquiryInMs, type Qrcode, parseQrcodeAmount } from '../../../src/modules/deposit/qrcode/qrcode.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
// 20:00 in Bangkok: four hours to midnight.
const CREATED_MS = Date.parse('2026-11-20T13:00:00Z');
const EXPIRES_MS = CREATED_MS + 10 * MINUTE_MS;

const code = (state: Qrcode['state'], nowMs: number, changes: Partial<Qrcode> = {}): Qrcode => ({
  id: '019a0000-0000-7000-8000-000000000001',
  memberId: '019a0000-0000-7000-8000-000000000002',
  gateway: 'KBANK',
  reference: 'ABCDEFGH2345678',
  gatewayReference: null,
  currency: 'BAHT',
  amount: minor(10_000n),
  payAmount: minor(10_000n),
  state,
  reason: null,
  paidAmount: null,
  transactionNumber: null,
  payload: 'x',
  bonusCode: null,
  createdAt: new Date(CREATED_MS),
  endedAt: null,
  expiresAt: new Date(EXPIRES_MS),
  wakes: 0,
  silences: 0,
  misses: 0,
  readAt: new Date(nowMs),
  ...changes,
});

/** Times of all inquiries, from a time to the end of the schedule. */
function inquiryTimesFrom(start: number, changes: Partial<Qrcode>): number[] {
  const inquiryTimes: number[] = [];
  for (let now = start; inquiryTimes.length < 10_000;) {
    const state = changes.state ?? (now < EXPIRES_MS ? 'PENDING' : 'EXPIRED');
    const nextInMs = nextInquiryInMs(
      code(state, now, { endedAt: now < EXPIRES_MS ? null : new Date(EXPIRES_MS), ...changes }),
    );
    if (nextInMs === null) return inquiryTimes;
    assert.ok(nextInMs > 0);
    inquiryTimes.push((now += nextInMs));
  }
  throw new Error('the schedule never ends');
}

test('a live code is inquired every few seconds and immediately after its end', () => {
  const inquiryTimes = inquiryTimesFrom(CREATED_MS, {}).filter((timeMs) => timeMs <= EXPIRES_MS + 2_000);
  for (const [index, timeMs] of inquiryTimes.entries())
    assert.ok(timeMs - (inquiryTimes[index - 1] ?? CREATED_MS) <= 16_000);
  assert.ok(inquiryTimes.some((moment) => moment > EXPIRES_MS));
});

test("after a code's end inquiries continue for at least 15 minutes, with a last one after the end of the day", () => {
  for (const changes of [{}, { state: 'CANCELLED' }, { state: 'FAILED', expiresAt: null }] as Partial<Qrcode>[]) {
    const inquiryTimes = inquiryTimesFrom(CREATED_MS, {
      ...changes,
      ...(changes.state ? { endedAt: new Date(CREATED_MS) } : {}),
    });
    const graceInquiries = inquiryTimes.filter(
      (timeMs) => timeMs > EXPIRES_MS && timeMs <= EXPIRES_MS + 15 * MINUTE_MS,
    );
    assert.ok(graceInquiries.length >= 14, `${graceInquiries.length} inquiries in the grace`);
    const midnightMs = CREATED_MS + 4 * HOUR_MS;
    const lateInquiries = inquiryTimes.filter((timeMs) => timeMs > midnightMs);
    assert.ok(
      lateInquiries.length >= 1 && lateInquiries.length <= 2,
      `${lateInquiries.length} inquiries after midnight`,
    );
  }
});

test('a gateway without a reply is inquired again within seconds, then with back-off', () => {
  const waitTimes = [1, 2, 3, 4, 5].map((silences) => nextInquiryInMs(code('PENDING', CREATED_MS, { silences })));
  assert.deepEqual(waitTimes, [2_000, 4_000, 8_000, 16_000, 32_000]);
});

test("a silent gateway is inquired less often, and no longer a week after the code's day", () => {
  const patientInquiries = inquiryTimesFrom(CREATED_MS, { silences: 20 });
  const last = patientInquiries.at(-1) ?? 0;
  assert.ok(last > CREATED_MS + 7 * 24 * HOUR_MS && last < CREATED_MS + 9 * 24 * HOUR_MS);
  assert.ok(patientInquiries.length < 500, `${patientInquiries.length} inquiries`);
});

test('a paid code is never inquired again', () => {
  assert.equal(nextInquiryInMs(code('PAID', CREATED_MS, { endedAt: new Date(CREATED_MS) })), null);
});

test('an amount is parsed exactly, or refused with the reason', () => {
  const limits = { minimum: minor(1_000n), maximum: minor(100_000n) };
  for (const [amount, minorUnits] of [
    [10, 1_000n],
    [10.01, 1_001n],
    [1_000, 100_000n],
  ] as const)
    assert.equal(parseQrcodeAmount(amount, 'BAHT', limits), minorUnits);
  const invalidInputs: [unknown, string][] = [
    [undefined, 'AMOUNT_INVALID'],
    ['100', 'AMOUNT_INVALID'],
    [0, 'AMOUNT_INVALID'],
    [-5, 'AMOUNT_INVALID'],
    [10.001, 'AMOUNT_INVALID'],
    [1e21, 'AMOUNT_INVALID'],
    [Number.NaN, 'AMOUNT_INVALID'],
    [9.99, 'AMOUNT_BELOW_MINIMUM'],
    [1000.01, 'AMOUNT_ABOVE_MAXIMUM'],
  ];
  for (const [rawInput, detail] of invalidInputs) {
    assert.throws(() => parseQrcodeAmount(rawInput, 'BAHT', limits), { code: 'QR_FAIL', detail });
  }
  const noLimits = { minimum: undefined, maximum: undefined };
  assert.equal(parseQrcodeAmount(1, 'BAHT', noLimits), 100n);
  assert.throws(() => parseQrcodeAmount(0.99, 'BAHT', noLimits), { detail: 'AMOUNT_BELOW_MINIMUM' });
  assert.throws(() => parseQrcodeAmount(1000.5, 'LAK', noLimits), { detail: 'AMOUNT_INVALID' });
});
