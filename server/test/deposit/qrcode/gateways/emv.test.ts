import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDecimal } from '@krapao/contract/money';
import fc from 'fast-check';
import { generate } from 'promptparse';
import { crc16, readEmvText, readFields } from '../../../../src/adapters/gateway/emv.ts';
import { readPromptPay, readThaiBill } from '../../../../src/adapters/gateway/thai-qr.ts';

const BILLER_ID = '010555555555501';
const REFERENCE = 'ABCDEFGH2345678';

/** Appends the CRC. */
const withCrc = (openPayload: string): string => `${openPayload}6304${crc16(`${openPayload}6304`)}`;
const emvField = (tag: string, value: string): string => `${tag}${String(value.length).padStart(2, '0')}${value}`;
const billPayload = (
  changes: { scheme?: string; single?: string; currency?: string; country?: string; amount?: string } = {},
) =>
  emvField('00', '01') +
  emvField('01', changes.single ?? '12') +
  emvField(
    '30',
    emvField('00', changes.scheme ?? 'A000000677010112') +
      emvField('01', BILLER_ID) +
      emvField('02', REFERENCE) +
      emvField('03', 'KB000000000001'),
  ) +
  emvField('53', changes.currency ?? '764') +
  (changes.amount === '' ? '' : emvField('54', changes.amount ?? '100.00')) +
  emvField('58', changes.country ?? 'TH');

test('the CRC is CRC-16/CCITT-FALSE', () => {
  assert.equal(crc16('123456789'), '29B1');
});

const phonePayload = (id: string, amount?: string) => ({
  template: '29',
  scheme: 'A000000677010111',
  tag: '01',
  id,
  amount,
});
const citizenPayload = (id: string) => ({ ...phonePayload(id), tag: '02' });
const walletPayload = (id: string, amount?: string) => ({ ...phonePayload(id, amount), tag: '03' });
const billerPayload = (id: string, amount?: string) => ({
  template: '30',
  scheme: 'A000000677010112',
  tag: '01',
  id,
  amount,
});

/** Published examples of other programs: PromptPay transfers, wallet codes, a message, bills. */
const PUBLISHED_CODES: readonly [string, ReturnType<typeof phonePayload>][] = [
  ['00020101021129370016A000000677010111011300668012345675802TH530376463046197', phonePayload('0066801234567')],
  ['00020101021129370016A000000677010111011300668912345675802TH5303764630429C1', phonePayload('0066891234567')],
  ['00020101021129370016A000000677010111021311111111111115802TH530376463047B5A', citizenPayload('1111111111111')],
  ['00020101021129370016A000000677010111021301234567890125802TH530376463040CBD', citizenPayload('0123456789012')],
  ['00020101021129390016A00000067701011103150123456789012345802TH530376463049781', walletPayload('012345678901234')],
  [
    '00020101021229370016A000000677010111011300660000000005802TH530376454044.226304E469',
    phonePayload('0066000000000', '4.22'),
  ],
  ['00020101021129370016A0000006770101110113006681222333353037645802TH63041DCF', phonePayload('0066812223333')],
  [
    '00020101021229370016A0000006770101110113006681222333353037645802TH540530.0063043CAD',
    phonePayload('0066812223333', '30.00'),
  ],
  [
    '00020101021229370016A0000006770101110113006680111111153037645802TH540520.15630442BE',
    phonePayload('0066801111111', '20.15'),
  ],
  ['00020101021129390016A000000677010111031514000080111111153037645802TH63047C0F', walletPayload('140000801111111')],
  [
    '00020101021229390016A000000677010111031514000080111111153037645802TH540510.05814800480065006C006C006F00200057006F0072006C006400216304F5A2',
    walletPayload('140000801111111', '10.05'),
  ],
  [
    '00020101021130620016A000000677010112011301122334455660211CUSTOMER0010306INV00153037645802TH62070703SCB6304780E',
    billerPayload('0112233445566'),
  ],
  [
    '00020101021230650016A00000067701011201150994000165501000212123456789012030667042953037645802TH54073649.2263044534',
    billerPayload('099400016550100', '3649.22'),
  ],
];
const BILL_WITH_AMOUNT = PUBLISHED_CODES.at(-1)?.[0] ?? '';
const PUBLISHED_TEXTS = PUBLISHED_CODES.map(([text]) => text);

test('published Thai QR codes are parsed with scheme, receiver and amount, and refused with a wrong CRC', () => {
  for (const [text, { template, scheme, tag, id, amount }] of PUBLISHED_CODES) {
    const fields = readEmvText(text);
    const receiverFields = readFields(fields?.get(template) ?? '');
    assert.deepEqual(
      [receiverFields?.get('00'), receiverFields?.get(tag), fields?.get('54'), fields?.get('53'), fields?.get('58')],
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

test('QR codes of other programs are parsed, and a change of any character is detected', () => {
  for (const text of PUBLISHED_TEXTS) {
    assert.ok(readEmvText(text), text);
    for (let position = 0; position < text.length; position += 1) {
      const otherDigit = text[position] === '7' ? '8' : '7';
      assert.equal(readEmvText(text.slice(0, position) + otherDigit + text.slice(position + 1)), undefined);
    }
  }
});

test('only a QR for a bill with an amount counts as a bill', () => {
  for (const text of PUBLISHED_TEXTS) if (text !== BILL_WITH_AMOUNT) assert.equal(readThaiBill(text), undefined);
  assert.deepEqual(
    { ...readThaiBill(BILL_WITH_AMOUNT) },
    { billerId: '099400016550100', reference1: '123456789012', reference2: '670429', amount: 364922n },
  );
});

test('a bill written by an independent program is parsed unchanged', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 99_999_999 }), (satang) => {
      const amount = satang / 100;
      const text = generate.billPayment({ billerId: BILLER_ID, ref1: REFERENCE, amount });
      assert.equal(readThaiBill(text)?.amount, BigInt(satang));
    }),
  );
});

test('a bill of another scheme, currency, country, amount or use is refused', () => {
  assert.equal(readThaiBill(withCrc(billPayload()))?.amount, 10_000n);
  const invalidPayloads = [
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
  for (const changes of invalidPayloads)
    assert.equal(readThaiBill(withCrc(billPayload(changes))), undefined, JSON.stringify(changes));
});

test('a QR with a second payment method, a repeated field, or text after the CRC is refused', () => {
  const transfer = emvField('29', emvField('00', 'A000000677010111') + emvField('01', '0066812345678'));
  assert.equal(readThaiBill(withCrc(billPayload() + transfer)), undefined);
  assert.equal(readThaiBill(withCrc(billPayload() + emvField('54', '1.00'))), undefined);
  assert.equal(readThaiBill(`${withCrc(billPayload())}5802TH`), undefined);
  assert.equal(readThaiBill(withCrc(`${billPayload()}5910KRAP`)), undefined);
});

test('no text makes the QR parser throw', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 600 }), (text) => {
      readThaiBill(text);
      readThaiBill(withCrc(text.replaceAll(/[^\x20-\x7e]/g, '')));
    }),
  );
});

test('display texts do not affect a QR: Thai text counted in characters or bytes, and empty fields', () => {
  const text = 'ร้านกระเพรา';
  const lengthField = (length: number) => `64${String(length).padStart(2, '0')}${text}`;
  for (const extraField of [
    lengthField(text.length),
    lengthField(Buffer.byteLength(text)),
    '5900',
    emvField('59', 'ร้าน'),
    '6400',
  ]) {
    const parsedBill = readThaiBill(withCrc(billPayload() + extraField));
    assert.deepEqual(
      parsedBill && [parsedBill.billerId, parsedBill.reference1, parsedBill.amount],
      [BILLER_ID, REFERENCE, 10_000n],
      extraField,
    );
  }
  for (const [title, invalidText] of [
    ['an empty amount', withCrc(billPayload({ amount: '' }) + '5400')],
    ['an empty field twice', withCrc(`${billPayload()}59005900`)],
    ['a length past the end', withCrc(`${billPayload()}6499${text}`)],
    ['a control character', withCrc(billPayload() + emvField('59', 'A\0'))],
    [
      'another way to pay behind text that is counted in two ways',
      withCrc(billPayload() + '6402กก' + emvField('29', emvField('00', 'A000000677010111'))),
    ],
  ] as const) {
    const parsedBill = readThaiBill(invalidText);
    assert.ok(parsedBill === undefined, title);
  }
});
