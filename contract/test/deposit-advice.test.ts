import { deepEqual, equal, ok } from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type Candidate,
  depositCandidates,
  depositMethodId,
  type KnownFacts,
  recommend,
  takesAmount,
} from '../src/deposit-advice.ts';

const AT = '2026-11-26T08:00:00.000Z';
const DAY_MS = 86_400_000;
const daysAgo = (days: number): string => new Date(Date.parse(AT) - days * DAY_MS).toISOString();

type Facts = KnownFacts['ways'][number];

const facts = (id: string, known: Partial<Facts> = {}): Facts => ({
  id,
  isOpen: true,
  opensAt: null,
  isHealthy: true,
  medianSeconds: null,
  samples: 0,
  lastUsedAt: null,
  lastWorked: false,
  ...known,
});
const used = (id: string, days: number, known: Partial<Facts> = {}): Facts =>
  facts(id, { lastUsedAt: daysAgo(days), lastWorked: true, ...known });
const fast = (id: string, medianSeconds: number, samples = 5): Facts => facts(id, { medianSeconds, samples });
const closed = (id: string): Facts => facts(id, { isOpen: false });
const ill = (id: string): Facts => facts(id, { isHealthy: false });
const knowing = (...ways: Facts[]): KnownFacts => ({ at: AT, headroom: null, freesAt: null, ways });
const leaving = (headroom: number, ...ways: Facts[]): KnownFacts => ({ ...knowing(...ways), headroom, freesAt: AT });

const method = (id: string, minimum: number | null = null, maximum: number | null = null): Candidate => ({
  id,
  isAutomatic: !id.startsWith('slip'),
  minimum,
  maximum,
});
const K = method('K', 20, 5_000);
const W = method('W', 100, 100_000);
const F = method('F', 10, 50_000);
const B = method('B');
const S = method('slip S');
const GAP = [method('low', 10, 50), method('high', 100, 500)];
const ALL = [K, W, F, B];

type Row = [
  what: string,
  methods: Candidate[],
  facts: KnownFacts | undefined,
  amount: number | undefined,
  expected: string,
];

/** Recommendations: `ID REASON`, with the replaced method and its limit, or the outcome without a method. */
const rows: Row[] = [
  // Without facts: the first of the list that fits.
  ['first of the list', ALL, undefined, 500, 'K FITS'],
  ['no amount', ALL, undefined, undefined, 'K FITS'],
  ['at the minimum', ALL, undefined, 20, 'K FITS'],
  ['below a minimum', ALL, undefined, 19.99, 'F FITS instead of K MINIMUM 20'],
  ['below two minima', ALL, undefined, 9.99, 'B ONLY_ONE instead of K MINIMUM 20'],
  ['at the maximum', ALL, undefined, 5_000, 'K FITS'],
  ['above a maximum', ALL, undefined, 5_000.01, 'W FITS instead of K MAXIMUM 5000'],
  ['above two maxima', ALL, undefined, 100_000.01, 'B ONLY_ONE instead of K MAXIMUM 5000'],
  ['the list order decides', [F, K], undefined, 500, 'F FITS'],
  ['one method', [K], undefined, 500, 'K ONLY_ONE'],
  ['one method without an amount', [K], undefined, undefined, 'K ONLY_ONE'],
  ['one of two fits', [K, W], undefined, 50, 'K ONLY_ONE'],
  ['a minimum below one counts as one', [method('z', 0.1)], undefined, 0.5, 'NONE 1 null'],
  ['a missing minimum counts as one', [B], undefined, 0.99, 'NONE 1 null'],
  ['one is enough without a minimum', [B], undefined, 1, 'B ONLY_ONE'],
  ['a huge amount without a maximum', [B], undefined, 1e12, 'B ONLY_ONE'],
  // No method fits.
  ['no methods', [], undefined, 500, 'NONE null null'],
  ['no methods and no amount', [], undefined, undefined, 'NONE null null'],
  ['below every minimum', [K, W], undefined, 5, 'NONE 20 null'],
  ['above every maximum', [K, W], undefined, 200_000, 'NONE null 100000'],
  ['between two ranges', GAP, undefined, 75, 'NONE 100 50'],
  ['below both ranges', GAP, undefined, 5, 'NONE 10 null'],
  ['above both ranges', GAP, undefined, 501, 'NONE null 500'],
  ['zero', ALL, undefined, 0, 'NONE 1 null'],
  ['negative', ALL, undefined, -5, 'NONE 1 null'],
  ['not a number', ALL, undefined, Number.NaN, 'NONE 1 null'],
  ['infinite, with maxima only', [K, W], undefined, Infinity, 'NONE null 100000'],
  ['a range that is empty', [method('e', 50, 20)], undefined, 30, 'NONE null null'],
  // Closed and failing methods.
  ['closed', ALL, knowing(closed('K')), 500, 'W FITS'],
  ['closed without an amount', ALL, knowing(closed('K')), undefined, 'W FITS'],
  ['failing', ALL, knowing(ill('K')), 500, 'W FITS'],
  ['closed and failing', ALL, knowing(closed('K'), ill('W')), 500, 'F FITS'],
  ['all but one closed', ALL, knowing(closed('K'), closed('W'), ill('F')), 500, 'B ONLY_ONE'],
  ['all closed', [K, W], knowing(closed('K'), closed('W')), 500, 'NONE null null'],
  ['all failing', [K, W], knowing(ill('K'), ill('W')), 500, 'NONE null null'],
  ['the limits of a closed method are not offered', [K, W], knowing(closed('K')), 50, 'NONE 100 null'],
  ['a closed method is not the replaced one', ALL, knowing(closed('K')), 50, 'F FITS instead of W MINIMUM 100'],
  ['facts about other methods', [K, W], knowing(closed('X'), fast('Y', 1)), 500, 'K FITS'],
  ['facts about no method', [K, W], knowing(), 500, 'K FITS'],
  // Used before.
  ['used last', ALL, knowing(used('F', 1)), 500, 'F LAST_USED'],
  ['used last, without an amount', ALL, knowing(used('F', 1)), undefined, 'F LAST_USED'],
  ['the latest use', ALL, knowing(used('F', 2), used('W', 1)), 500, 'W LAST_USED'],
  ['two uses at the same time', ALL, knowing(used('F', 1), used('W', 1)), 500, 'W LAST_USED'],
  ['used 90 days ago', ALL, knowing(used('F', 90)), 500, 'F LAST_USED'],
  ['used more than 90 days ago', ALL, knowing(used('F', 90.001)), 500, 'K FITS'],
  ['its last use failed', ALL, knowing(used('F', 1, { lastWorked: false })), 500, 'K FITS'],
  ['worked, but never used', ALL, knowing(facts('F', { lastWorked: true })), 500, 'K FITS'],
  ['used last, now closed', ALL, knowing(used('F', 1, { isOpen: false })), 500, 'K FITS'],
  ['used last, now failing', ALL, knowing(used('F', 1, { isHealthy: false })), 500, 'K FITS'],
  ['used last, but the amount is too small', ALL, knowing(used('W', 1)), 50, 'K FITS instead of W MINIMUM 100'],
  ['used last, but the amount is too large', ALL, knowing(used('K', 1)), 9_000, 'W FITS instead of K MAXIMUM 5000'],
  ['the second latest fits', ALL, knowing(used('W', 1), used('F', 2)), 50, 'F LAST_USED instead of W MINIMUM 100'],
  ['used last, but it needs a slip', [K, W, S], knowing(used('slip S', 1)), 500, 'K FITS'],
  [
    'a slip was used after an automatic method',
    [K, W, S],
    knowing(used('slip S', 1), used('W', 2)),
    500,
    'W LAST_USED',
  ],
  ['fastest, but it needs a slip', [K, W, S], knowing(fast('slip S', 1)), 500, 'K FITS'],
  [
    'only a method with a slip fits',
    [W, S],
    knowing(used('slip S', 1)),
    50,
    'slip S LAST_USED instead of W MINIMUM 100',
  ],
  ['first of the list, but it needs a slip', [S, K], knowing(), 500, 'K FITS'],
  ['used last is stronger than fastest', ALL, knowing(fast('K', 1), used('F', 1)), 500, 'F LAST_USED'],
  ['used last is stronger than the only one', [K, W], knowing(used('K', 1)), 50, 'K LAST_USED'],
  ['used a moment after the reply', ALL, knowing(used('F', -0.001)), 500, 'F LAST_USED'],
  // Fastest.
  ['fastest', ALL, knowing(fast('K', 40), fast('W', 20)), 500, 'W FASTEST'],
  ['fastest, without an amount', ALL, knowing(fast('K', 40), fast('W', 20)), undefined, 'W FASTEST'],
  ['equally fast', ALL, knowing(fast('W', 20), fast('K', 20)), 500, 'K FASTEST'],
  ['no time at all is the fastest', ALL, knowing(fast('K', 1), fast('F', 0)), 500, 'F FASTEST'],
  ['too few samples', ALL, knowing(fast('W', 20, 4)), 500, 'K FITS'],
  ['enough samples beside too few', ALL, knowing(fast('W', 20, 4), fast('F', 90)), 500, 'F FASTEST'],
  ['samples without a median', ALL, knowing(facts('W', { samples: 9 })), 500, 'K FITS'],
  ['fastest, but the amount is too small', ALL, knowing(fast('W', 20)), 50, 'K FITS instead of W MINIMUM 100'],
  ['fastest of those that fit', ALL, knowing(fast('W', 20), fast('F', 30)), 50, 'F FASTEST instead of W MINIMUM 100'],
  ['fastest, now closed', ALL, knowing({ ...fast('W', 20), isOpen: false }), 500, 'K FITS'],
  ['the only one is not called the fastest', [K, W], knowing(fast('K', 20)), 50, 'K ONLY_ONE'],
  // The member's own limit.
  ['within the limit', ALL, leaving(500), 500, 'K FITS'],
  ['above the limit', ALL, leaving(500), 500.01, 'HEADROOM 500'],
  ['nothing left', ALL, leaving(0), 1, 'HEADROOM 0'],
  ['nothing left, no amount yet', ALL, leaving(0), undefined, 'K FITS'],
  ['above the limit and every maximum', [K], leaving(200), 6_000, 'HEADROOM 200'],
  ['above the limit without methods', [], leaving(200), 300, 'HEADROOM 200'],
];

function describe(methods: readonly Candidate[], known: KnownFacts | undefined, amount: number | undefined): string {
  const advice = recommend(methods, known, amount);
  if (advice.outcome === 'HEADROOM') return `HEADROOM ${advice.headroom}`;
  if (advice.outcome === 'NONE') return `NONE ${String(advice.minimum)} ${String(advice.maximum)}`;
  const { id, reason, instead } = advice;
  return `${id} ${reason}${instead ? ` instead of ${instead.id} ${instead.bound} ${instead.limit}` : ''}`;
}

test('one deposit method is recommended with its reason, and an amount outside its limits moves to the next [R-WALLET-01]', () => {
  ok(rows.length >= 60, `${rows.length} rows`);
  equal(new Set(rows.map(([what]) => what)).size, rows.length);
  for (const [what, methods, known, amount, expected] of rows) equal(describe(methods, known, amount), expected, what);
});

test('the usual time is shown only with enough samples, whatever the reason of the recommendation', () => {
  const median = (known: KnownFacts) => {
    const advice = recommend(ALL, known, 500);
    return advice.outcome === 'METHOD' ? advice.medianSeconds : undefined;
  };
  equal(median(knowing(used('F', 1, { medianSeconds: 40, samples: 5 }))), 40);
  equal(median(knowing(used('F', 1, { medianSeconds: 40, samples: 4 }))), null);
  equal(median(knowing(used('F', 1))), null);
});

const anyMethod = (id: string) =>
  fc.record({
    id: fc.constant(id),
    isAutomatic: fc.boolean(),
    minimum: fc.option(fc.double({ min: 0, max: 1_000, noNaN: true })),
    maximum: fc.option(fc.double({ min: 0, max: 2_000, noNaN: true })),
  });
const anyFacts = (id: string): fc.Arbitrary<Facts> =>
  fc.record({
    id: fc.constant(id),
    isOpen: fc.boolean(),
    opensAt: fc.constant(null),
    isHealthy: fc.boolean(),
    medianSeconds: fc.option(fc.nat(500)),
    samples: fc.nat(20),
    lastUsedAt: fc.option(fc.integer({ min: -1, max: 200 }).map(daysAgo)),
    lastWorked: fc.boolean(),
  });
const IDS = ['a', 'b', 'c', 'd', 'e'];
const anyMethods = fc.tuple(...IDS.map(anyMethod)).chain((all) => fc.shuffledSubarray(all));
const anyKnown = fc.record({
  at: fc.constant(AT),
  headroom: fc.option(fc.double({ min: 0, max: 1_500, noNaN: true })),
  freesAt: fc.constant(null),
  ways: fc.tuple(...IDS.map(anyFacts)).chain((all) => fc.shuffledSubarray(all)),
});
const anyAmount = fc.oneof(fc.double({ min: -10, max: 2_500 }), fc.double(), fc.constant(undefined));

test('a recommended method is listed, open, healthy and within all limits, and needs a slip only if no other fits', () => {
  fc.assert(
    fc.property(anyMethods, fc.option(anyKnown, { nil: undefined }), anyAmount, (methods, known, amount) => {
      const advice = recommend(methods, known, amount);
      deepEqual(recommend(methods, known, amount), advice);
      const isUsable = ({ id }: Candidate): boolean =>
        known?.ways.every((one) => one.id !== id || (one.isOpen && one.isHealthy)) ?? true;
      const fitting = methods.filter((one) => isUsable(one) && (amount === undefined || takesAmount(one, amount)));
      if (advice.outcome === 'HEADROOM') return ok(amount !== undefined && amount > advice.headroom);
      if (advice.outcome === 'NONE') return deepEqual(fitting, []);
      const recommended = fitting.find(({ id }) => id === advice.id);
      ok(recommended && (recommended.isAutomatic || fitting.every(({ isAutomatic }) => !isAutomatic)));
      ok(amount === undefined || !known || known.headroom === null || amount <= known.headroom);
      ok(advice.instead?.id !== advice.id);
      return undefined;
    }),
    { numRuns: 2_000 },
  );
});

test('if no method fits, the suggested limits are those of an existing method', () => {
  fc.assert(
    fc.property(anyMethods, fc.double({ min: 0, max: 2_500, noNaN: true }), (methods, amount) => {
      const advice = recommend(methods, undefined, amount);
      if (advice.outcome !== 'NONE') return;
      for (const limit of [advice.minimum, advice.maximum])
        ok(limit === null || limit < 1 || methods.some((one) => takesAmount(one, limit)));
    }),
  );
});

test('candidates for a recommendation are the methods of a currency, without slips and gift links', () => {
  const names = { nameTH: '', nameEN: '', nameLA: '' };
  const account = (bankCode: string, bankType: 'PAYMENT' | 'BANK', currency: 'BAHT' | 'LAK') => ({
    bankCode,
    bankType,
    mode: 'AUTO',
    bank: names,
    bankAccountName: '',
    bankAccountNo: bankType === 'BANK' ? '1' : '',
    currency,
    minimum: 20,
    maximum: null,
  });
  const wallet = (mode: string) => ({ mode, walletAccountName: '', walletAccountNo: '08' });
  const lookup = {
    banks: [
      account('SCB', 'BANK', 'BAHT'),
      { ...account('KTB', 'BANK', 'BAHT'), mode: 'MANUAL' },
      account('KBANK', 'PAYMENT', 'BAHT'),
      account('BCEL', 'PAYMENT', 'LAK'),
    ],
    wallets: [wallet('GIFT'), wallet('AUTO')],
  };
  deepEqual(depositCandidates(lookup, 'BAHT'), [
    { id: 'qr KBANK', isAutomatic: true, minimum: 20, maximum: null },
    { id: 'bank SCB 1', isAutomatic: true, minimum: 20, maximum: null },
    { id: 'bank KTB 1', isAutomatic: false, minimum: 20, maximum: null },
    { id: 'wallet AUTO 08', isAutomatic: true, minimum: 2, maximum: null },
  ]);
  deepEqual(depositCandidates(lookup, 'LAK'), [{ id: 'qr BCEL', isAutomatic: true, minimum: 20, maximum: null }]);
  equal(depositMethodId.slip, 'slip');
});
