import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDecimal } from '@krapao/contract/money';
import fc from 'fast-check';
import { generate } from 'promptparse';
import { crc16, readEmvText, readFields } from '../../../../src/adapters/gateway/emv.ts';
import { readPromptPay, readThaiBill } from '../../../../src/adapters/gateway/thai-qr.ts';

const BILLER = '010555555555501';
const REFERENCE = 'ABCDEFGH2345678';

/** Appends the CRC. */
const sealed = (open: string): string => `${open}6304${crc16(`${open}6304`)}`;
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
  assert.equal(crc16('123456789'), '29B1');
});

const phone = (id: string, amount?: string) => ({ template: '29', scheme: 'A000000677010111', tag: '01', id, amount });
const citizen = (id: string) => ({ ...phone(id), tag: '02' });
const wallet = (id: string, amount?: string) => ({ ...phone(id, amount), tag: '03' });
const biller = (id: string, amount?: string) => ({ template: '30', scheme: 'A000000677010112', tag: '01', id, amount });

/** Published examples of other programs: PromptPay transfers, wallet codes, a message, bills. */
const PUBLISHED: readonly [string, ReturnType<typeof phone>][] = [
  ['00020101021129370016A000000677010111011300668012345675802TH530376463046197', phone('0066801234567')],
  ['00020101021129370016A000000677010111011300668912345675802TH5303764630429C1', phone('0066891234567')],
  ['00020101021129370016A000000677010111021311111111111115802TH530376463047B5A', citizen('1111111111111')],
  ['00020101021129370016A000000677010111021301234567890125802TH530376463040CBD', citizen('0123456789012')],
  ['00020101021129390016A00000067701011103150123456789012345802TH530376463049781', wallet('012345678901234')],
  [
    '00020101021229370016A000000677010111011300660000000005802TH530376454044.226304E469',
    phone('0066000000000', '4.22'),
  ],
  ['00020101021129370016A0000006770101110113006681222333353037645802TH63041DCF', phone('0066812223333')],
  [
    '00020101021229370016A0000006770101110113006681222333353037645802TH540530.0063043CAD',
    phone('0066812223333', '30.00'),
  ],
  [
    '00020101021229370016A0000006770101110113006680111111153037645802TH540520.15630442BE',
    phone('0066801111111', '20.15'),
  ],
  ['00020101021129390016A000000677010111031514000080111111153037645802TH63047C0F', wallet('140000801111111')],
  [
    '00020101021229390016A000000677010111031514000080111111153037645802TH540510.05814800480065006C006C006F00200057006F0072006C006400216304F5A2',
    wallet('140000801111111', '10.05'),
  ],
  [
    '00020101021130620016A000000677010112011301122334455660211CUSTOMER0010306INV00153037645802TH62070703SCB6304780E',
    biller('0112233445566'),
  ],
  [
    '00020101021230650016A00000067701011201150994000165501000212123456789012030667042953037645802TH54073649.2263044534',
    biller('099400016550100', '3649.22'),
  ],
];
const BILL_WITH_AMOUNT = PUBLISHED.at(-1)?.[0] ?? '';
const KNOWN = PUBLISHED.map(([text]) => text);

test('every published Thai code is read with scheme, receiver and amount, and with another CRC is not', () => {
  for (const [text, { template, scheme, tag, id, amount }] of PUBLISHED) {
    const fields = readEmvText(text);
    const receiver = readFields(fields?.get(template) ?? '');
    assert.deepEqual(
      [receiver?.get('00'), receiver?.get(tag), fields?.get('54'), fields?.get('53'), fields?.get('58')],
      [scheme, id, amount, '764', 'TH'],
      text,
    );
    assert.equal(readEmvText(`${text.slice(0, -4)}FFFF`), undefined);
    assert.equal(crc16(text.slice(0, -4)), text.slice(-4));
    const transfer = readPromptPay(text);
    // A code without an amount is not an own code.
    if (template === '29' && amount !== undefined)
      assert.deepEqual([transfer?.id, transfer?.amount], [id, parseDecimal(amount)]);
    else assert.equal(transfer, undefined);
  }
});

test('codes of other programs are read, and not one character of them may change', () => {
  for (const text of KNOWN) {
    assert.ok(readEmvText(text), text);
    for (let at = 0; at < text.length; at += 1) {
      const other = text[at] === '7' ? '8' : '7';
      assert.equal(readEmvText(text.slice(0, at) + other + text.slice(at + 1)), undefined);
    }
  }
});

test('only a bill with an amount is a bill', () => {
  for (const text of KNOWN) if (text !== BILL_WITH_AMOUNT) assert.equal(readThaiBill(text), undefined);
  assert.deepEqual(
    { ...readThaiBill(BILL_WITH_AMOUNT) },
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

test('display texts do not affect a QR: Thai text counted in characters or bytes, and empty fields', () => {
  const text = 'ร้านกระเพรา';
  const counted = (length: number) => `64${String(length).padStart(2, '0')}${text}`;
  for (const more of [counted(text.length), counted(Buffer.byteLength(text)), '5900', field('59', 'ร้าน'), '6400']) {
    const read = readThaiBill(sealed(bill() + more));
    assert.deepEqual(read && [read.billerId, read.reference1, read.amount], [BILLER, REFERENCE, 10_000n], more);
  }
  for (const [what, wrong] of [
    ['an empty amount', sealed(bill({ amount: '' }) + '5400')],
    ['an empty field twice', sealed(`${bill()}59005900`)],
    ['a length past the end', sealed(`${bill()}6499${text}`)],
    ['a control character', sealed(bill() + field('59', 'A\0'))],
    [
      'another way to pay behind text that is counted in two ways',
      sealed(bill() + '6402กก' + field('29', field('00', 'A000000677010111'))),
    ],
  ] as const) {
    const read = readThaiBill(wrong);
    assert.ok(read === undefined, what);
  }
});
