import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { ask, outside, until } from './harness.ts';

const OPERATOR_PHONE = '0800000001';
const MALI_WALLET = { phone: '0812345678', name: 'มะลิ สวนดี' };
const AUTH_HEADERS = { authorization: 'Bearer wallet-app-key' };

type GiftReply = { link: string; hash: string; voucherId: string; share: string; error?: string };
type VoucherReply = {
  status: { code: string };
  data: {
    voucher: { amount_baht: string; redeemed_amount_baht: string; status: string; available: number };
    my_ticket: { mobile: string; amount_baht: string } | null;
    tickets: { mobile: string }[];
  } | null;
};
type HistoryReply = {
  transactions: {
    cursor: string;
    type: string;
    transactionId: string;
    sender: { phone: string; name: string };
    amount: string;
    voucherId: string | null;
  }[];
  nextCursor: string;
  error?: string;
};

const transfer = (address: string, fields: object = {}) =>
  ask<{ transactionId: string; slipUrl: string; slipPayload: string; error?: string }>(
    address,
    'POST',
    '/wallet-app/transfer',
    {
      to: OPERATOR_PHONE,
      from: MALI_WALLET,
      amount: '100.00',
      ...fields,
    },
  );
const gift = async (address: string, fields: object = {}) =>
  (await ask<GiftReply>(address, 'POST', '/wallet-app/gift', { amount: '1000.00', from: MALI_WALLET, ...fields })).body;
const verifyGift = (address: string, hash: string, mobile = OPERATOR_PHONE) =>
  ask<VoucherReply>(address, 'GET', `/wallet-app-api/campaign/vouchers/${hash}/verify?mobile=${mobile}`);
const redeemGift = (address: string, hash: string, mobile = OPERATOR_PHONE, bodyHash = hash) =>
  ask<VoucherReply>(address, 'POST', `/wallet-app-api/campaign/vouchers/${hash}/redeem`, {
    mobile,
    voucher_hash: bodyHash,
  });
const readHistory = async (address: string, query = '') =>
  (await ask<HistoryReply>(address, 'GET', `/wallet-app-api/transactions${query}`, undefined, AUTH_HEADERS)).body;
const orderFault = (address: string, fault: object) =>
  ask(address, 'POST', '/control/faults', { target: 'wallet-app', ...fault });

function claimsOf(text: string): { isTrue: boolean; claims: Record<string, unknown> } {
  const { message } = JSON.parse(text) as { message: string };
  const [header = '', body = '', signature] = message.split('.');
  const expectedSignature = createHmac('sha256', 'wallet-app-webhook-secret')
    .update(`${header}.${body}`)
    .digest('base64url');
  return {
    isTrue: signature === expectedSignature,
    claims: JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>,
  };
}

test('a transfer to the operator is in the history, and a token without a number announces it in satang', async (t) => {
  const { address, listener } = await outside(t);
  const { body } = await transfer(address);
  const { transactions, nextCursor } = await readHistory(address);
  assert.deepEqual(
    transactions.map(({ type, transactionId, sender, amount }) => [type, transactionId, sender, amount]),
    [['P2P', body.transactionId, { phone: MALI_WALLET.phone, name: 'มะลิ ส' }, '100.00']],
  );
  assert.deepEqual((await readHistory(address, `?after=${nextCursor}`)).transactions, []);
  await until(() => listener.pushes.length === 1, 'the webhook');
  const { isTrue, claims } = claimsOf(listener.pushes[0]?.text ?? '');
  assert.equal(isTrue, true);
  assert.deepEqual(
    [claims['event_type'], claims['amount'], claims['sender_mobile']],
    ['P2P', 10_000, MALI_WALLET.phone],
  );
  assert.deepEqual(Object.keys(claims).sort(), [
    'amount',
    'event_type',
    'iat',
    'message',
    'received_time',
    'sender_mobile',
  ]);
  assert.match(body.slipPayload, new RegExp(`03\\d\\d${body.transactionId}0408\\d{8}9104[0-9a-f]{4}$`));
  assert.equal((await fetch(body.slipUrl)).headers.get('content-type'), 'image/png');
});

test("the wallet app's history needs the key, and refuses a cursor never issued", async (t) => {
  const { address } = await outside(t);
  assert.equal((await ask(address, 'GET', '/wallet-app-api/transactions')).status, 401);
  assert.equal((await readHistory(address, '?after=0000000000000009')).error, 'bad_cursor');
  assert.equal((await readHistory(address, '?after=x')).error, 'bad_cursor');
});

test('a gift link is redeemed once: the received amount is on our ticket, and the history names its voucher', async (t) => {
  const { address } = await outside(t);
  const newGift = await gift(address);
  assert.match(newGift.link, /^https:\/\/gift\.truemoney\.com\/campaign\/\?v=[A-Za-z0-9]{35}$/);
  const verification = (await verifyGift(address, newGift.hash)).body;
  assert.deepEqual(
    [verification.status.code, verification.data?.my_ticket, verification.data?.voucher.amount_baht],
    ['SUCCESS', null, '1,000.00'],
  );
  const redemptions = await Promise.all(Array.from({ length: 6 }, () => redeemGift(address, newGift.hash)));
  assert.deepEqual(redemptions.map(({ body }) => body.status.code).sort(), [
    'SUCCESS',
    ...Array<string>(5).fill('TARGET_USER_REDEEMED'),
  ]);
  assert.ok(
    redemptions.every(
      ({ body }) => body.data?.my_ticket?.amount_baht === '1,000.00' && body.data.my_ticket.mobile === '080-xxx-0001',
    ),
  );
  const { transactions } = await readHistory(address);
  assert.deepEqual(
    transactions.map(({ type, amount, voucherId }) => [type, amount, voucherId]),
    [['GIFT', '1000.00', newGift.voucherId]],
  );
});

test('a gift for several phones pays each number one share, the last one the rest, and no further ones', async (t) => {
  const { address } = await outside(t);
  const otherPhones = ['0811111111', '0822222222'];
  for (const phone of otherPhones) await ask(address, 'POST', '/wallet-app/wallets', { phone, name: 'Another' });
  const newGift = await gift(address, { amount: '10.00', members: 3 });
  await redeemGift(address, newGift.hash, otherPhones[0]);
  const ownRedemption = (await redeemGift(address, newGift.hash)).body;
  assert.deepEqual(
    [ownRedemption.data?.my_ticket?.amount_baht, ownRedemption.data?.voucher.redeemed_amount_baht],
    ['3.33', '6.66'],
  );
  assert.equal((await redeemGift(address, newGift.hash, otherPhones[1])).body.data?.my_ticket?.amount_baht, '3.34');
  await ask(address, 'POST', '/wallet-app/wallets', { phone: '0833333333', name: 'Late' });
  assert.equal((await redeemGift(address, newGift.hash, '0833333333')).body.status.code, 'VOUCHER_OUT_OF_STOCK');
});

test('every refusal of a gift has its own code and moves nothing', async (t) => {
  const { address } = await outside(t);
  const newGift = await gift(address);
  const expiredGift = await gift(address, { expiresInSeconds: 0 });
  const codes = await Promise.all([
    redeemGift(address, 'a'.repeat(35)),
    redeemGift(address, newGift.hash.slice(1)),
    redeemGift(address, newGift.hash, OPERATOR_PHONE, expiredGift.hash),
    redeemGift(address, newGift.hash, '0877777777'),
    redeemGift(address, newGift.hash, MALI_WALLET.phone),
    redeemGift(address, expiredGift.hash),
  ]);
  assert.deepEqual(
    codes.map(({ status, body }) => [status, body.status.code]),
    [
      [404, 'VOUCHER_NOT_FOUND'],
      [500, 'INTERNAL_ERROR'],
      [500, 'INTERNAL_ERROR'],
      [404, 'TARGET_USER_NOT_FOUND'],
      [400, 'CANNOT_GET_OWN_VOUCHER'],
      [400, 'VOUCHER_EXPIRED'],
    ],
  );
  assert.deepEqual((await readHistory(address)).transactions, []);
  assert.equal((await gift(address, { amount: '1.99' })).error, 'below_minimum');
});

test('verify returns the true outcome of a redemption whose reply was lost, malformed or a refusal', async (t) => {
  const { address } = await outside(t);
  const outcomes = [
    [{ fault: 'garbage' }, 'TARGET_USER_REDEEMED'],
    [{ fault: 'garbage', applied: false }, 'SUCCESS'],
    [{ fault: 'error-500', applied: true }, 'TARGET_USER_REDEEMED'],
    [{ fault: 'internal-error' }, 'SUCCESS'],
    [{ fault: 'internal-error', applied: true }, 'TARGET_USER_REDEEMED'],
    [{ fault: 'blocked' }, 'SUCCESS'],
    [{ fault: 'decline' }, 'SUCCESS'],
  ] as const;
  for (const [fault, code] of outcomes) {
    const { hash } = await gift(address, { amount: '20.00' });
    await orderFault(address, { ...fault, call: 'redeem' });
    await redeemGift(address, hash);
    assert.equal((await verifyGift(address, hash)).body.status.code, code, JSON.stringify(fault));
  }
  await orderFault(address, { fault: 'blocked' });
  const blockedReply = await verifyGift(address, (await gift(address)).hash);
  assert.deepEqual([blockedReply.status, typeof blockedReply.body], [403, 'string']);
});

test('wallet app webhooks can arrive twice, before the history, or forged', async (t) => {
  const { address, listener } = await outside(t);
  await orderFault(address, { fault: 'callback-twice' });
  await transfer(address);
  await until(() => listener.pushes.length === 2, 'two webhooks');
  assert.equal(listener.pushes[0]?.text, listener.pushes[1]?.text);
  await orderFault(address, { fault: 'callback-early', delayMs: 86_400_000 });
  await transfer(address, { amount: '5.00' });
  await until(() => listener.pushes.length === 3, 'the early webhook');
  assert.equal((await readHistory(address)).transactions.length, 1);
  await orderFault(address, { fault: 'callback-forged', amount: '777.00' });
  await transfer(address, { amount: '6.00' });
  await until(() => listener.pushes.length === 5, 'the genuine and the forged one');
  const callbacks = listener.pushes.slice(3).map(({ text }) => claimsOf(text));
  assert.deepEqual(
    new Map(callbacks.map(({ isTrue, claims }) => [claims['amount'], isTrue])),
    new Map([
      [600, true],
      [77_700, false],
    ]),
  );
});

test('wallet app balances and gifts add up to the deposited cash', async (t) => {
  const { address } = await outside(t);
  await transfer(address);
  const [openGift, takenGift] = [await gift(address, { members: 2 }), await gift(address)];
  await gift(address, { expiresInSeconds: 0, amount: '50.00' });
  await redeemGift(address, openGift.hash);
  await redeemGift(address, takenGift.hash);
  await verifyGift(address, takenGift.hash);
  const { body } = await ask<{ walletApp: Record<string, string> & { wallets: { phone: string; balance: string }[] } }>(
    address,
    'GET',
    '/control/totals',
  );
  const { wallets, ...sums } = body.walletApp;
  const toMinor = (text = '') => BigInt(text.replace('.', ''));
  const heldTotal = wallets.reduce((total, { balance }) => total + toMinor(balance), 0n);
  assert.equal(heldTotal + toMinor(sums['giftsOutstanding']), toMinor(sums['cash']));
  assert.equal(
    toMinor(sums['giftsMade']),
    toMinor(sums['giftsRedeemed']) + toMinor(sums['giftsReturned']) + toMinor(sums['giftsOutstanding']),
  );
  assert.deepEqual([sums['received'], sums['p2p'], sums['giftsReturned']], ['1600.00', '100.00', '50.00']);
  assert.equal(wallets.find(({ phone }) => phone === OPERATOR_PHONE)?.balance, '1600.00');
});
