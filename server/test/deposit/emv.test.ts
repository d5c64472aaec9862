import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { generate } from 'promptparse';
import { crcOf, readEmvText } from '../../src/providers/gateway/emv.ts';
import { readThaiBill } from '../../src/providers/gateway/thai-bill.ts';

const BILLER = '010555555555501';
const REFERENCE = 'ABCDEFGH2345678';

/** Seals a text with the CRC that it needs. */
const sealed = (open: string): string => `${open}6304${crcOf(`${open}6304`)}`;
const field = (tag: string, value: string): string => `${tag}${String(value.length).padStart(2, '0')}${value}`;
const bill = (
  changes: { scheme?: string; single?: string; currency?: string; country?: string; amount?: string } = {},
) =>
  field('00', '01') +
  field('01', changes.single ?? '12') +
  field(
    '30',
    field('00', changes.scheme ?? 'A000000677010112') +
      field('01', BILLER) +
      field('02', REFERENCE) +
      field('03', 'KB000000000001'),
  ) +
  field('53', changes.currency ?? '764') +
  (changes.amount === '' ? '' : field('54', changes.amount ?? '100.00')) +
  field('58', changes.country ?? 'TH');

test('the CRC is CRC-16/CCITT-FALSE', () => {
  assert.equal(crcOf('123456789'), '29B1');
});

// Written by other programs: PromptPay transfers, wallet codes, a message, bills.
const KNOWN = [
  '00020101021129370016A000000677010111011300668012345675802TH530376463046197',
  '00020101021129370016A000000677010111011300668912345675802TH5303764630429C1',
  '00020101021129370016A000000677010111021301234567890125802TH530376463040CBD',
  '00020101021129390016A00000067701011103150123456789012345802TH530376463049781',
  '00020101021229370016A000000677010111011300660000000005802TH530376454044.226304E469',
  '00020101021229370016A0000006770101110113006680111111153037645802TH540520.15630442BE',
  '00020101021229390016A000000677010111031514000080111111153037645802TH540510.05814800480065006C006C006F00200057006F0072006C006400216304F5A2',
  '00020101021130620016A000000677010112011301122334455660211CUSTOMER0010306INV00153037645802TH62070703SCB6304780E',
];

test('codes of other programs are read, and not one letter of them may change', () => {
  for (const text of KNOWN) {
    assert.ok(readEmvText(text), text);
    for (let at = 0; at < text.length; at += 1) {
      const other = text[at] === '7' ? '8' : '7';
      assert.equal(readEmvText(text.slice(0, at) + other + text.slice(at + 1)), undefined);
    }
  }
});

test('only a bill with an amount is a bill', () => {
  for (const text of KNOWN) assert.equal(readThaiBill(text), undefined);
  const text =
    '00020101021230650016A00000067701011201150994000165501000212123456789012030667042953037645802TH54073649.2263044534';
  assert.deepEqual(
    { ...readThaiBill(text) },
    { billerId: '099400016550100', reference1: '123456789012', reference2: '670429', amount: 364922n },
  );
});

test('a bill that a third program writes is read back the same', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 99_999_999 }), (satang) => {
      const amount = satang / 100;
      const text = generate.billPayment({ billerId: BILLER, ref1: REFERENCE, amount });
      assert.equal(readThaiBill(text)?.amount, BigInt(satang));
    }),
  );
});

test('a bill of another scheme, currency, country, amount or use is refused', () => {
  assert.equal(readThaiBill(sealed(bill()))?.amount, 10_000n);
  const wrong = [
    { scheme: 'A000000677010111' },
    { currency: '418' },
    { country: 'LA' },
    { single: '11' },
    { amount: '' },
    { amount: '0.00' },
    { amount: '-1.00' },
    { amount: '1e3' },
    { amount: '1,000' },
    { amount: '1.001' },
  ];
  for (const changes of wrong) assert.equal(readThaiBill(sealed(bill(changes))), undefined, JSON.stringify(changes));
});

test('a second way to pay, a field twice, or anything after the CRC is refused', () => {
  const transfer = field('29', field('00', 'A000000677010111') + field('01', '0066812345678'));
  assert.equal(readThaiBill(sealed(bill() + transfer)), undefined);
  assert.equal(readThaiBill(sealed(bill() + field('54', '1.00'))), undefined);
  assert.equal(readThaiBill(`${sealed(bill())}5802TH`), undefined);
  assert.equal(readThaiBill(sealed(`${bill()}5910KRAP`)), undefined);
});

test('no text whatsoever makes the reader throw', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 600 }), (text) => {
      readThaiBill(text);
      readThaiBill(sealed(text.replaceAll(/[^\x20-\x7e]/g, '')));
    }),
  );
});
