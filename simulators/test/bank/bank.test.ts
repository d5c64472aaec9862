import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inflateSync } from 'node:zlib';
import jsQR from 'jsqr';
import { ask, newCode, OPERATOR, outside, type Paid, payQr, PERSON } from '../harness.ts';

const postTransfer = (address: string, fields: object = {}) =>
  ask<Paid>(address, 'POST', '/bank/transfer', { from: PERSON, to: OPERATOR, amount: '250.75', ...fields });

type AccountReply = {
  balance: string;
  transfers: { direction: string; amount: string; other: { accountNo: string } }[];
};

/** Grey values for a QR reader, from a PNG with three bytes per pixel and unfiltered lines, as the simulators draw. */
function pixelsOf(png: Buffer): { data: Uint8ClampedArray; width: number; height: number } {
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)];
  const dataChunks: Buffer[] = [];
  for (let offset = 8; offset < png.length; offset += 12 + png.readUInt32BE(offset)) {
    if (png.toString('ascii', offset + 4, offset + 8) === 'IDAT')
      dataChunks.push(png.subarray(offset + 8, offset + 8 + png.readUInt32BE(offset)));
  }
  const scanlines = inflateSync(Buffer.concat(dataChunks));
  const data = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++)
      data.set(
        scanlines.subarray(y * (width * 3 + 1) + 1 + x * 3, y * (width * 3 + 1) + 4 + x * 3),
        (y * width + x) * 4,
      );
  }
  return { data, width, height };
}

test('a transfer moves money between accounts, and both show it with the other account masked', async (t) => {
  const { address } = await outside(t);
  assert.equal((await postTransfer(address)).status, 200);
  const sender = (await ask<AccountReply>(address, 'GET', '/bank/accounts/SCB/1234567890')).body;
  const receiver = (await ask<AccountReply>(address, 'GET', '/bank/accounts/KBANK/0987654321')).body;
  assert.deepEqual([sender.balance, receiver.balance], ['999749.25', '10000250.75']);
  assert.deepEqual([sender.transfers[0]?.direction, sender.transfers[0]?.other.accountNo], ['out', 'xxx-x-x5432-x']);
  assert.deepEqual([receiver.transfers[0]?.direction, receiver.transfers[0]?.amount], ['in', '250.75']);
});

test('a slip is a PNG whose QR identifies the sending bank and the transfer', async (t) => {
  const { address } = await outside(t);
  const { transferId, slipUrl, slipPayload } = (await postTransfer(address)).body;
  const png = Buffer.from(await (await fetch(slipUrl)).arrayBuffer());
  const { data, width, height } = pixelsOf(png);
  // In this CommonJS package TypeScript sees the function as `default.default`; at run time it is `default`.
  const read = (jsQR as unknown as typeof jsQR.default)(data, width, height);
  assert.equal(read?.data, slipPayload);
  assert.ok(slipPayload.includes(transferId));
  assert.ok(slipPayload.startsWith('004400060000010103014') || slipPayload.includes('0103014'));
});

test('unknown receivers, insufficient money and invalid amounts are refused and move nothing', async (t) => {
  const { address } = await outside(t);
  assert.equal(
    (await postTransfer(address, { to: { bankCode: 'SCB', accountNo: '1112223334' } })).body.error,
    'unknown_account',
  );
  assert.equal((await postTransfer(address, { amount: '1000000.01' })).body.error, 'not_enough_money');
  for (const amount of ['0', '-5', '1.234', 0.001, null, '1,000'])
    assert.equal((await postTransfer(address, { amount })).status, 400);
  assert.equal((await postTransfer(address, { to: PERSON })).body.error, 'same_account');
  assert.equal(
    (await ask<AccountReply>(address, 'GET', '/bank/accounts/KBANK/0987654321')).body.balance,
    '10000000.00',
  );
});

test('a bank app pays only codes that a gateway issued', async (t) => {
  const { address } = await outside(t);
  const { qrCode } = await newCode(address, 'D1');
  assert.equal((await payQr(address, 'garbage')).body.error, 'bad_payload');
  assert.equal((await payQr(address, `${qrCode.slice(0, -4)}0000`)).body.error, 'bad_payload');
  const promptPay = '00020101021229370016A0000006770101110113006680111111153037645802TH540520.15630442BE';
  assert.equal((await payQr(address, promptPay)).body.error, 'unknown_payee');
  const scannedQr = await ask<{ payee: string; amount: string; status: string }>(address, 'POST', '/bank/read-qr', {
    payload: qrCode,
  });
  assert.deepEqual(
    [scannedQr.body.payee, scannedQr.body.amount, scannedQr.body.status],
    ['KRAPAO', '100.00', 'REQUESTED'],
  );
  assert.equal((await payQr(address, qrCode)).status, 200);
  assert.equal((await payQr(address, qrCode)).body.error, 'qr_paid');
});
