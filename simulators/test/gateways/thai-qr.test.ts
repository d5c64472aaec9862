import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { billPaymentQr, crc16, readFields, readPaymentQr, slipQr } from '../../src/thai-qr.ts';

const promptPay = [
  ['00020101021129370016A000000677010111011300668012345675802TH530376463046197', 'mobile', '0066801234567', null],
  ['00020101021129370016A000000677010111011300668912345675802TH5303764630429C1', 'mobile', '0066891234567', null],
  ['00020101021129370016A000000677010111021311111111111115802TH530376463047B5A', 'national-id', '1111111111111', null],
  ['00020101021129370016A000000677010111021301234567890125802TH530376463040CBD', 'national-id', '0123456789012', null],
  ['00020101021129390016A00000067701011103150123456789012345802TH530376463049781', 'e-wallet', '012345678901234', null],
  [
    '00020101021229370016A000000677010111011300660000000005802TH530376454044.226304E469',
    'mobile',
    '0066000000000',
    '4.22',
  ],
  ['00020101021129370016A0000006770101110113006681222333353037645802TH63041DCF', 'mobile', '0066812223333', null],
  [
    '00020101021229370016A0000006770101110113006681222333353037645802TH540530.0063043CAD',
    'mobile',
    '0066812223333',
    '30.00',
  ],
  [
    '00020101021229370016A0000006770101110113006680111111153037645802TH540520.15630442BE',
    'mobile',
    '0066801111111',
    '20.15',
  ],
  ['00020101021129390016A000000677010111031514000080111111153037645802TH63047C0F', 'e-wallet', '140000801111111', null],
] as const;

test('published PromptPay codes are parsed', () => {
  for (const [payload, proxy, id, amount] of promptPay) {
    assert.deepEqual(readPaymentQr(payload), { kind: 'promptpay', proxy, id, amount, payee: null }, payload);
  }
});

test('published bill payment codes are parsed', () => {
  const invoice = readPaymentQr(
    '00020101021130620016A000000677010112011301122334455660211CUSTOMER0010306INV00153037645802TH62070703SCB6304780E',
  );
  assert.deepEqual(invoice, {
    kind: 'bill',
    billerId: '0112233445566',
    reference1: 'CUSTOMER001',
    reference2: 'INV001',
    amount: null,
    payee: null,
  });
  const barcode = readPaymentQr(
    '00020101021230650016A00000067701011201150994000165501000212123456789012030667042953037645802TH54073649.2263044534',
  );
  assert.equal(barcode?.amount, '3649.22');
});

test('a wrong checksum, other countries, garbage and inexact lengths are refused', () => {
  const validText = '00020101021229370016A0000006770101110113006680111111153037645802TH540520.15630442BE';
  const laoText = '00020101021138580016A00526628466257701080000041802030010315I90BYP17BC295VZ53034185802LA630491B3';
  for (const invalidText of [
    validText.replace('42BE', 'FFFF'),
    laoText,
    '',
    'hello',
    '0099abc',
    `${validText}0`,
    validText.slice(0, -1),
    validText.replace('20.15', '90.15'),
  ]) {
    assert.equal(readPaymentQr(invalidText), undefined, invalidText);
  }
  assert.equal(crc16('123456789'), '29B1');
  assert.equal(readPaymentQr(validText.replace('42BE', '42be'))?.amount, '20.15');
});

test('QR codes made by the simulated gateways parse to the same values', () => {
  const text = fc.stringMatching(/^[A-Z0-9]{1,20}$/);
  fc.assert(
    fc.property(text, text, fc.integer({ min: 1, max: 999_999_999 }), (reference1, reference2, satang) => {
      const amount = `${Math.floor(satang / 100)}.${String(satang % 100).padStart(2, '0')}`;
      const billQr = billPaymentQr({
        billerId: '099999999999901',
        reference1,
        reference2,
        amount,
        name: 'KRAPAO',
        city: 'BANGKOK',
      });
      assert.deepEqual(readPaymentQr(billQr), {
        kind: 'bill',
        billerId: '099999999999901',
        reference1,
        reference2,
        amount,
        payee: 'KRAPAO',
      });
    }),
  );
});

test('no text makes the QR parser throw', () => {
  fc.assert(fc.property(fc.string({ maxLength: 200 }), (text) => void [readPaymentQr(text), readFields(text)]));
});

test('slip QR codes made by the simulator equal the published ones', () => {
  assert.equal(slipQr('002', '0002123123121200011'), '004000060000010103002021900021231231212000115102TH91049C30');
  assert.equal(slipQr('004', '013071152533APM07736'), '0041000600000101030040220013071152533APM077365102TH91048134');
});
