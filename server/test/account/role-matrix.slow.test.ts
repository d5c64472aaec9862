import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type EndpointName, endpoints } from '@krapao/contract/endpoints';
import { customer, until } from '../deposit/qrcode/qr-fixtures.ts';
import { newAccountNo, registerMember, type TestMember } from '../harness/members.ts';
import { takeSlipsNow } from '../harness/operator.ts';
import { assertRefused } from '../harness/refused.ts';
import { startSystem, type System } from '../harness/system.ts';
import { ended, sendSlip, slipImage } from '../deposit/slip/slip-fixtures.ts';
import { giveCoins, money, onlyWheel, publish, spinOnce } from '../spinwheel/wheel-world.ts';
import { attempts, type Owner } from './role-attempts.ts';

let system: System;
before(async () => {
  system = await startSystem();
  // At every hour: around midnight no slips are taken, and another member's could not be tried.
  await takeSlipsNow(system);
});
after(() => system.stop());

const names = Object.keys(endpoints) as EndpointName[];
const memberCalls = names.filter((name) => endpoints[name].access === 'member') as (keyof typeof attempts)[];
const somewhere = { slotCode: 'pg', provider: 'pg', username: 'x', password: 'x', bankCode: 'KBANK', qrcodeId: 'x' };

const VISITORS_MAY = [
  ...names.filter((name) => name.startsWith('GET /api/lookup/')),
  'POST /api/login',
  'POST /api/account/validate',
  'POST /api/account',
  'POST /api/otp/send',
  'POST /api/otp/verify',
];

test('visitors may look up, prove a phone, register and log in, and nothing else [R-ROLE-01]', async () => {
  assert.deepEqual(
    names.filter((name) => endpoints[name].access === 'public'),
    VISITORS_MAY,
  );
  for (const name of VISITORS_MAY) {
    for (const token of [undefined, 'made-up']) {
      const { status, body } = await system.api(name, { token, body: name.startsWith('GET') ? undefined : {} });
      assert.notEqual(body.message, 'UNAUTHORIZED', name);
      assert.notEqual(body.message, 'invalid-token', name);
      assert.ok(status < 500 && status !== 404, `${name} ${status}`);
    }
  }
});

for (const name of memberCalls) {
  test(`${name} is refused without a session [R-ROLE-01]`, async () => {
    const options = { params: somewhere, body: name.startsWith('GET') ? undefined : {} };
    assertRefused(await system.api(name, options), 'UNAUTHORIZED');
    assertRefused(await system.api(name, { ...options, token: 'q'.repeat(43) }), 'invalid-token');
    assertRefused(await system.api(name, { ...options, marker: false }), 'UNAUTHORIZED');
  });
}

// What customers can't do to each other is in the tests of the chat.
for (const name of names.filter((one) => endpoints[one].access === 'customer')) {
  test(`${name} is refused to a caller that is neither a member nor a visitor [R-ROLE-01]`, async () => {
    const message = { message_type: 'text', payload: { text: 'hello' } };
    const options = { body: name.startsWith('GET') ? undefined : { message } };
    const guest = (shown: string) => system.api(name, { ...options, headers: { authorization: `Guest ${shown}` } });
    // What the chat is like, anyone may know.
    if (name !== 'GET /api/chat/config') assertRefused(await system.api(name, options), 'KEY_MISSING');
    assertRefused(await system.api(name, { ...options, token: 'q'.repeat(43) }), 'invalid-token');
    assertRefused(await guest(`${'0'.repeat(32)}.${'q'.repeat(43)}`), 'KEY_INVALID');
    assertRefused(await guest('admin'), 'KEY_INVALID');
  });
}

/** A member who has something of everything. */
async function rich(): Promise<Owner> {
  const member = await registerMember(system, { name: 'Owner', bankAccountName: 'OWNER ALONE' });
  const { token } = member;
  const { create, pay, deposits } = customer(system, member);
  const paid = await create(100);
  assert.equal((await pay(paid.body.payload)).status, 200);
  await until(deposits, (list) => list.length === 1, 'the deposit is in the statement');
  const game = await system.api('GET /api/wallet/activate/{slotCode}', { token, params: { slotCode: 'pg' } });
  assert.equal(game.status, 200, JSON.stringify(game.body));
  const transfer = { from: 'WALLET', to: 'pg', amount: 20 };
  const key = `owners-key-${newAccountNo()}`;
  const moved = await system.api('POST /api/wallet/transfer', { token, body: transfer, idempotencyKey: key });
  assert.equal(moved.status, 200, JSON.stringify(moved.body));
  const notice = { amount: 35 };
  const noticeKey = `owners-notice-${newAccountNo()}`;
  const created = await system.api('POST /api/wallet/add', { token, body: notice, idempotencyKey: noticeKey });
  assert.equal(created.status, 200, JSON.stringify(created.body));
  const slip = await ended(system, token, await sendSlip(system, token, await slipImage('not a slip')));
  const pending = await create(35);
  assert.equal(pending.body.hasQrcode, true);
  const spin = { key: `owners-spin-${newAccountNo()}`, id: '' };
  await publish(system, onlyWheel(money('20.00')));
  await giveCoins(system, member.id, 2);
  spin.id = (await spinOnce(system, member, spin.key)).spinId;
  return {
    ...member,
    spin,
    qrcodeId: pending.body.qrcodeId,
    paidQrcodeId: paid.body.qrcodeId,
    game: { code: 'pg', username: game.body.username, password: game.body.password },
    transfer: { body: transfer, key, reference: moved.body.reference },
    notice: { body: notice, key: noticeKey, reference: created.body.reference },
    slip: { reference: slip.reference },
  };
}

/** Everything that a member can see of themselves. */
async function pictureOf({ token }: TestMember): Promise<unknown> {
  const wallet = (await system.api('GET /api/wallet', { token })).body;
  delete wallet.updatedAt;
  return {
    wallet,
    profile: (await system.api('GET /api/account/profile', { token })).body,
    qrcode: (await system.api('GET /api/qrcode/{bankCode}', { token, params: { bankCode: 'KBANK' } })).body,
    credentials: (await system.api('GET /api/wallet/account/{slotCode}', { token, params: { slotCode: 'pg' } })).body,
    statement: (await system.api('POST /api/statement', { token, body: { limit: 100 } })).body,
    slips: (await system.api('POST /api/statement/slip', { token, body: { limit: 100 } })).body,
    wheel: (await system.api('GET /api/spinwheel/setup', { token })).body,
    coupons: (await system.api('GET /api/spinwheel/coupon', { token })).body,
    spins: (await system.api('POST /api/spinwheel/spins', { token, body: { limit: 100 } })).body,
  };
}

for (const [who, hasGame] of [
  ['a stranger with nothing', false],
  ['a stranger with a game account of their own', true],
] as const) {
  test(`${who} neither sees nor changes another member's things by any call [R-ROLE-01]`, async () => {
    const owner = await rich();
    const before = await pictureOf(owner);
    const secrets = [
      owner.id,
      owner.phone,
      owner.token,
      owner.bankAccountNo,
      owner.bankAccountName,
      owner.qrcodeId,
      owner.game.username,
      owner.game.password,
      owner.transfer.reference,
      owner.notice.reference,
      owner.slip.reference,
      owner.spin.id,
    ];
    for (const name of memberCalls) {
      // A stranger for each call: one of the calls ends the session.
      const { token } = await registerMember(system, { name: 'Stranger' });
      if (hasGame) await system.api('GET /api/wallet/activate/{slotCode}', { token, params: { slotCode: 'pg' } });
      for (const options of attempts[name](owner)) {
        const { status, body } = await system.api(name, { ...options, token });
        const text = JSON.stringify(body);
        assert.ok(status < 500, `${name} ${status} ${text}`);
        for (const secret of secrets) assert.ok(!text.includes(secret), `${name} told ${secret}: ${text}`);
      }
    }
    assert.deepEqual(await pictureOf(owner), before);
  });
}
