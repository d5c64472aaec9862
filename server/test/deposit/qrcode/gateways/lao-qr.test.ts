import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minor } from '@krapao/contract/money';
import { crc16 } from '../../../../src/adapters/gateway/emv.ts';
import { BCEL_BANK, readLaoQr } from '../../../../src/adapters/gateway/lao-qr.ts';
import { readPromptPay, readThaiBill } from '../../../../src/adapters/gateway/thai-qr.ts';

const seal = (body: string) => `${body}6304${crc16(`${body}6304`)}`;

/** Codes in use in Laos. */
const SEEN = {
  person: '00020101021138580016A00526628466257701080000041802030010315I90BYP17BC295VZ53034185802LA630491B3',
  dynamic:
    '00020101021238680016A00526628466257701087003041802030010325LRV25288QOSY68AFCZJ7PUE1V520448295303418540815000.005802LA6009Vientiane62160812test_dynamic63040B1B',
  merchant:
    '00020101021138590016A00526628466257701082771041802030020316mch5d0077995d4ae5204597753034185802LA5911 LAEKOPSOHP6002SL62200716stk66ac4090b073b6304DE71',
  withUnionPay:
    '00020101021115312031041800520446mch64f01defcb3138590016A00526628466257701082771041802030020316mch64f01defcb3105204593253034185802LA5907 LEYUNG6002CH62200716stk6875cb2f6de946304B423',
  onePay: '00020101021133380004BCEL0106ONEPAY0216mch5f76a7f5ca7d25204569753034185802LA6002SV6304182B',
  onePayAmount:
    '00020101021133380004BCEL0106ONEPAY0216mch5e436d803c35d520441115303418540410005802LA6003VTE62720121comet1608801339810192053633f32dd0-ebc4-4385-9427-35478df8facd0803Lao6304B6BB',
};

test('Lao QR codes are read as they are: national ones, and the older ones of BCEL', () => {
  const read = Object.fromEntries(Object.entries(SEEN).map(([name, text]) => [name, readLaoQr(text)]));
  const plain = { amount: undefined, isSingleUse: false, bill: undefined, hasRival: false };
  assert.deepEqual(read, {
    person: { scheme: 'LAO_QR', bank: '00000418', receiver: 'I90BYP17BC295VZ', ...plain },
    dynamic: {
      ...plain,
      scheme: 'LAO_QR',
      bank: '70030418',
      receiver: 'LRV25288QOSY68AFCZJ7PUE1V',
      amount: minor(1_500_000n),
      isSingleUse: true,
    },
    merchant: { scheme: 'LAO_QR', bank: BCEL_BANK, receiver: 'mch5d0077995d4ae', ...plain },
    withUnionPay: { scheme: 'LAO_QR', bank: BCEL_BANK, receiver: 'mch64f01defcb310', ...plain, hasRival: true },
    onePay: { scheme: 'ONEPAY', bank: BCEL_BANK, receiver: 'mch5f76a7f5ca7d2', ...plain },
    onePayAmount: {
      ...plain,
      scheme: 'ONEPAY',
      bank: BCEL_BANK,
      receiver: 'mch5e436d803c35d',
      amount: minor(100_000n),
      bill: 'comet1608801339810192',
    },
  });
});

test('only OnePay may leave out leading zeros of its CRC, and lower case is equivalent', () => {
  const [onePay, national] = [SEEN.onePay, SEEN.merchant].map((text) => text.slice(0, -8));
  // Varies the terminal number until the CRC begins with the given number of zeros.
  const withZeros = (body = '', zeros = '') => {
    for (let number = 0; ; number += 1) {
      const varied = `${body.replace(/62\d\d0716.*$/, '')}62100706${String(number).padStart(6, '0')}`;
      const crc = crc16(`${varied}6304`);
      if (crc.startsWith(zeros) && crc[zeros.length] !== '0') return { varied, digits: crc.slice(zeros.length) };
    }
  };
  for (const zeros of ['0', '00', '000']) {
    const loose = withZeros(onePay, zeros);
    const text = `${loose.varied}630${loose.digits.length}${loose.digits}`;
    assert.equal(readLaoQr(text)?.receiver, 'mch5f76a7f5ca7d2', text);
    const small = `${loose.varied}630${loose.digits.length}${loose.digits.toLowerCase()}`;
    assert.equal(readLaoQr(small)?.scheme, 'ONEPAY', small);
    assert.equal(readLaoQr(`${loose.varied}6304${zeros}${loose.digits}`)?.scheme, 'ONEPAY');
    // Number and values of the digits are correct.
    assert.equal(readLaoQr(`${loose.varied}6304${loose.digits}`), undefined);
    const wrong = `${loose.digits.slice(0, -1)}${loose.digits.endsWith('1') ? '2' : '1'}`;
    assert.equal(readLaoQr(`${loose.varied}630${loose.digits.length}${wrong}`), undefined);
    const strict = withZeros(national, zeros);
    assert.equal(readLaoQr(`${strict.varied}630${strict.digits.length}${strict.digits}`), undefined);
    assert.equal(readLaoQr(`${strict.varied}6304${zeros}${strict.digits}`)?.scheme, 'LAO_QR');
  }
  assert.equal(readLaoQr(SEEN.merchant.replace(/DE71$/, 'de71'))?.scheme, 'LAO_QR');
});

test('what is no Lao QR, or an altered one, is not read', () => {
  const body = SEEN.dynamic.slice(0, -8);
  const altered: [string, string][] = [
    ['nothing', ''],
    ['small letters throughout', SEEN.merchant.toLowerCase()],
    [
      'the receiver in small letters under the CRC of capitals',
      SEEN.person.replace('I90BYP17BC295VZ', 'i90byp17bc295vz'),
    ],
    ['blanks taken out', SEEN.merchant.replaceAll(' ', '')],
    ['another amount', SEEN.dynamic.replace('15000.00', '95000.00')],
    ['another CRC', `${SEEN.dynamic.slice(0, -4)}0B1C`],
    ['no CRC', body],
    ['something after the CRC', `${SEEN.dynamic}00`],
    ['baht', seal(body.replace('5303418', '5303764'))],
    ['Thailand', seal(body.replace('5802LA', '5802TH'))],
    ['swapped country and province', seal(body.replace('5802LA6009Vientiane', '5803VTE6002LA'))],
    ['parts of a kip', seal(body.replace('15000.00', '15000.50'))],
    ['nothing to pay', seal(body.replace('540815000.00', '54010'))],
    ['a bank abroad', seal(body.replace('70030418', '70030764'))],
    ['another network', seal(body.replace('A005266284662577', 'A000000677010112'))],
    ['a length past the end', seal(body.replace('62160812', '62990812'))],
    ['the amount twice', seal(`${body}540110`)],
    ['BCEL without OnePay', seal(SEEN.onePay.slice(0, -8).replace('ONEPAY', 'ONEPAX'))],
    ['a receipt', seal('00020101021133310004BCEL0108ONEPROOF0207TICKET153034185802LA')],
    ['too long', seal(body.replace('62160812', `62160812${'x'.repeat(600)}`))],
  ];
  for (const [what, text] of altered) assert.equal(readLaoQr(text), undefined, what);
  assert.equal(readLaoQr(seal(body.replace('test_dynamic', 'ທດສອບ_dynami')))?.amount, 1_500_000n, 'Lao letters');
  // The swapped fields of OnePay's own script are tested elsewhere.
  const turned = seal(SEEN.onePayAmount.slice(0, -8).replace('5802LA6003VTE', '5803VTE6002LA'));
  assert.equal(readLaoQr(turned)?.amount, 100_000n);
  for (const text of Object.values(SEEN)) assert.equal(readThaiBill(text), undefined);
});

test('a PromptPay transfer is read with its receiver and amount, and nothing else is', () => {
  const fixed = '00020101021229370016A0000006770101110113006681222333353037645802TH540530.0063043CAD';
  assert.deepEqual(readPromptPay(fixed), { proxy: 'mobile', id: '0066812223333', amount: minor(3_000n) });
  const open = '00020101021129370016A0000006770101110113006681222333353037645802TH63041DCF';
  const bill =
    '00020101021230650016A00000067701011201150994000165501000212123456789012030667042953037645802TH54073649.2263044534';
  const body = fixed.slice(0, -8);
  const others = [
    open,
    bill,
    `${fixed.slice(0, -4)}FFFF`,
    seal(body.replace('010212', '010211')),
    seal(body.replace('5303764', '5303418')),
    seal(body.replace('540530.00', '540100')),
    seal(body.replace('29370016', '29540016').replace('0113006681222333', '01130066812223330213123456789012')),
    seal(`${body}30${bill.slice(14, 16)}${bill.slice(16, 81)}`),
    ...Object.values(SEEN),
  ];
  for (const text of others) assert.equal(readPromptPay(text), undefined, text);
});
