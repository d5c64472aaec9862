import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { z } from 'zod';
import { clear, makeOffer, receive as receiveBonus, redeem } from '../../bonus/bonus-world.ts';
import { film, uploadTo } from '../../chat/file-world.ts';
import type { ApiOptions, ApiReply } from '../../harness/api-client.ts';
import { registerMember, type TestMember } from '../../harness/members.ts';
import { fund } from '../../harness/money.ts';
import { freeOf, leaveOpen, playOut, refuseCredits } from '../../harness/playing.ts';
import { assertRefused } from '../../harness/refused.ts';
import { claim as claimInvite, payingFriendOf, programme as inviteProgramme } from '../../invite/invite-world.ts';
import {
  loser,
  programme as refundProgramme,
  receive as receiveRefund,
  type RefundWorld,
  startRefunds,
} from '../../refund/refund-world.ts';
import { claim as claimCoupon, giveCoins, money, onlyWheel, publish, win } from '../../spinwheel/wheel-world.ts';
import { encrypt } from '../../deposit/truelink/gift-link.ts';

/** As in `specified-calls.test.ts`: derived from the specification and not from the contract. */
const text = z.string();
const object = z.looseObject;
const list = z.array;
const message = object({ message: text });
const LINKS = ['bonus', 'promotion', 'invite', 'refund', 'luckydraw'] as const;
/** Whatever else they have, and however far the clock is ahead of their deposits. */
const ANYHOW = { rest: 1_000_000_00n, windowHours: 8_760 };

describe('calls of section 7 that give something, when there is something to give', () => {
  let world: RefundWorld;
  before(async () => {
    world = await startRefunds();
    await refundProgramme(world);
    await inviteProgramme(world);
  });
  after(() => world?.close());

  async function answers(
    call: string,
    { token }: TestMember,
    shape: z.ZodType,
    options: ApiOptions = {},
  ): Promise<ApiReply['body']> {
    const { status, body } = await world.system.api(call, { token, ...options });
    assert.equal(status, 200, `${call}: ${JSON.stringify(body)}`);
    const { error } = shape.safeParse(body);
    assert.equal(error, undefined, `${call}: ${error ? z.prettifyError(error) : ''}`);
    return body;
  }

  test('POST /api/wallet/truelink with a gift [R-NET-01]', async () => {
    const member = await registerMember(world.system);
    const { body: gift } = await world.system.world('POST /wallet-app/gift', { body: { amount: '45.00' } });
    await answers('POST /api/wallet/truelink', member, object({}), { body: { link: encrypt(gift.link) } });
    assert.equal(await freeOf(world.system, member), 45);
  });

  test('GET /api/invite/bonus with a friend who has played [R-NET-01]', async () => {
    const inviter = await registerMember(world.system, { remember: true });
    await playOut(world.system, await payingFriendOf(world, inviter), { stake: 100, win: 0 });
    world.clock.advance(60_000);
    await answers('GET /api/invite/bonus', inviter, object({}));
    assert.equal(await freeOf(world.system, inviter), 10);
  });

  test('GET /api/refund/receive with a loss, and GET /api/refund/addWallet with a claim whose credit failed [R-NET-01]', async () => {
    const [member, other] = [await loser(world, 1_000, 1_000), await loser(world, 1_000, 1_000)];
    await answers('GET /api/refund/receive', member, message);
    assert.equal(await freeOf(world.system, member), 50);
    const refund = object({ refundAmount: z.literal(50), createdAt: z.iso.datetime() });
    const page = { body: { page: 1, limit: 10 } };
    await answers('POST /api/refund', member, object({ refunds: list(refund).length(1) }), page);

    const allow = await refuseCredits(world.system);
    assertRefused(await receiveRefund(world, other), 'INTERNAL_SERVER_ERROR', 'CREDIT_NOT_CONFIRMED');
    await leaveOpen(world.system);
    await allow();
    await answers('GET /api/refund/addWallet', other, object({}));
    assert.equal(await freeOf(world.system, other), 50);
  });

  test('POST /api/spinwheel/spin with a coin, and the coupon that it wins [R-NET-01]', async () => {
    const member = await registerMember(world.system);
    await publish(world.system, onlyWheel(money('20.00')));
    await giveCoins(world.system, member.id, 1);
    const result = object({ code: text, label: text, remainingCoin: z.literal(0) });
    await answers('POST /api/spinwheel/spin', member, object({ success: z.literal(true), error: z.null(), result }), {
      body: {},
    });
    const slice = object({ code: text, label: text });
    const coupon = object({ prize: object({ slice, name: text }), amount: z.number() });
    const { coupons } = await answers('GET /api/spinwheel/coupon', member, object({ coupons: list(coupon).length(1) }));
    const claimed = object({ success: z.literal(true), error: z.null() });
    await answers('POST /api/spinwheel/coupon/claim', member, claimed, { body: { coupon: coupons[0]._id } });
    assert.equal(await freeOf(world.system, member), 20);
  });

  test('POST /api/chat/upload-video with a film [R-NET-01]', async () => {
    const { token } = await registerMember(world.system);
    const part = { bytes: film(), name: 'a.mp4', type: 'video/mp4' };
    const { status, body } = await uploadTo(world.system, 'video', { authorization: `Bearer ${token}` }, part);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(object({ path: text.min(1) }).safeParse(body).success, true);
  });

  test('a member who got of everything reads of each by its link, and all entries together are the balance [R-STMT-02] [R-NET-01]', async () => {
    const { system, ledger } = world;
    const member = await loser(world, 1_000, 1_000);
    assert.equal((await receiveRefund(world, member)).status, 200);
    await playOut(system, await payingFriendOf(world, member), { stake: 100, win: 0 });
    assert.equal((await claimInvite(world, member)).status, 200);
    assert.equal((await claimCoupon(system, member, await win(system, member, money('20.00')))).status, 200);
    for (const [ask, kind] of [
      [receiveBonus, 'BONUS'],
      [redeem, 'PROMOTION'],
    ] as const) {
      await fund(ledger, member.id, '100.00');
      const reply = await ask(system, member, await makeOffer(system, { kind, ...ANYHOW }));
      assert.equal(reply.status, 200, JSON.stringify(reply.body));
      assert.equal((await clear(system, member)).status, 200);
    }
    const linked = object({ description: text.min(1) });
    const entry = object({
      statementType: z.enum(['deposit', 'bonus', 'finish_bonus', 'withdraw', 'transfer']),
      amount: z.number(),
      ...Object.fromEntries(LINKS.map((link) => [link, linked.optional()])),
    });
    const { total, statements } = await answers(
      'POST /api/statement',
      member,
      object({ total: z.number(), statements: list(entry) }),
      { body: { page: 1, limit: 100 } },
    );
    assert.equal(total, statements.length);
    const linkOf = (one: object): string => LINKS.filter((link) => link in one).join();
    const rewards = statements.filter(({ statementType }: { statementType: string }) => statementType === 'bonus');
    assert.deepEqual(rewards.map(linkOf).toSorted(), [...LINKS].toSorted());
    const ended = statements.filter(({ statementType }: { statementType: string }) => statementType === 'finish_bonus');
    assert.deepEqual(ended.map(linkOf), ['promotion', 'bonus'], 'newest first');
    const ownMoney = statements.filter(({ statementType }: { statementType: string }) => statementType !== 'bonus');
    for (const one of ownMoney) assert.equal(linkOf(one) !== '', one.statementType === 'finish_bonus');
    const sum = statements.reduce((all: number, { amount }: { amount: number }) => all + Math.round(amount * 100), 0);
    assert.equal(sum, Math.round((await freeOf(system, member)) * 100));
  });
});
