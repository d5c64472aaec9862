import assert from 'node:assert/strict';
import { test } from 'node:test';
import { minor } from '@krapao/contract/money';
import { crc16 } from '../../../../src/adapters/gateway/emv.ts';
import { BCEL_BANK, readLaoQr } from '../../../../src/adapters/gateway/lao-qr.ts';
import { readPromptPay, readThaiBill } from '../../../../src/adapters/gateway/thai-qr.ts';

const withCrc = (body: string) => `${body}6304${crc16(`${body}6304`)}`;

/** Codes in use in Laos. */
const OBSERVED_CODES = {
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

test('Lao QR codes are parsed: national ones, and older ones of BCEL', () => {
  const parsedCodes = Object.fromEntries(Object.entries(OBSERVED_CODES).map(([name, text]) => [name, readLaoQr(text)]));
  const plainCode = { amount: undefined, isSingleUse: false, bill: undefined, hasRival: false };
  assert.deepEqual(parsedCodes, {
    person: { scheme: 'LAO_QR', bank: '00000418', receiver: 'I90BYP17BC295VZ', ...plainCode },
    dynamic: {
      ...plainCode,
      scheme: 'LAO_QR',
      bank: '70030418',
      receiver: 'LRV25288QOSY68AFCZJ7PUE1V',
      amount: minor(1_500_000n),
      isSingleUse: true,
    },
    merchant: { scheme: 'LAO_QR', bank: BCEL_BANK, receiver: 'mch5d0077995d4ae', ...plainCode },
    withUnionPay: { scheme: 'LAO_QR', bank: BCEL_BANK, receiver: 'mch64f01defcb310', ...plainCode, hasRival: true },
    onePay: { scheme: 'ONEPAY', bank: BCEL_BANK, receiver: 'mch5f76a7f5ca7d2', ...plainCode },
    onePayAmount: {
      ...plainCode,
      scheme: 'ONEPAY',
      bank: BCEL_BANK,
      receiver: 'mch5e436d803c35d',
      amount: minor(100_000n),
      bill: 'comet1608801339810192',
    },
  });
});

test('only OnePay codes may omit leading zeros of the CRC; lower case is equivalent', () => {
  const [onePayBody, nationalBody] = [OBSERVED_CODES.onePay, OBSERVED_CODES.merchant].map((text) => text.slice(0, -8));
  // Varies the terminal number until the CRC begins with the given number of zeros.
  const withLeadingZeros = (body = '', zeros = '') => {
    for (let number = 0; ; number += 1) {
      const variedBody = `${body.replace(/62\d\d0716.*$/, '')}62100706${String(number).padStart(6, '0')}`;
      const crc = crc16(`${variedBody}6304`);
      if (crc.startsWith(zeros) && crc[zeros.length] !== '0')
        return { varied: variedBody, digits: crc.slice(zeros.length) };
    }
  };
  for (const zeros of ['0', '00', '000']) {
    const loosePayload = withLeadingZeros(onePayBody, zeros);
    const text = `${loosePayload.varied}630${loosePayload.digits.length}${loosePayload.digits}`;
    assert.equal(readLaoQr(text)?.receiver, 'mch5f76a7f5ca7d2', text);
    const lowerCasePayload = `${loosePayload.varied}630${loosePayload.digits.length}${loosePayload.digits.toLowerCase()}`;
    assert.equal(readLaoQr(lowerCasePayload)?.scheme, 'ONEPAY', lowerCasePayload);
    assert.equal(readLaoQr(`${loosePayload.varied}6304${zeros}${loosePayload.digits}`)?.scheme, 'ONEPAY');
    // Number and values of the digits are correct.
    assert.equal(readLaoQr(`${loosePayload.varied}6304${loosePayload.digits}`), undefined);
    const wrongDigits = `${loosePayload.digits.slice(0, -1)}${loosePayload.digits.endsWith('1') ? '2' : '1'}`;
    assert.equal(readLaoQr(`${loosePayload.varied}630${loosePayload.digits.length}${wrongDigits}`), undefined);
    const strictPayload = withLeadingZeros(nationalBody, zeros);
    assert.equal(
      readLaoQr(`${strictPayload.varied}630${strictPayload.digits.length}${strictPayload.digits}`),
      undefined,
    );
    assert.equal(readLaoQr(`${strictPayload.varied}6304${zeros}${strictPayload.digits}`)?.scheme, 'LAO_QR');
  }
  assert.equal(readLaoQr(OBSERVED_CODES.merchant.replace(/DE71$/, 'de71'))?.scheme, 'LAO_QR');
});

test('a QR that is not Lao, or altered, is refused', () => {
  const body = OBSERVED_CODES.dynamic.slice(0, -8);
  const alteredCodes: [string, string][] = [
    ['nothing', ''],
    ['small letters throughout', OBSERVED_CODES.merchant.toLowerCase()],
    [
      'the receiver in small letters under the CRC of capitals',
      OBSERVED_CODES.person.replace('I90BYP17BC295VZ', 'i90byp17bc295vz'),
    ],
    ['blanks taken out', OBSERVED_CODES.merchant.replaceAll(' ', '')],
    ['another amount', OBSERVED_CODES.dynamic.replace('15000.00', '95000.00')],
    ['another CRC', `${OBSERVED_CODES.dynamic.slice(0, -4)}0B1C`],
    ['no CRC', body],
    ['something after the CRC', `${OBSERVED_CODES.dynamic}00`],
    ['baht', withCrc(body.replace('5303418', '5303764'))],
    ['Thailand', withCrc(body.replace('5802LA', '5802TH'))],
    ['swapped country and province', withCrc(body.replace('5802LA6009Vientiane', '5803VTE6002LA'))],
    ['parts of a kip', withCrc(body.replace('15000.00', '15000.50'))],
    ['nothing to pay', withCrc(body.replace('540815000.00', '54010'))],
    ['a bank abroad', withCrc(body.replace('70030418', '70030764'))],
    ['another network', withCrc(body.replace('A005266284662577', 'A000000677010112'))],
    ['a length past the end', withCrc(body.replace('62160812', '62990812'))],
    ['the amount twice', withCrc(`${body}540110`)],
    ['BCEL without OnePay', withCrc(OBSERVED_CODES.onePay.slice(0, -8).replace('ONEPAY', 'ONEPAX'))],
    ['a receipt', withCrc('00020101021133310004BCEL0108ONEPROOF0207TICKET153034185802LA')],
    ['too long', withCrc(body.replace('62160812', `62160812${'x'.repeat(600)}`))],
  ];
  for (const [title, text] of alteredCodes) assert.equal(readLaoQr(text), undefined, title);
  assert.equal(readLaoQr(withCrc(body.replace('test_dynamic', 'ທດສອບ_dynami')))?.amount, 1_500_000n, 'Lao letters');
  // The swapped fields of OnePay's own script are tested elsewhere.
  const reorderedPayload = withCrc(OBSERVED_CODES.onePayAmount.slice(0, -8).replace('5802LA6003VTE', '5803VTE6002LA'));
  assert.equal(readLaoQr(reorderedPayload)?.amount, 100_000n);
  for (const text of Object.values(OBSERVED_CODES)) assert.equal(readThaiBill(text), undefined);
});

test('a PromptPay transfer is parsed with receiver and amount, and other QR codes are not', () => {
  const fixedPayload = '00020101021229370016A0000006770101110113006681222333353037645802TH540530.0063043CAD';
  assert.deepEqual(readPromptPay(fixedPayload), { proxy: 'mobile', id: '0066812223333', amount: minor(3_000n) });
  const openPayload = '00020101021129370016A0000006770101110113006681222333353037645802TH63041DCF';
  const billPayload =
    '00020101021230650016A00000067701011201150994000165501000212123456789012030667042953037645802TH54073649.2263044534';
  const body = fixedPayload.slice(0, -8);
  const otherPayloads = [
    openPayload,
    billPayload,
    `${fixedPayload.slice(0, -4)}FFFF`,
    withCrc(body.replace('010212', '010211')),
    withCrc(body.replace('5303764', '5303418')),
    withCrc(body.replace('540530.00', '540100')),
    withCrc(body.replace('29370016', '29540016').replace('0113006681222333', '01130066812223330213123456789012')),
    withCrc(`${body}30${billPayload.slice(14, 16)}${billPayload.slice(16, 81)}`),
    ...Object.values(OBSERVED_CODES),
  ];
  for (const text of otherPayloads) assert.equal(readPromptPay(text), undefined, text);
});
