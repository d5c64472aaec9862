import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { z } from 'zod';
import { clearBonus, insertOffer, receiveBonus, redeemPromotion } from '../../bonus/bonus-fixtures.ts';
import { mp4Film, uploadFiles } from '../../chat/file-fixtures.ts';
import { encryptGiftLink } from '../../deposit/truelink/gift-link.ts';
import type { ApiOptions, ApiReply } from '../../harness/api-client.ts';
import { assertRefused } from '../../harness/assert-refused.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { fundWallet } from '../../harness/money.ts';
import { readFreeAmount, postponeOpenGrants, playGameRound, refuseCredits } from '../../harness/playing-member.ts';
import {
  claimInvite,
  registerPayingFriend,
  setInviteSettings as inviteSettings,
} from '../../invite/invite-fixtures.ts';
import {
  memberWithLoss,
  setRefundSettings as refundSettings,
  receiveRefund,
  type RefundSystem,
  startRefundSystem,
} from '../../refund/refund-fixtures.ts';
import {
  claimCoupon,
  giveCoins,
  moneyPrize,
  singlePrizeWheel,
  publishTestWheel,
  winCoupon,
} from '../../spinwheel/wheel-fixtures.ts';

/** Derived from the specification, not from the contract, as in `specified-calls.slow.test.ts`. */
const text = z.string();
const object = z.looseObject;
const listOf = z.array;
const message = object({ message: text });
const LINK_FIELDS = ['bonus', 'promotion', 'invite', 'refund', 'luckydraw'] as const;
/** Terms without limits on other money and on the age of the deposit. */
const WITHOUT_LIMITS = { rest: 1_000_000_00n, windowHours: 8_760 };

describe('calls of section 7 that credit money or a prize', () => {
  let refunds: RefundSystem;
  before(async () => {
    refunds = await startRefundSystem();
    await refundSettings(refunds);
    await inviteSettings(refunds);
  });
  after(() => refunds?.close());

  async function expectOk(
    call: string,
    { token }: TestMember,
    shape: z.ZodType,
    options: ApiOptions = {},
  ): Promise<ApiReply['body']> {
    const { status, body } = await refunds.system.api(call, { token, ...options });
    assert.equal(status, 200, `${call}: ${JSON.stringify(body)}`);
    const { error } = shape.safeParse(body);
    assert.equal(error, undefined, `${call}: ${error ? z.prettifyError(error) : ''}`);
    return body;
  }

  test('POST /api/wallet/truelink with a gift is served as specified [R-NET-01]', async () => {
    const member = await registerMember(refunds.system);
    const { body: gift } = await refunds.system.simulatorsApi('POST /wallet-app/gift', {
      body: { amount: '45.00' },
    });
    await expectOk('POST /api/wallet/truelink', member, object({}), {
      body: { link: encryptGiftLink(gift.link) },
    });
    assert.equal(await readFreeAmount(refunds.system, member), 45);
  });

  test("GET /api/invite/bonus after a friend's play is served as specified [R-NET-01]", async () => {
    const inviter = await registerMember(refunds.system, { remember: true });
    await playGameRound(refunds.system, await registerPayingFriend(refunds, inviter), { stake: 100, win: 0 });
    refunds.clock.advance(60_000);
    await expectOk('GET /api/invite/bonus', inviter, object({}));
    assert.equal(await readFreeAmount(refunds.system, inviter), 10);
  });

  test('GET /api/refund/receive after a loss, and GET /api/refund/addWallet after a failed credit, are served as specified [R-NET-01]', async () => {
    const [member, other] = [await memberWithLoss(refunds, 1_000, 1_000), await memberWithLoss(refunds, 1_000, 1_000)];
    await expectOk('GET /api/refund/receive', member, message);
    assert.equal(await readFreeAmount(refunds.system, member), 50);
    const refund = object({ refundAmount: z.literal(50), createdAt: z.iso.datetime() });
    const page = { body: { page: 1, limit: 10 } };
    await expectOk('POST /api/refund', member, object({ refunds: listOf(refund).length(1) }), page);

    const allowCredits = await refuseCredits(refunds.system);
    assertRefused(await receiveRefund(refunds, other), 'INTERNAL_SERVER_ERROR', 'CREDIT_NOT_CONFIRMED');
    await postponeOpenGrants(refunds.system);
    await allowCredits();
    await expectOk('GET /api/refund/addWallet', other, object({}));
    assert.equal(await readFreeAmount(refunds.system, other), 50);
  });

  test('POST /api/spinwheel/spin with a coin, and the claim of its coupon, are served as specified [R-NET-01]', async () => {
    const member = await registerMember(refunds.system);
    await publishTestWheel(refunds.system, singlePrizeWheel(moneyPrize('20.00')));
    await giveCoins(refunds.system, member.id, 1);
    const result = object({ code: text, label: text, remainingCoin: z.literal(0) });
    await expectOk('POST /api/spinwheel/spin', member, object({ success: z.literal(true), error: z.null(), result }), {
      body: {},
    });
    const slice = object({ code: text, label: text });
    const coupon = object({ prize: object({ slice, name: text }), amount: z.number() });
    const { coupons } = await expectOk(
      'GET /api/spinwheel/coupon',
      member,
      object({ coupons: listOf(coupon).length(1) }),
    );
    const claimedShape = object({ success: z.literal(true), error: z.null() });
    await expectOk('POST /api/spinwheel/coupon/claim', member, claimedShape, { body: { coupon: coupons[0]._id } });
    assert.equal(await readFreeAmount(refunds.system, member), 20);
  });

  test('POST /api/chat/upload-video is served as specified [R-NET-01]', async () => {
    const { token } = await registerMember(refunds.system);
    const filmPart = { bytes: mp4Film(), name: 'a.mp4', type: 'video/mp4' };
    const { status, body } = await uploadFiles(refunds.system, 'video', { authorization: `Bearer ${token}` }, filmPart);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(object({ path: text.min(1) }).safeParse(body).success, true);
  });

  test('a member who received every kind of money finds each in the statement, and the entries sum to the balance [R-STMT-02] [R-NET-01]', async () => {
    const { system, ledger } = refunds;
    const member = await memberWithLoss(refunds, 1_000, 1_000);
    assert.equal((await receiveRefund(refunds, member)).status, 200);
    await playGameRound(system, await registerPayingFriend(refunds, member), { stake: 100, win: 0 });
    assert.equal((await claimInvite(refunds, member)).status, 200);
    assert.equal((await claimCoupon(system, member, await winCoupon(system, member, moneyPrize('20.00')))).status, 200);
    for (const [send, kind] of [
      [receiveBonus, 'BONUS'],
      [redeemPromotion, 'PROMOTION'],
    ] as const) {
      await fundWallet(ledger, member.id, '100.00');
      const reply = await send(system, member, await insertOffer(system, { kind: kind, ...WITHOUT_LIMITS }));
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      assert.equal((await clearBonus(system, member)).status, 200);
    }
    const linkedShape = object({ description: text.min(1) });
    const entry = object({
      statementType: z.enum(['deposit', 'bonus', 'finish_bonus', 'withdraw', 'transfer']),
      amount: z.number(),
      ...Object.fromEntries(LINK_FIELDS.map((link) => [link, linkedShape.optional()])),
    });
    const { total, statements } = await expectOk(
      'POST /api/statement',
      member,
      object({ total: z.number(), statements: listOf(entry) }),
      { body: { page: 1, limit: 100 } },
    );
    assert.equal(total, statements.length);
    const linkOf = (entry: object): string => LINK_FIELDS.filter((link) => link in entry).join();
    const rewards = statements.filter(({ statementType }: { statementType: string }) => statementType === 'bonus');
    assert.deepEqual(rewards.map(linkOf).toSorted(), [...LINK_FIELDS].toSorted());
    const ended = statements.filter(({ statementType }: { statementType: string }) => statementType === 'finish_bonus');
    assert.deepEqual(ended.map(linkOf), ['promotion', 'bonus'], 'newest first');
    const ownMoney = statements.filter(({ statementType }: { statementType: string }) => statementType !== 'bonus');
    for (const entry of ownMoney) assert.equal(linkOf(entry) !== '', entry.statementType === 'finish_bonus');
    const totalSatang = statements.reduce(
      (total: number, { amount }: { amount: number }) => total + Math.round(amount * 100),
      0,
    );
    assert.equal(totalSatang, Math.round((await readFreeAmount(system, member)) * 100));
  });
});
