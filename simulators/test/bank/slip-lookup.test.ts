import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ask, newCode, OPERATOR, outside, payQr, PERSON } from '../harness.ts';
import { type Moved, signed } from './bank-api.ts';

type LookUpReply = {
  code: string;
  delaySeconds?: number;
  data: {
    amount: string;
    at: string;
    from: { accountNo: string; name: string };
    to: { type: string; accountNo: string; name: string; reference1: string | null };
  } | null;
};

const postTransfer = (address: string, fields: object = {}) =>
  ask<Moved>(address, 'POST', '/bank/transfer', { from: PERSON, to: OPERATOR, amount: '250.75', ...fields });
const lookUp = async (address: string, query: object) =>
  (await signed<LookUpReply>(address, 'POST', '/slip-lookup', query)).body;
const keyOf = ({ sendingBank, transRef }: Moved) => ({ sendingBank, transRef });

test('a slip look-up returns amount, time and both sides, each masked in the style of its bank', async (t) => {
  const { address } = await outside(t);
  const { body } = await postTransfer(address);
  const foundSlip = await lookUp(address, keyOf(body));
  assert.equal(foundSlip.code, '0000');
  assert.deepEqual(
    [foundSlip.data?.amount, foundSlip.data?.from.accountNo, foundSlip.data?.from.name],
    ['250.75', 'xxx-x-x6789-x', 'มะลิ ส'],
  );
  assert.deepEqual([foundSlip.data?.to.type, foundSlip.data?.to.accountNo], ['BANKAC', OPERATOR.accountNo]);
});

test('a slip look-up finds nothing at another bank, with other letters, after a week, or without a slip', async (t) => {
  const { address } = await outside(t);
  const { body } = await postTransfer(address);
  const swappedCase = body.transRef.replace(/[a-zA-Z]/g, (character) =>
    character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase(),
  );
  assert.notEqual(swappedCase, body.transRef);
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const unknownSlips = [
    { ...keyOf(body), sendingBank: '004' },
    { ...keyOf(body), transRef: swappedCase },
    keyOf((await postTransfer(address, { at: daysAgo(7.1) })).body),
    keyOf((await postTransfer(address, { slip: 'none' })).body),
  ];
  for (const unknownSlip of unknownSlips)
    assert.equal((await lookUp(address, unknownSlip)).code, '8404', JSON.stringify(unknownSlip));
  assert.equal((await lookUp(address, keyOf((await postTransfer(address, { at: daysAgo(6.9) })).body))).code, '0000');
});

test('the same reference at two banks is two transfers; one bank never issues it twice', async (t) => {
  const { address } = await outside(t);
  const fields = { transRef: 'ABCabc123456789012345' };
  await postTransfer(address, { ...fields, amount: '1.00' });
  await postTransfer(address, { ...fields, amount: '2.00', from: { ...PERSON, bankCode: 'BBL' } });
  assert.equal((await lookUp(address, { sendingBank: '014', ...fields })).data?.amount, '1.00');
  assert.equal((await lookUp(address, { sendingBank: '002', ...fields })).data?.amount, '2.00');
  const repeatedTransfer = await postTransfer(address, { ...fields, amount: '3.00' });
  assert.deepEqual([repeatedTransfer.status, repeatedTransfer.body.error], [409, 'trans_ref_used']);
});

test('a payment of a QR code is returned with a biller and the reference of the code', async (t) => {
  const { address } = await outside(t);
  const payment = (await payQr(address, (await newCode(address, 'D1')).qrCode)).body;
  const foundSlip = await lookUp(address, { sendingBank: '014', transRef: payment.transferId });
  assert.deepEqual([foundSlip.data?.to.type, foundSlip.data?.to.reference1], ['BILLER', 'D1']);
});

test('a bank is down, refuses the captcha or delays slips as often as configured', async (t) => {
  const { address } = await outside(t);
  const slipKey = keyOf((await postTransfer(address)).body);
  const lookUpCodes = async (fault: object) => {
    await ask(address, 'POST', '/control/faults', { target: 'bank', ...fault });
    return [await lookUp(address, slipKey), await lookUp(address, slipKey)].map(
      ({ code, delaySeconds }) => delaySeconds ?? code,
    );
  };
  assert.deepEqual(await lookUpCodes({ fault: 'bank-down' }), ['8503', '0000']);
  assert.deepEqual(await lookUpCodes({ fault: 'decline', call: 'slip-lookup' }), ['8503', '0000']);
  assert.deepEqual(await lookUpCodes({ fault: 'captcha', times: 2 }), ['8601', '8601']);
  assert.deepEqual(await lookUpCodes({ fault: 'delayed', delayMs: 2500 }), [3, '0000']);
});

test('a slip can lack the zeros of its checksum, or have the layout of the wallet app', async (t) => {
  const { address } = await outside(t);
  const shortCrcSlip = (await postTransfer(address, { slip: 'short-crc' })).body;
  assert.match(shortCrcSlip.slipPayload, /5102TH9104(?:0|[1-9A-F][0-9A-F]{0,2})$/);
  const walletStyleSlip = (await postTransfer(address, { slip: 'truemoney' })).body;
  assert.match(walletStyleSlip.slipPayload, /^00\d\d0002010102010203P2P03.*0408\d{8}9104[0-9a-f]{4}$/);
  assert.ok(walletStyleSlip.slipPayload.includes(walletStyleSlip.transRef));
  for (const { slipUrl } of [shortCrcSlip, walletStyleSlip])
    assert.equal((await fetch(slipUrl)).headers.get('content-type'), 'image/png');
});
