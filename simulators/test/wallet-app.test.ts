import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { ask, outside, until } from './harness.ts';

const PHONE = '0800000001';
const MALI = { phone: '0812345678', name: 'มะลิ สวนดี' };
const KEY = { authorization: 'Bearer wallet-app-key' };

type Gift = { link: string; hash: string; voucherId: string; share: string; error?: string };
type Voucher = {
  status: { code: string };
  data: {
    voucher: { amount_baht: string; redeemed_amount_baht: string; status: string; available: number };
    my_ticket: { mobile: string; amount_baht: string } | null;
    tickets: { mobile: string }[];
  } | null;
};
type History = {
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
      to: PHONE,
      from: MALI,
      amount: '100.00',
      ...fields,
    },
  );
const gift = async (address: string, fields: object = {}) =>
  (await ask<Gift>(address, 'POST', '/wallet-app/gift', { amount: '1000.00', from: MALI, ...fields })).body;
const verify = (address: string, hash: string, mobile = PHONE) =>
  ask<Voucher>(address, 'GET', `/wallet-app-api/campaign/vouchers/${hash}/verify?mobile=${mobile}`);
const redeem = (address: string, hash: string, mobile = PHONE, named = hash) =>
  ask<Voucher>(address, 'POST', `/wallet-app-api/campaign/vouchers/${hash}/redeem`, { mobile, voucher_hash: named });
const history = async (address: string, query = '') =>
  (await ask<History>(address, 'GET', `/wallet-app-api/transactions${query}`, undefined, KEY)).body;
const order = (address: string, fault: object) =>
  ask(address, 'POST', '/control/faults', { target: 'wallet-app', ...fault });

function claimsOf(text: string): { isTrue: boolean; claims: Record<string, unknown> } {
  const { message } = JSON.parse(text) as { message: string };
  const [head = '', body = '', signature] = message.split('.');
  const right = createHmac('sha256', 'wallet-app-webhook-secret').update(`${head}.${body}`).digest('base64url');
  return {
    isTrue: signature === right,
    claims: JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>,
  };
}

test('a transfer to the operator is in the history, and a token without a number announces it in satang', async (t) => {
  const { address, listener } = await outside(t);
  const { body } = await transfer(address);
  const { transactions, nextCursor } = await history(address);
  assert.deepEqual(
    transactions.map(({ type, transactionId, sender, amount }) => [type, transactionId, sender, amount]),
    [['P2P', body.transactionId, { phone: MALI.phone, name: 'มะลิ ส' }, '100.00']],
  );
  assert.deepEqual((await history(address, `?after=${nextCursor}`)).transactions, []);
  await until(() => listener.pushes.length === 1, 'the webhook');
  const { isTrue, claims } = claimsOf(listener.pushes[0]?.text ?? '');
  assert.equal(isTrue, true);
  assert.deepEqual([claims['event_type'], claims['amount'], claims['sender_mobile']], ['P2P', 10_000, MALI.phone]);
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

test('the history needs the key, and refuses a cursor that it never issued', async (t) => {
  const { address } = await outside(t);
  assert.equal((await ask(address, 'GET', '/wallet-app-api/transactions')).status, 401);
  assert.equal((await history(address, '?after=0000000000000009')).error, 'bad_cursor');
  assert.equal((await history(address, '?after=x')).error, 'bad_cursor');
});

test('a gift link is redeemed once: the received amount is on our ticket, and the history names its voucher', async (t) => {
  const { address } = await outside(t);
  const made = await gift(address);
  assert.match(made.link, /^https:\/\/gift\.truemoney\.com\/campaign\/\?v=[A-Za-z0-9]{35}$/);
  const seen = (await verify(address, made.hash)).body;
  assert.deepEqual(
    [seen.status.code, seen.data?.my_ticket, seen.data?.voucher.amount_baht],
    ['SUCCESS', null, '1,000.00'],
  );
  const all = await Promise.all(Array.from({ length: 6 }, () => redeem(address, made.hash)));
  assert.deepEqual(all.map(({ body }) => body.status.code).sort(), [
    'SUCCESS',
    ...Array<string>(5).fill('TARGET_USER_REDEEMED'),
  ]);
  assert.ok(
    all.every(
      ({ body }) => body.data?.my_ticket?.amount_baht === '1,000.00' && body.data.my_ticket.mobile === '080-xxx-0001',
    ),
  );
  const { transactions } = await history(address);
  assert.deepEqual(
    transactions.map(({ type, amount, voucherId }) => [type, amount, voucherId]),
    [['GIFT', '1000.00', made.voucherId]],
  );
});

test('a shared gift pays each phone number one share, the last one the remainder, and further ones nothing', async (t) => {
  const { address } = await outside(t);
  const others = ['0811111111', '0822222222'];
  for (const phone of others) await ask(address, 'POST', '/wallet-app/wallets', { phone, name: 'Another' });
  const made = await gift(address, { amount: '10.00', members: 3 });
  await redeem(address, made.hash, others[0]);
  const ours = (await redeem(address, made.hash)).body;
  assert.deepEqual([ours.data?.my_ticket?.amount_baht, ours.data?.voucher.redeemed_amount_baht], ['3.33', '6.66']);
  assert.equal((await redeem(address, made.hash, others[1])).body.data?.my_ticket?.amount_baht, '3.34');
  await ask(address, 'POST', '/wallet-app/wallets', { phone: '0833333333', name: 'Late' });
  assert.equal((await redeem(address, made.hash, '0833333333')).body.status.code, 'VOUCHER_OUT_OF_STOCK');
});

test('every refusal of a gift has its own code and moves nothing', async (t) => {
  const { address } = await outside(t);
  const made = await gift(address);
  const expired = await gift(address, { expiresInSeconds: 0 });
  const codes = await Promise.all([
    redeem(address, 'a'.repeat(35)),
    redeem(address, made.hash.slice(1)),
    redeem(address, made.hash, PHONE, expired.hash),
    redeem(address, made.hash, '0877777777'),
    redeem(address, made.hash, MALI.phone),
    redeem(address, expired.hash),
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
  assert.deepEqual((await history(address)).transactions, []);
  assert.equal((await gift(address, { amount: '1.99' })).error, 'below_minimum');
});

test('verify returns the true outcome of a redeem whose answer was lost, malformed or a refusal', async (t) => {
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
    await order(address, { ...fault, call: 'redeem' });
    await redeem(address, hash);
    assert.equal((await verify(address, hash)).body.status.code, code, JSON.stringify(fault));
  }
  await order(address, { fault: 'blocked' });
  const blocked = await verify(address, (await gift(address)).hash);
  assert.deepEqual([blocked.status, typeof blocked.body], [403, 'string']);
});

test('webhooks arrive twice, before the history, or forged', async (t) => {
  const { address, listener } = await outside(t);
  await order(address, { fault: 'callback-twice' });
  await transfer(address);
  await until(() => listener.pushes.length === 2, 'two webhooks');
  assert.equal(listener.pushes[0]?.text, listener.pushes[1]?.text);
  await order(address, { fault: 'callback-early', delayMs: 86_400_000 });
  await transfer(address, { amount: '5.00' });
  await until(() => listener.pushes.length === 3, 'the early webhook');
  assert.equal((await history(address)).transactions.length, 1);
  await order(address, { fault: 'callback-forged', amount: '777.00' });
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

test('wallets and gifts add up to the cash paid in', async (t) => {
  const { address } = await outside(t);
  await transfer(address);
  const [open, taken] = [await gift(address, { members: 2 }), await gift(address)];
  await gift(address, { expiresInSeconds: 0, amount: '50.00' });
  await redeem(address, open.hash);
  await redeem(address, taken.hash);
  await verify(address, taken.hash);
  const { body } = await ask<{ walletApp: Record<string, string> & { wallets: { phone: string; balance: string }[] } }>(
    address,
    'GET',
    '/control/totals',
  );
  const { wallets, ...sums } = body.walletApp;
  const minor = (text = '') => BigInt(text.replace('.', ''));
  const held = wallets.reduce((sum, { balance }) => sum + minor(balance), 0n);
  assert.equal(held + minor(sums['giftsOutstanding']), minor(sums['cash']));
  assert.equal(
    minor(sums['giftsMade']),
    minor(sums['giftsRedeemed']) + minor(sums['giftsReturned']) + minor(sums['giftsOutstanding']),
  );
  assert.deepEqual([sums['received'], sums['p2p'], sums['giftsReturned']], ['1600.00', '100.00', '50.00']);
  assert.equal(wallets.find(({ phone }) => phone === PHONE)?.balance, '1600.00');
});
