import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type EndpointName, endpoints } from '@krapao/contract/endpoints';
import { qrCustomer, waitUntil } from '../deposit/qrcode/qr-fixtures.ts';
import { waitForSlipEnd, sendSlip, slipImage } from '../deposit/slip/slip-fixtures.ts';
import { assertRefused } from '../harness/assert-refused.ts';
import { newAccountNo, registerMember, type TestMember } from '../harness/members.ts';
import { openSlipDeposits } from '../harness/operator.ts';
import { startSystem, type System } from '../harness/system.ts';
import { subscribeBrowser, waitForNotices } from '../notification/push-fixtures.ts';
import { giveCoins, moneyPrize, singlePrizeWheel, publishTestWheel, spinOnce } from '../spinwheel/wheel-fixtures.ts';
import { foreignResourceRequests, type ResourceOwner } from './role-attempts.ts';

let system: System;
before(async () => {
  system = await startSystem();
  // Opens slip deposits at any hour: around midnight they are closed, and attempts would not be tested.
  await openSlipDeposits(system);
});
after(() => system.stop());

const names = Object.keys(endpoints) as EndpointName[];
const memberCalls = names.filter(
  (name) => endpoints[name].access === 'member',
) as (keyof typeof foreignResourceRequests)[];
const exampleParams = {
  slotCode: 'pg',
  provider: 'pg',
  username: 'x',
  password: 'x',
  bankCode: 'KBANK',
  qrcodeId: 'x',
  code: '00000000',
};

const VISITOR_CALLS = [
  ...names.filter((name) => name.startsWith('GET /api/lookup/')),
  'POST /api/login',
  'POST /api/account/validate',
  'POST /api/account',
  'POST /api/otp/send',
  'POST /api/otp/verify',
  'GET /api/invite/inviter/{code}',
];

test('visitors may call look-ups, phone proof, inviter, registration and login, and nothing else [R-ROLE-01]', async () => {
  assert.deepEqual(
    names.filter((name) => endpoints[name].access === 'public'),
    VISITOR_CALLS,
  );
  for (const name of VISITOR_CALLS) {
    for (const token of [undefined, 'made-up']) {
      const { status, body } = await system.api(name, {
        token,
        params: exampleParams,
        body: name.startsWith('GET') ? undefined : {},
      });
      assert.notEqual(body.message, 'UNAUTHORIZED', name);
      assert.notEqual(body.message, 'invalid-token', name);
      assert.ok(status < 500 && status !== 404, `${name} ${status}`);
    }
  }
});

for (const name of memberCalls) {
  test(`${name} is refused without a session [R-ROLE-01]`, async () => {
    const options = { params: exampleParams, body: name.startsWith('GET') ? undefined : {} };
    assertRefused(await system.api(name, options), 'UNAUTHORIZED');
    assertRefused(await system.api(name, { ...options, token: 'q'.repeat(43) }), 'invalid-token');
    assertRefused(await system.api(name, { ...options, hasMarkerHeader: false }), 'UNAUTHORIZED');
  });
}

// The chat's tests cover attempts between customers.
for (const name of names.filter((name) => endpoints[name].access === 'customer')) {
  test(`${name} is refused to a caller that is neither a member nor a visitor [R-ROLE-01]`, async () => {
    const message = { message_type: 'text', payload: { text: 'hello' } };
    const options = { body: name.startsWith('GET') ? undefined : { message } };
    const callAsGuest = (guestId: string) =>
      system.api(name, { ...options, headers: { authorization: `Guest ${guestId}` } });
    // The chat's configuration is public.
    if (name !== 'GET /api/chat/config') assertRefused(await system.api(name, options), 'KEY_MISSING');
    assertRefused(await system.api(name, { ...options, token: 'q'.repeat(43) }), 'invalid-token');
    assertRefused(await callAsGuest(`${'0'.repeat(32)}.${'q'.repeat(43)}`), 'KEY_INVALID');
    assertRefused(await callAsGuest('admin'), 'KEY_INVALID');
  });
}

/** Registers a member with every kind of resource. */
async function registerResourceOwner(): Promise<ResourceOwner> {
  const member = await registerMember(system, { name: 'Owner', bankAccountName: 'OWNER ALONE' });
  const { token } = member;
  const { create, pay, deposits } = qrCustomer(system, member);
  const paidCode = await create(100);
  assert.equal((await pay(paidCode.body.payload)).status, 200);
  await waitUntil(deposits, (amounts) => amounts.length === 1, 'the deposit is in the statement');
  const game = await system.api('GET /api/wallet/activate/{slotCode}', { token, params: { slotCode: 'pg' } });
  assert.equal(game.status, 200, JSON.stringify(game.body));
  const transfer = { from: 'WALLET', to: 'pg', amount: 20 };
  const key = `owners-key-${newAccountNo()}`;
  const transferReply = await system.api('POST /api/wallet/transfer', { token, body: transfer, idempotencyKey: key });
  assert.equal(transferReply.status, 200, JSON.stringify(transferReply.body));
  const announcement = { amount: 35 };
  const announcementKey = `owners-announcement-${newAccountNo()}`;
  const createReply = await system.api('POST /api/wallet/add', {
    token,
    body: announcement,
    idempotencyKey: announcementKey,
  });
  assert.equal(createReply.status, 200, JSON.stringify(createReply.body));
  const slip = await waitForSlipEnd(system, token, await sendSlip(system, token, await slipImage('not a slip')));
  const pendingCode = await create(35);
  assert.equal(pendingCode.body.hasQrcode, true);
  const push = await subscribeBrowser(system, member);
  // Of the deposit and the refused slip.
  await waitForNotices(system, member, 2);
  const spin = { key: `owners-spin-${newAccountNo()}`, id: '' };
  await publishTestWheel(system, singlePrizeWheel(moneyPrize('20.00')));
  await giveCoins(system, member.id, 2);
  spin.id = (await spinOnce(system, member, spin.key)).spinId;
  return {
    ...member,
    spin,
    qrcodeId: pendingCode.body.qrcodeId,
    paidQrcodeId: paidCode.body.qrcodeId,
    game: { code: 'pg', username: game.body.username, password: game.body.password },
    transfer: { body: transfer, key, reference: transferReply.body.reference },
    announcement: { body: announcement, key: announcementKey, reference: createReply.body.reference },
    slip: { reference: slip.reference },
    push,
  };
}

/** Reads everything that a member can see about themselves. */
async function readMemberState({ token }: TestMember): Promise<unknown> {
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
    notices: (await system.api('POST /api/notices', { token, body: { limit: 100 } })).body,
    push: (await system.api('GET /api/push/subscription', { token })).body,
  };
}

for (const [role, hasGame] of [
  ['a stranger with nothing', false],
  ['a stranger with a game account of their own', true],
] as const) {
  test(`${role} neither reads nor changes another member's data by any call [R-ROLE-01]`, async () => {
    const owner = await registerResourceOwner();
    const before = await readMemberState(owner);
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
      owner.announcement.reference,
      owner.slip.reference,
      owner.spin.id,
    ];
    for (const name of memberCalls) {
      // A new member for each call, because one of the calls ends the session.
      const { token } = await registerMember(system, { name: 'Stranger' });
      if (hasGame) await system.api('GET /api/wallet/activate/{slotCode}', { token, params: { slotCode: 'pg' } });
      for (const options of foreignResourceRequests[name](owner)) {
        const { status, body } = await system.api(name, { ...options, token });
        const text = JSON.stringify(body);
        assert.ok(status < 500, `${name} ${status} ${text}`);
        for (const secret of secrets) assert.ok(!text.includes(secret), `${name} told ${secret}: ${text}`);
      }
    }
    assert.deepEqual(await readMemberState(owner), before);
  });
}
