import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Moved, signed } from './bank-api.ts';
import { ask, newCode, OPERATOR, outside, payQr, PERSON } from '../harness.ts';

type Found = {
  code: string;
  delaySeconds?: number;
  data: {
    amount: string;
    at: string;
    from: { accountNo: string; name: string };
    to: { type: string; accountNo: string; name: string; reference1: string | null };
  } | null;
};

const send = (address: string, fields: object = {}) =>
  ask<Moved>(address, 'POST', '/bank/transfer', { from: PERSON, to: OPERATOR, amount: '250.75', ...fields });
const lookUp = async (address: string, asked: object) =>
  (await signed<Found>(address, 'POST', '/slip-lookup', asked)).body;
const keyOf = ({ sendingBank, transRef }: Moved) => ({ sendingBank, transRef });

test('a slip look-up returns amount, time and both sides, each masked in the style of its bank', async (t) => {
  const { address } = await outside(t);
  const { body } = await send(address);
  const found = await lookUp(address, keyOf(body));
  assert.equal(found.code, '0000');
  assert.deepEqual(
    [found.data?.amount, found.data?.from.accountNo, found.data?.from.name],
    ['250.75', 'xxx-x-x6789-x', 'มะลิ ส'],
  );
  assert.deepEqual([found.data?.to.type, found.data?.to.accountNo], ['BANKAC', OPERATOR.accountNo]);
});

test('a slip look-up finds nothing at another bank, with other letters, after a week, or without a slip', async (t) => {
  const { address } = await outside(t);
  const { body } = await send(address);
  const swapped = body.transRef.replace(/[a-zA-Z]/g, (c) =>
    c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase(),
  );
  assert.notEqual(swapped, body.transRef);
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  const unknown = [
    { ...keyOf(body), sendingBank: '004' },
    { ...keyOf(body), transRef: swapped },
    keyOf((await send(address, { at: daysAgo(7.1) })).body),
    keyOf((await send(address, { slip: 'none' })).body),
  ];
  for (const asked of unknown) assert.equal((await lookUp(address, asked)).code, '8404', JSON.stringify(asked));
  assert.equal((await lookUp(address, keyOf((await send(address, { at: daysAgo(6.9) })).body))).code, '0000');
});

test('the same reference at two banks is two transfers; one bank never issues it twice', async (t) => {
  const { address } = await outside(t);
  const fields = { transRef: 'ABCabc123456789012345' };
  await send(address, { ...fields, amount: '1.00' });
  await send(address, { ...fields, amount: '2.00', from: { ...PERSON, bankCode: 'BBL' } });
  assert.equal((await lookUp(address, { sendingBank: '014', ...fields })).data?.amount, '1.00');
  assert.equal((await lookUp(address, { sendingBank: '002', ...fields })).data?.amount, '2.00');
  const again = await send(address, { ...fields, amount: '3.00' });
  assert.deepEqual([again.status, again.body.error], [409, 'trans_ref_used']);
});

test('a payment of a QR code is returned with a biller and the reference of the code', async (t) => {
  const { address } = await outside(t);
  const paid = (await payQr(address, (await newCode(address, 'D1')).qrCode)).body;
  const found = await lookUp(address, { sendingBank: '014', transRef: paid.transferId });
  assert.deepEqual([found.data?.to.type, found.data?.to.reference1], ['BILLER', 'D1']);
});

test('banks are down, refuse the captcha or show it later, as often as ordered', async (t) => {
  const { address } = await outside(t);
  const asked = keyOf((await send(address)).body);
  const codes = async (fault: object) => {
    await ask(address, 'POST', '/control/faults', { target: 'bank', ...fault });
    return [await lookUp(address, asked), await lookUp(address, asked)].map(
      ({ code, delaySeconds }) => delaySeconds ?? code,
    );
  };
  assert.deepEqual(await codes({ fault: 'bank-down' }), ['8503', '0000']);
  assert.deepEqual(await codes({ fault: 'decline', call: 'slip-lookup' }), ['8503', '0000']);
  assert.deepEqual(await codes({ fault: 'captcha', times: 2 }), ['8601', '8601']);
  assert.deepEqual(await codes({ fault: 'delayed', delayMs: 2500 }), [3, '0000']);
});

test('a slip without the zeros of its check sum, and one in the layout of the wallet app', async (t) => {
  const { address } = await outside(t);
  const short = (await send(address, { slip: 'short-crc' })).body;
  assert.match(short.slipPayload, /5102TH9104(?:0|[1-9A-F][0-9A-F]{0,2})$/);
  const other = (await send(address, { slip: 'truemoney' })).body;
  assert.match(other.slipPayload, /^00\d\d0002010102010203P2P03.*0408\d{8}9104[0-9a-f]{4}$/);
  assert.ok(other.slipPayload.includes(other.transRef));
  for (const { slipUrl } of [short, other])
    assert.equal((await fetch(slipUrl)).headers.get('content-type'), 'image/png');
});
