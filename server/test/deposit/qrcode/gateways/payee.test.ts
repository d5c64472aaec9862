import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { crc16 } from '../../../../src/adapters/gateway/emv.ts';
import { readPayee } from '../../../../src/adapters/gateway/payee.ts';

const sealed = (open: string): string => `${open}6304${crc16(`${open}6304`)}`;
const field = (tag: string, value: string): string => `${tag}${String(value.length).padStart(2, '0')}${value}`;

const BILL = field('00', 'A000000677010112') + field('01', '010555555555501') + field('02', 'REF1');
const thai = (account: string, name?: string): string =>
  sealed(
    field('00', '01') +
      field('01', '12') +
      account +
      field('53', '764') +
      field('54', '100.00') +
      field('58', 'TH') +
      (name === undefined ? '' : field('59', name)),
  );
const lao = (name: string): string =>
  sealed(
    field('00', '01') +
      field('01', '12') +
      field('38', field('00', 'A005266284662577') + field('01', '27710418') + field('03', 'KRAPAO01')) +
      field('53', '418') +
      field('54', '10000') +
      field('58', 'LA') +
      field('59', name),
  );

test('the payee of a QR has name, masked id and scheme [R-WALLET-01]', () => {
  const promptPay = field('29', field('00', 'A000000677010111') + field('03', '140000801111111'));
  for (const [what, text, expected] of [
    ['bill', thai(field('30', BILL), 'KRAPAO CO LTD'), { name: 'KRAPAO CO LTD', id: 'x-5501', scheme: 'PROMPTPAY' }],
    ['bill without a name', thai(field('30', BILL)), { name: null, id: 'x-5501', scheme: 'PROMPTPAY' }],
    ['transfer', thai(promptPay, 'KRAPAO'), { name: 'KRAPAO', id: 'x-1111', scheme: 'PROMPTPAY' }],
    ['Lao', lao('KRAPAO LAO'), { name: 'KRAPAO LAO', id: 'x-AO01', scheme: 'LAO_QR' }],
    ['Lao letters', lao('ກະເປົາ'), { name: 'ກະເປົາ', id: 'x-AO01', scheme: 'LAO_QR' }],
    ['another scheme', thai(field('26', field('00', 'X')), 'KRAPAO'), { name: 'KRAPAO', id: null, scheme: null }],
    ['a blank name', thai(field('30', BILL), '   '), { name: null, id: 'x-5501', scheme: 'PROMPTPAY' }],
    [
      'a name that reads backwards',
      thai(field('30', BILL), 'A\u202eB'),
      { name: null, id: 'x-5501', scheme: 'PROMPTPAY' },
    ],
  ] as const) {
    assert.deepEqual(readPayee(text), expected, what);
  }
  const short = thai(field('29', field('00', 'A000000677010111') + field('04', '1234')));
  assert.equal(readPayee(short)?.id, 'x-34');
});

test('text that is not a known QR names no payee', () => {
  const [bill] = [thai(field('30', BILL), 'KRAPAO')];
  for (const text of ['', 'https://pay.test/1', bill.slice(0, -1), `${bill} `, bill.replace('KRAPAO', 'KRAPA0')])
    assert.equal(readPayee(text), undefined, text);
  assert.equal(readPayee(thai('')), undefined);
  fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => readPayee(text) === undefined));
});
