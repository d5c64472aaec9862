import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minor } from '@krapao/contract/money';
import { nextInquiryInMs, type Qrcode, parseQrcodeAmount } from '../../../src/modules/deposit/qrcode/qrcode.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
// 20:00 in Bangkok: four hours to midnight.
const CREATED = Date.parse('2026-11-20T13:00:00Z');
const EXPIRES = CREATED + 10 * MINUTE;

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
  createdAt: new Date(CREATED),
  endedAt: null,
  expiresAt: new Date(EXPIRES),
  wakes: 0,
  silences: 0,
  misses: 0,
  readAt: new Date(nowMs),
  ...changes,
});

/** Times of all inquiries, from a time to the end of the schedule. */
function inquiriesFrom(start: number, changes: Partial<Qrcode>): number[] {
  const moments: number[] = [];
  for (let now = start; moments.length < 10_000;) {
    const state = changes.state ?? (now < EXPIRES ? 'PENDING' : 'EXPIRED');
    const next = nextInquiryInMs(code(state, now, { endedAt: now < EXPIRES ? null : new Date(EXPIRES), ...changes }));
    if (next === null) return moments;
    assert.ok(next > 0);
    moments.push((now += next));
  }
  throw new Error('the schedule never ends');
}

test('a live code is asked about every few seconds and right at its end', () => {
  const moments = inquiriesFrom(CREATED, {}).filter((moment) => moment <= EXPIRES + 2_000);
  for (const [index, moment] of moments.entries()) assert.ok(moment - (moments[index - 1] ?? CREATED) <= 16_000);
  assert.ok(moments.some((moment) => moment > EXPIRES));
});

test('after its end inquiries continue for at least 15 minutes, with a last one after the end of the day', () => {
  for (const changes of [{}, { state: 'CANCELLED' }, { state: 'FAILED', expiresAt: null }] as Partial<Qrcode>[]) {
    const moments = inquiriesFrom(CREATED, { ...changes, ...(changes.state ? { endedAt: new Date(CREATED) } : {}) });
    const grace = moments.filter((moment) => moment > EXPIRES && moment <= EXPIRES + 15 * MINUTE);
    assert.ok(grace.length >= 14, `${grace.length} inquiries in the grace`);
    const midnight = CREATED + 4 * HOUR;
    const swept = moments.filter((moment) => moment > midnight);
    assert.ok(swept.length >= 1 && swept.length <= 2, `${swept.length} inquiries after midnight`);
  }
});

test('a gateway without an answer is asked again within seconds, then backs off', () => {
  const waits = [1, 2, 3, 4, 5].map((silences) => nextInquiryInMs(code('PENDING', CREATED, { silences })));
  assert.deepEqual(waits, [2_000, 4_000, 8_000, 16_000, 32_000]);
});

test('a silent gateway is asked less often, but not given up for days', () => {
  const patient = inquiriesFrom(CREATED, { silences: 20 });
  const last = patient.at(-1) ?? 0;
  assert.ok(last > CREATED + 6 * 24 * HOUR);
  assert.ok(patient.length < 500, `${patient.length} inquiries`);
});

test('a paid code is never asked about again', () => {
  assert.equal(nextInquiryInMs(code('PAID', CREATED, { endedAt: new Date(CREATED) })), null);
});

test('an amount is read exactly or refused with what is wrong', () => {
  const limits = { minimum: minor(1_000n), maximum: minor(100_000n) };
  assert.equal(parseQrcodeAmount(10.01, 'BAHT', limits), 1_001n);
  const wrong: [unknown, string][] = [
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
  for (const [raw, detail] of wrong) {
    assert.throws(() => parseQrcodeAmount(raw, 'BAHT', limits), { code: 'QR_FAIL', detail });
  }
  const none = { minimum: undefined, maximum: undefined };
  assert.throws(() => parseQrcodeAmount(0.5, 'BAHT', none), { detail: 'AMOUNT_BELOW_MINIMUM' });
  assert.throws(() => parseQrcodeAmount(1000.5, 'LAK', none), { detail: 'AMOUNT_INVALID' });
});
