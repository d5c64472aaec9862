import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import sharp from 'sharp';
import { z } from 'zod';
import type { Ledger } from '../../../src/ledger/index.ts';
import { uploadTo } from '../../chat/file-world.ts';
import type { ApiOptions, ApiReply } from '../../harness/api-client.ts';
import { eventually, openGame } from '../../harness/games.ts';
import {
  newAccountNo,
  newestMessage,
  newPhone,
  registerMember,
  registrationOf,
  type TestMember,
  verifyPhone,
} from '../../harness/members.ts';
import { fund, ledgerOf } from '../../harness/money.ts';
import { takeSlipsNow } from '../../harness/operator.ts';
import { startSystem, type System } from '../../harness/system.ts';
import { codeImage, upload } from '../../deposit/slip/slip-fixtures.ts';
import { encrypt } from '../../deposit/truelink/gift-link.ts';

/**
 * The calls of section 7 of the specification with the shapes of its section 3, derived from there and not from the
 * contract, so that errors of the contract fail here. Calls that are refused here succeed in `specified-gifts.test.ts`.
 */
const text = z.string();
/** For texts that must not be empty. */
const word = z.string().min(1);
const amount = z.number();
const moment = z.iso.datetime();
const object = z.looseObject;
const list = z.array;
const banner = object({ image: word, html: word });
const bankNames = object({ nameTH: word, nameEN: word });
const profile = object({ _id: word, name: word, username: word, createdAt: moment });
const bankAccount = object({ bankCode: word, bankAccountName: word, bankAccountNo: word, bank: bankNames });
const credentials = object({ username: word, password: word });
const message = object({ message: word });
const link = object({ link: z.url() });
const qrcode = object({ hasQrcode: z.boolean(), qrcodeId: word, qrcode: word, amount, expireIn: moment });
const userBonus = object({ _id: text, isActive: z.boolean(), received: list(object({ updatedAt: moment })) });
const slot = object({
  code: word,
  name: word,
  category: z.enum(['slot', 'sport', 'lotto']),
  isActive: z.boolean(),
  amount,
  ftWalletSlot: z.number(),
  logo: word,
  background: word,
  web: text.nullable(),
  android: text.nullable(),
  ios: text.nullable(),
});

const lookups = {
  banks: list(object({ code: word, nameTH: word })).min(1),
  deposit: object({
    banks: list(
      object({
        bankCode: word,
        bankType: word,
        mode: word,
        bank: bankNames,
        bankAccountName: text,
        bankAccountNo: text,
        currency: word,
      }),
    ).min(1),
    wallets: list(object({ mode: word, walletAccountName: word })).min(1),
    isManual: z.boolean(),
  }),
  conditions: list(word).min(1),
  agreements: list(word).min(1),
  info: object({ name: word, website: z.url() }),
  notice: object({ notice: word }),
  contact: object({ contactText: word, lineLink: z.url(), lineName: word, lineQR: word }),
  withdraw: object({ withdrawMin: amount, withdrawMax: amount }),
  slip: object({}),
  sources: list(object({ code: word, description: word })).min(1),
  active: object({ terminated: text }),
  registerOTP: object({ registerOTP: z.boolean() }),
  enableChatWidget: object({ enableChatWidget: z.boolean() }),
};

const BY_USERNAME = ['pg', 'betflix', 'areaslot', 'joker2', 'huayhd'] as const;
const BY_PASSWORD = ['askmebet', 'imi', 'usun', 'circus', 'slotracha', 'pgslot'] as const;

let system: System;
let ledger: Ledger;
let member: TestMember;
before(async () => {
  system = await startSystem();
  await takeSlipsNow(system);
  ledger = ledgerOf(system);
  member = await registerMember(system);
  await fund(ledger, member.id, '5000');
});
after(async () => {
  await ledger?.close();
  await system?.stop();
});

const as = (call: string, options: ApiOptions = {}): Promise<ApiReply> =>
  system.api(call, { token: member.token, ...options });

/** The answer is a success of this shape. @returns its body */
async function answers(call: string, shape: z.ZodType, options: ApiOptions = {}): Promise<ApiReply['body']> {
  const { status, body } = await as(call, options);
  assert.ok(status === 200 || status === 202, `${call}: ${status} ${JSON.stringify(body)}`);
  const { error } = shape.safeParse(body);
  assert.equal(error, undefined, `${call}: ${error ? z.prettifyError(error) : ''}`);
  return body;
}

/** The call is there and knows its situation: it refuses with the code that section 8 has for it. */
async function refuses(call: string, code: string, options: ApiOptions = {}): Promise<void> {
  const { status, body } = await as(call, options);
  assert.ok(status >= 400 && status < 500, `${call}: ${status}`);
  assert.equal(body.message, code, call);
}

describe('the calls of section 7 at their methods and paths, with the shapes of section 3', () => {
  for (const [name, shape] of Object.entries(lookups)) {
    test(`GET /api/lookup/${name} [R-NET-01]`, async () => {
      await answers(`GET /api/lookup/${name}`, shape, { token: undefined });
    });
  }

  test('account and login [R-NET-01]', async () => {
    const registration = registrationOf();
    const username = registration.username ?? '';
    const otp = object({ otpRef: word, otpToken: word, code: word });
    const phone = newPhone();
    const sent = await answers('POST /api/otp/send', otp, { body: { phoneNumber: phone } });
    const otpCode = (await newestMessage(system, phone))?.code;
    await answers('POST /api/otp/verify', object({}), { body: { otpToken: sent.otpToken, otpCode } });
    await verifyPhone(system, username);
    await answers('POST /api/account/validate', object({}), { body: registration });
    await answers('POST /api/account', object({}), { body: registration });
    const { password } = registration;
    const { token } = await answers('POST /api/login', object({ token: word }), { body: { username, password } });
    const own = { token };
    const account = object({ profile, bankAccount });
    await answers('GET /api/account/profile', account, own);
    const body = { name: 'นกน้อย', bankCode: 'KTB', bankAccountName: 'NOK JAIDEE', bankAccountNo: newAccountNo() };
    assert.equal((await answers('PUT /api/account/profile', account, { ...own, body })).profile.name, 'นกน้อย');
    const renamed = { bankCode: 'KTB', bankAccountName: 'NOK JAIDEE' };
    await answers('PUT /api/account/bankAccountName', object({}), { ...own, body: renamed });
    const passwords = { oldPassword: password, newPassword: 'another-basket-28' };
    await answers('PUT /api/account/changepwd', object({}), { ...own, body: passwords });
  });
});

describe('the calls of section 7 that move money', () => {
  test('wallet, game accounts and transfers [R-NET-01]', async () => {
    const wallet = object({
      profile: object({ name: text, username: text, coin: z.number(), _id: text }),
      bankAccount,
      wallet: object({ amount }),
      invite: object({ amount, success: z.number(), fail: z.number() }),
      slots: list(slot).min(1),
    });
    await answers('GET /api/wallet', wallet);
    await answers('GET /api/wallet/refresh/slot', object({}));
    const params = { slotCode: 'pg' };
    await answers('GET /api/wallet/activate/{slotCode}', credentials, { params });
    await answers('GET /api/wallet/account/{slotCode}', credentials, { params });
    await answers('GET /api/wallet/resetpassword/{slotCode}', credentials, { params });
    await answers('POST /api/wallet/add', object({}), { body: { amount: 100 } });
    await answers('POST /api/wallet/transfer', object({}), { body: { from: 'WALLET', to: 'pg', amount: 10 } });
    await answers('POST /api/wallet/transferAll', object({}), { body: { to: 'pg' } });
  });

  test('both withdrawals [R-NET-01]', async () => {
    const { withdrawMin } = (await system.api('GET /api/lookup/withdraw')).body;
    for (const call of ['POST /api/wallet/withdraw', 'POST /api/wallet/withdrawAll']) {
      const other = await registerMember(system);
      await fund(ledger, other.id, '5000');
      await answers(call, object({}), { token: other.token, body: { amount: withdrawMin } });
    }
  });

  test('QR codes of every gateway [R-NET-01]', async () => {
    for (const bankCode of ['KBANK', 'WW', 'FP', 'PAYONEX']) {
      const params = { bankCode };
      const made = await answers('POST /api/qrcode/{bankCode}', qrcode, { params, body: { amount: 100 } });
      const current = await answers('GET /api/qrcode/{bankCode}', qrcode, { params });
      assert.equal(current.qrcodeId, made.qrcodeId);
      await answers('DELETE /api/qrcode/{qrcodeId}', object({}), { params: { qrcodeId: made.qrcodeId } });
      const none = object({ hasQrcode: z.literal(false) });
      await answers('GET /api/qrcode/{bankCode}', none, { params });
    }
  });
});

describe('the calls of section 7, what is received and played', () => {
  test('slips and gift links [R-NET-01]', async () => {
    const file = await codeImage('not a slip', 300);
    const { status, body } = await upload(system, member.token, { bytes: file, name: 'slip.png', type: 'image/png' });
    assert.equal(status, 200, JSON.stringify(body));
    const { slips } = await answers(
      'POST /api/statement/slip',
      object({
        slips: list(
          object({
            createdAt: moment,
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
    const place = 'GET /api/statement/slip/reference/{reference}';
    // The picture is made ready in the background.
    await eventually(
      'the picture',
      () => as(place, { params }),
      ({ status: now }) => now === 200,
    );
    await answers(place, object({ url: z.url() }), { params });
    await refuses('POST /api/wallet/truelink', 'TRUELINK_INVALID', {
      body: { link: encrypt('https://no.gift/of/ours') },
    });
  });

  test('games open by a link, eleven providers of two kinds [R-NET-01]', async () => {
    const player = await registerMember(system);
    const own = { token: player.token };
    for (const provider of [...BY_USERNAME, ...BY_PASSWORD]) {
      const { username, password } = await openGame(system, player.token, provider);
      const isShort = BY_USERNAME.some((one) => one === provider);
      const call = `GET /api/autoLogin/{provider}/{username}${isShort ? '' : '/{password}'}`;
      await answers(call, link, { ...own, params: { provider, username, password } });
    }
  });
});

describe('the calls of section 7 about invites, refunds and bonuses', () => {
  test('invites and refunds [R-NET-01]', async () => {
    const page = { body: { page: 1, limit: 10 } };
    await registerMember(system, { inviteCode: `PR${member.id}` });
    const invite = object({ from: object({ name: text }), amount, createdAt: moment });
    await answers('POST /api/invite', object({ invites: list(invite).length(1) }), page);
    await refuses('GET /api/invite/bonus', 'NO_INVITEE_PLAY_INFO');
    await answers('GET /api/invite/banners', list(banner).min(1));
    await answers(
      'POST /api/refund',
      object({ refunds: list(object({ refundAmount: amount, createdAt: moment })) }),
      page,
    );
    await answers(
      'GET /api/refund/check',
      object({
        result: z.boolean(),
        bonus: z.boolean(),
        info: word,
        refundAmount: amount,
        refundSuccess: z.number(),
        refundFail: z.number(),
      }),
    );
    const other = { token: (await registerMember(system)).token };
    await refuses('GET /api/refund/receive', 'NO_REFUND', other);
    await refuses('GET /api/refund/addWallet', 'NO_REFUND', other);
    await answers('GET /api/refund/banners', list(banner).min(1));
  });

  test('bonuses and promotions [R-NET-01]', async () => {
    const other = await registerMember(system);
    const own = { token: other.token };
    const bonus = object({
      code: text,
      type: z.enum(['limit', 'day', 'week']),
      maxReceived: z.number(),
      percentFail: z.number(),
      banners: list(banner).min(1),
      userBonus: userBonus.nullable(),
    });
    await answers('GET /api/bonus', list(bonus).min(1), own);
    await answers('GET /api/bonus/check/active', object({ status: z.literal(false), type: text }), own);
    await answers('GET /api/bonus/check/minimum', object({}), own);
    await fund(ledger, other.id, '300');
    await answers('GET /api/bonus/activate/{code}', userBonus, { ...own, params: { code: 'WELCOME' } });
    await answers('GET /api/bonus/check/active', object({ status: z.literal(true), type: z.literal('limit') }), own);
    const [welcome] = (await as('GET /api/bonus', own)).body.filter(({ code }: { code: string }) => code === 'WELCOME');
    assert.equal(userBonus.safeParse(welcome.userBonus).success, true);
    await answers('GET /api/bonus/clear', message, own);
    const promotion = object({ percentFail: z.number(), description: word });
    const params = { code: 'VIP25' };
    await answers('GET /api/promotion/find/{code}', promotion, { ...own, params });
    const third = await registerMember(system);
    await fund(ledger, third.id, '3000');
    await answers('GET /api/promotion/activate/{code}', object({}), { token: third.token, params });
    await answers('GET /api/promotion/current', promotion, { token: third.token });
  });
});

describe('the calls of section 7 about statement, wheel and chat', () => {
  test('the statement [R-NET-01]', async () => {
    const entry = object({
      statementType: z.enum(['deposit', 'bonus', 'finish_bonus', 'withdraw', 'transfer']),
      status: text,
      from: text,
      to: text,
      amount,
      createdAt: moment,
    });
    const statement = object({ total: z.number(), statements: list(entry).min(1) });
    await answers('POST /api/statement', statement, { body: { page: 1, limit: 10 } });
  });

  test('the spin wheel [R-NET-01]', async () => {
    const slice = object({ code: word, label: word, bgColor: word, textColor: word, htmlDescription: word });
    const setup = object({
      activeSpinwheel: object({ name: word, sliceList: list(slice).min(2) }),
      userCoin: z.number(),
    });
    await answers('GET /api/spinwheel/active', object({ isActive: z.boolean() }));
    await answers('GET /api/spinwheel/setup', object({ result: setup }));
    const other = await registerMember(system);
    const result = object({ success: z.literal(false), error: z.literal('NO_COIN') });
    const { body } = await as('POST /api/spinwheel/spin', { token: other.token, body: {} });
    assert.equal(result.safeParse(body).success, true, JSON.stringify(body));
    await answers('GET /api/spinwheel/coupon', object({ coupons: list(object({})).length(0) }));
    await refuses('POST /api/spinwheel/coupon/claim', 'INVALID_CODE', { body: { coupon: 'none-of-mine' } });
  });

  test('the chat [R-NET-01]', async () => {
    await answers('GET /api/chat/config', object({ PREFIX: word }));
    const said = { message_type: 'text', payload: { text: 'สวัสดี' } };
    const own = {
      username: member.phone,
      name: 'Somjai',
      deviceToken: 'of-a-phone',
      createdAt: '2026-01-01T00:00:00Z',
    };
    const conversation = {
      sender: 'customer',
      message: said,
      userId: member.id,
      guestId: '',
      session_id: 'one',
      ...own,
    };
    await answers('POST /api/chat/send-message', object({ createdAt: moment }), { body: conversation });
    const asked = { userId: member.id, guestId: '', limit: 10, skip: 0 };
    const reply = object({
      sender: z.enum(['customer', 'other']),
      message: object({ message_type: text, payload: object({}) }),
      userId: text,
      guestId: text,
      username: text,
      name: text,
      deviceToken: text,
      createdAt: moment,
      session_id: text,
    });
    await answers('POST /api/chat/history', list(reply).length(1), { body: asked });
    const talker = { authorization: `Bearer ${member.token}` };
    const picture = await sharp({ create: { width: 20, height: 20, channels: 3, background: '#fff' } })
      .png()
      .toBuffer();
    const uploaded = await uploadTo(system, 'image', talker, { bytes: picture, name: 'a.png', type: 'image/png' });
    assert.equal(uploaded.status, 200, JSON.stringify(uploaded.body));
    assert.equal(object({ path: text }).safeParse(uploaded.body).success, true);
    const refused = await uploadTo(system, 'video', talker, { bytes: picture, name: 'a.mp4', type: 'video/mp4' });
    assert.equal(refused.status, 400, 'the call is there: a picture is no video');
    await answers('PUT /api/chat/read-customer/', object({}), { body: { userId: member.id, guestId: '' } });
  });
});
