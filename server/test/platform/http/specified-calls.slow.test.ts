import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import sharp from 'sharp';
import { z } from 'zod';
import type { Ledger } from '../../../src/ledger/index.ts';
import { uploadFiles } from '../../chat/file-fixtures.ts';
import { qrImage, uploadSlips } from '../../deposit/slip/slip-fixtures.ts';
import { encryptGiftLink } from '../../deposit/truelink/gift-link.ts';
import type { ApiOptions, ApiReply } from '../../harness/api-client.ts';
import { waitUntilResult, openGame } from '../../harness/games.ts';
import {
  newAccountNo,
  readNewestSms,
  newPhone,
  registerMember,
  registrationBody,
  type TestMember,
  verifyPhone,
} from '../../harness/members.ts';
import { fundWallet, createTestLedger } from '../../harness/money.ts';
import { openSlipDeposits } from '../../harness/operator.ts';
import { startSystem, type System } from '../../harness/system.ts';
import {
  text,
  nonEmpty,
  amount,
  isoDateTime,
  object,
  listOf,
  banner,
  profileShape,
  bankAccount,
  credentialsShape,
  message,
  link,
  qrcodeShape,
  userBonus,
  slot,
  LOOKUP_SHAPES,
} from './specified-shapes.ts';

/**
 * The calls of section 7 of the specification with the shapes of its section 3. Derived from the specification, not
 * from the contract, so that errors of the contract fail here. Calls that are refused here succeed in
 * `specified-gifts.slow.test.ts`.
 */

const GAMES_BY_USERNAME = ['pg', 'betflix', 'areaslot', 'joker2', 'huayhd'] as const;
const GAMES_BY_PASSWORD = ['askmebet', 'imi', 'usun', 'circus', 'slotracha', 'pgslot'] as const;

let system: System;
let ledger: Ledger;
let member: TestMember;
before(async () => {
  system = await startSystem();
  await openSlipDeposits(system);
  ledger = createTestLedger(system);
  member = await registerMember(system);
  await fundWallet(ledger, member.id, '5000');
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

const callAsMember = (call: string, options: ApiOptions = {}): Promise<ApiReply> =>
  system.api(call, { token: member.token, ...options });

/** Asserts success with a body of this shape. @returns the body */
async function expectOk(call: string, shape: z.ZodType, options: ApiOptions = {}): Promise<ApiReply['body']> {
  const { status, body } = await callAsMember(call, options);
  assert.ok(status === 200 || status === 202, `${call}: ${status} ${JSON.stringify(body)}`);
  const { error } = shape.safeParse(body);
  assert.equal(error, undefined, `${call}: ${error ? z.prettifyError(error) : ''}`);
  return body;
}

/** Asserts that the call refuses with its code of section 8. */
async function assertRefuses(call: string, code: string, options: ApiOptions = {}): Promise<void> {
  const { status, body } = await callAsMember(call, options);
  assert.ok(status >= 400 && status < 500, `${call}: ${status}`);
  assert.equal(body.message, code, call);
}

describe('the calls of section 7 at their methods and paths, with the shapes of section 3', () => {
  for (const [name, shape] of Object.entries(LOOKUP_SHAPES)) {
    test(`GET /api/lookup/${name} is served as specified [R-NET-01]`, async () => {
      await expectOk(`GET /api/lookup/${name}`, shape, { token: undefined });
    });
  }

  test('account and login calls are served as specified [R-NET-01]', async () => {
    const registration = registrationBody();
    const username = registration.username ?? '';
    const otpShape = object({ otpRef: nonEmpty, otpToken: nonEmpty, code: nonEmpty });
    const phone = newPhone();
    const otpBody = await expectOk('POST /api/otp/send', otpShape, { body: { phoneNumber: phone } });
    const otpCode = (await readNewestSms(system, phone))?.code;
    await expectOk('POST /api/otp/verify', object({}), { body: { otpToken: otpBody.otpToken, otpCode } });
    await verifyPhone(system, username);
    await expectOk('POST /api/account/validate', object({}), { body: registration });
    await expectOk('POST /api/account', object({}), { body: registration });
    const { password } = registration;
    const { token } = await expectOk('POST /api/login', object({ token: nonEmpty }), {
      body: { username, password },
    });
    const options = { token };
    const account = object({ profile: profileShape, bankAccount });
    await expectOk('GET /api/account/profile', account, options);
    const body = { name: 'นกน้อย', bankCode: 'KTB', bankAccountName: 'NOK JAIDEE', bankAccountNo: newAccountNo() };
    assert.equal((await expectOk('PUT /api/account/profile', account, { ...options, body })).profile.name, 'นกน้อย');
    const renamedAccount = { bankCode: 'KTB', bankAccountName: 'NOK JAIDEE' };
    await expectOk('PUT /api/account/bankAccountName', object({}), { ...options, body: renamedAccount });
    const passwordChange = { oldPassword: password, newPassword: 'another-basket-28' };
    await expectOk('PUT /api/account/changepwd', object({}), { ...options, body: passwordChange });
  });
});

describe('the calls of section 7 that move money', () => {
  test('wallet, game account and transfer calls are served as specified [R-NET-01]', async () => {
    const wallet = object({
      profile: object({ name: text, username: text, coin: z.number(), _id: text }),
      bankAccount,
      wallet: object({ amount }),
      invite: object({ amount, success: z.number(), fail: z.number() }),
      slots: listOf(slot).min(1),
    });
    await expectOk('GET /api/wallet', wallet);
    await expectOk('GET /api/wallet/refresh/slot', object({}));
    const params = { slotCode: 'pg' };
    await expectOk('GET /api/wallet/activate/{slotCode}', credentialsShape, { params });
    await expectOk('GET /api/wallet/account/{slotCode}', credentialsShape, { params });
    await expectOk('GET /api/wallet/resetpassword/{slotCode}', credentialsShape, { params });
    await expectOk('POST /api/wallet/add', object({}), { body: { amount: 100 } });
    await expectOk('POST /api/wallet/transfer', object({}), { body: { from: 'WALLET', to: 'pg', amount: 10 } });
    await expectOk('POST /api/wallet/transferAll', object({}), { body: { to: 'pg' } });
  });

  test('both withdrawal calls are served as specified [R-NET-01]', async () => {
    const { withdrawMin } = (await system.api('GET /api/lookup/withdraw')).body;
    for (const call of ['POST /api/wallet/withdraw', 'POST /api/wallet/withdrawAll']) {
      const otherMember = await registerMember(system);
      await fundWallet(ledger, otherMember.id, '5000');
      await expectOk(call, object({}), { token: otherMember.token, body: { amount: withdrawMin } });
    }
  });

  test('QR code calls of every gateway are served as specified [R-NET-01]', async () => {
    for (const bankCode of ['KBANK', 'WW', 'FP', 'PAYONEX']) {
      const params = { bankCode };
      const createdCode = await expectOk('POST /api/qrcode/{bankCode}', qrcodeShape, {
        params,
        body: { amount: 100 },
      });
      const currentCode = await expectOk('GET /api/qrcode/{bankCode}', qrcodeShape, { params });
      assert.equal(currentCode.qrcodeId, createdCode.qrcodeId);
      await expectOk('DELETE /api/qrcode/{qrcodeId}', object({}), { params: { qrcodeId: createdCode.qrcodeId } });
      const noCodeShape = object({ hasQrcode: z.literal(false) });
      await expectOk('GET /api/qrcode/{bankCode}', noCodeShape, { params });
    }
  });
});

describe('the calls of section 7, what is received and played', () => {
  test('slip and gift link calls are served as specified [R-NET-01]', async () => {
    const file = await qrImage('not a slip', 300);
    const { status, body } = await uploadSlips(system, member.token, {
      bytes: file,
      name: 'slip.png',
      type: 'image/png',
    });
    assert.equal(status, 200, JSON.stringify(body));
    const { slips } = await expectOk(
      'POST /api/statement/slip',
      object({
        slips: listOf(
          object({
            createdAt: isoDateTime,
            amount: amount.nullable(),
            status: text,
            note: text.nullable(),
            link: text.nullable(),
            reference: text,
          }),
        ).min(1),
      }),
      { body: { page: 1, limit: 10 } },
    );
    const params = { reference: slips[0].reference as string };
    const slipCall = 'GET /api/statement/slip/reference/{reference}';
    // The server prepares the image in the background.
    await waitUntilResult(
      'the picture',
      () => callAsMember(slipCall, { params }),
      ({ status: now }) => now === 200,
    );
    await expectOk(slipCall, object({ url: z.url() }), { params });
    await assertRefuses('POST /api/wallet/truelink', 'TRUELINK_INVALID', {
      body: { link: encryptGiftLink('https://no.gift/of/ours') },
    });
  });

  test('launch calls of games at eleven providers of two kinds are served as specified [R-NET-01]', async () => {
    const player = await registerMember(system);
    const playerOptions = { token: player.token };
    for (const provider of [...GAMES_BY_USERNAME, ...GAMES_BY_PASSWORD]) {
      const { username, password } = await openGame(system, player.token, provider);
      const isShort = GAMES_BY_USERNAME.some((providerName) => providerName === provider);
      const launchCall = `GET /api/autoLogin/{provider}/{username}${isShort ? '' : '/{password}'}`;
      await expectOk(launchCall, link, { ...playerOptions, params: { provider, username, password } });
    }
  });
});

describe('the calls of section 7 about invites, refunds and bonuses', () => {
  test('invite and refund calls are served as specified [R-NET-01]', async () => {
    const page = { body: { page: 1, limit: 10 } };
    await registerMember(system, { inviteCode: `PR${member.id}` });
    const invite = object({ from: object({ name: text }), amount, createdAt: isoDateTime });
    await expectOk('POST /api/invite', object({ invites: listOf(invite).length(1) }), page);
    await assertRefuses('GET /api/invite/bonus', 'NO_INVITEE_PLAY_INFO');
    await expectOk('GET /api/invite/banners', listOf(banner).min(1));
    await expectOk(
      'POST /api/refund',
      object({ refunds: listOf(object({ refundAmount: amount, createdAt: isoDateTime })) }),
      page,
    );
    await expectOk(
      'GET /api/refund/check',
      object({
        result: z.boolean(),
        bonus: z.boolean(),
        info: nonEmpty,
        refundAmount: amount,
        refundSuccess: z.number(),
        refundFail: z.number(),
      }),
    );
    const asOther = { token: (await registerMember(system)).token };
    await assertRefuses('GET /api/refund/receive', 'NO_REFUND', asOther);
    await assertRefuses('GET /api/refund/addWallet', 'NO_REFUND', asOther);
    await expectOk('GET /api/refund/banners', listOf(banner).min(1));
  });

  test('bonus and promotion calls are served as specified [R-NET-01]', async () => {
    const otherMember = await registerMember(system);
    const asOther = { token: otherMember.token };
    const bonus = object({
      code: text,
      type: z.enum(['limit', 'day', 'week']),
      maxReceived: z.number(),
      percentFail: z.number(),
      banners: listOf(banner).min(1),
      userBonus: userBonus.nullable(),
    });
    await expectOk('GET /api/bonus', listOf(bonus).min(1), asOther);
    await expectOk('GET /api/bonus/check/active', object({ status: z.literal(false), type: text }), asOther);
    await expectOk('GET /api/bonus/check/minimum', object({}), asOther);
    await fundWallet(ledger, otherMember.id, '300');
    await expectOk('GET /api/bonus/activate/{code}', userBonus, { ...asOther, params: { code: 'WELCOME' } });
    await expectOk(
      'GET /api/bonus/check/active',
      object({ status: z.literal(true), type: z.literal('limit') }),
      asOther,
    );
    const [welcomeBonus] = (await callAsMember('GET /api/bonus', asOther)).body.filter(
      ({ code }: { code: string }) => code === 'WELCOME',
    );
    assert.equal(userBonus.safeParse(welcomeBonus.userBonus).success, true);
    await expectOk('GET /api/bonus/clear', message, asOther);
    const promotionShape = object({ percentFail: z.number(), description: nonEmpty });
    const params = { code: 'VIP25' };
    await expectOk('GET /api/promotion/find/{code}', promotionShape, { ...asOther, params });
    const third = await registerMember(system);
    await fundWallet(ledger, third.id, '3000');
    await expectOk('GET /api/promotion/activate/{code}', object({}), { token: third.token, params });
    await expectOk('GET /api/promotion/current', promotionShape, { token: third.token });
  });
});

describe('the calls of section 7 about statement, wheel and chat', () => {
  test('statement calls are served as specified [R-NET-01]', async () => {
    const entry = object({
      statementType: z.enum(['deposit', 'bonus', 'finish_bonus', 'withdraw', 'transfer']),
      status: text,
      from: text,
      to: text,
      amount,
      createdAt: isoDateTime,
    });
    const statement = object({ total: z.number(), statements: listOf(entry).min(1) });
    await expectOk('POST /api/statement', statement, { body: { page: 1, limit: 10 } });
  });

  test('spin wheel calls are served as specified [R-NET-01]', async () => {
    const slice = object({
      code: nonEmpty,
      label: nonEmpty,
      bgColor: nonEmpty,
      textColor: nonEmpty,
      htmlDescription: nonEmpty,
    });
    const setup = object({
      activeSpinwheel: object({ name: nonEmpty, sliceList: listOf(slice).min(2) }),
      userCoin: z.number(),
    });
    await expectOk('GET /api/spinwheel/active', object({ isActive: z.boolean() }));
    await expectOk('GET /api/spinwheel/setup', object({ result: setup }));
    const otherMember = await registerMember(system);
    const result = object({ success: z.literal(false), error: z.literal('NO_COIN') });
    const { body } = await callAsMember('POST /api/spinwheel/spin', { token: otherMember.token, body: {} });
    assert.equal(result.safeParse(body).success, true, JSON.stringify(body));
    await expectOk('GET /api/spinwheel/coupon', object({ coupons: listOf(object({})).length(0) }));
    await assertRefuses('POST /api/spinwheel/coupon/claim', 'INVALID_CODE', { body: { coupon: 'none-of-mine' } });
  });

  test('chat calls are served as specified [R-NET-01]', async () => {
    await expectOk('GET /api/chat/config', object({ PREFIX: nonEmpty }));
    const messageBody = { message_type: 'text', payload: { text: 'สวัสดี' } };
    const ownMessage = {
      username: member.phone,
      name: 'Somjai',
      deviceToken: 'of-a-phone',
      createdAt: '2026-01-01T00:00:00Z',
    };
    const conversation = {
      sender: 'customer',
      message: messageBody,
      userId: member.id,
      guestId: '',
      session_id: 'one',
      ...ownMessage,
    };
    await expectOk('POST /api/chat/send-message', object({ createdAt: isoDateTime }), { body: conversation });
    const historyBody = { userId: member.id, guestId: '', limit: 10, skip: 0 };
    const reply = object({
      sender: z.enum(['customer', 'other']),
      message: object({ message_type: text, payload: object({}) }),
      userId: text,
      guestId: text,
      username: text,
      name: text,
      deviceToken: text,
      createdAt: isoDateTime,
      session_id: text,
    });
    await expectOk('POST /api/chat/history', listOf(reply).length(1), { body: historyBody });
    const customer = { authorization: `Bearer ${member.token}` };
    const png = await sharp({ create: { width: 20, height: 20, channels: 3, background: '#fff' } })
      .png()
      .toBuffer();
    const uploadReply = await uploadFiles(system, 'image', customer, {
      bytes: png,
      name: 'a.png',
      type: 'image/png',
    });
    assert.equal(uploadReply.status, 200, JSON.stringify(uploadReply.body));
    assert.equal(object({ path: text }).safeParse(uploadReply.body).success, true);
    const refusedReply = await uploadFiles(system, 'video', customer, {
      bytes: png,
      name: 'a.mp4',
      type: 'video/mp4',
    });
    assert.equal(refusedReply.status, 400, 'the call is there: a picture is no video');
    await expectOk('PUT /api/chat/read-customer/', object({}), { body: { userId: member.id, guestId: '' } });
  });
});
