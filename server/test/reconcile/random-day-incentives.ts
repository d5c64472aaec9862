import { insertOffer } from '../bonus/bonus-fixtures.ts';
import type { ApiReply } from '../harness/api-client.ts';
import { setSettings } from '../harness/operator.ts';
import type { System } from '../harness/system.ts';
import { moneyPrize, publishTestWheel, wheelSlice, wheelFileOf } from '../spinwheel/wheel-fixtures.ts';
import type { ActContext } from './random-day-acts.ts';
import { type GrantSource, parseMinor, recordGrant, type RetriedReply } from './random-day-records.ts';

type Currency = 'BAHT' | 'LAK';
/** Offers of the day, by currency. */
export type DayOffers = Readonly<Record<'bonuses' | 'promotions', Readonly<Record<Currency, readonly string[]>>>>;

/** In minor units: more than any balance. */
const UNLIMITED_SATANG = 1_000_000_000_00n;
/** Quickly met or lost, and available for every deposit. */
const EASY_TERMS = { success: 115, fail: 70, windowHours: 72, rest: UNLIMITED_SATANG, maxReceived: 100 };
const KIP_PER_BAHT = 600n;
/** Amounts of the seeded offer behind the wheel's bonus. */
const WHEEL_BONUS = { code: 'WHEEL', amount: { BAHT: 100, LAK: 60_000 } };

const DAY_WHEEL = wheelFileOf(
  wheelSlice('HELD', 3, moneyPrize('20.00', { percentSuccess: 150, percentFail: 20 })),
  wheelSlice('FREE', 3, moneyPrize('5.55')),
  wheelSlice('COINS', 1, { kind: 'COINS', coins: 2 }),
  wheelSlice('BONUS', 2, { kind: 'BONUS', bonus: WHEEL_BONUS.code }),
  wheelSlice('NOTHING', 1, { kind: 'NONE' }),
);

/** Configures incentives for the whole day, like an operator. */
export async function configureIncentives(system: System): Promise<DayOffers> {
  const baht = { ...EASY_TERMS, minimum: 10_00n };
  const lakTerms = { ...EASY_TERMS, currency: 'LAK', minimum: 10_00n * KIP_PER_BAHT };
  const bonusCodes = {
    BAHT: [
      await insertOffer(system, { ...baht, percent: 20 }),
      await insertOffer(system, { ...baht, type: 'day', fixed: 50_00n }),
      await insertOffer(system, { ...baht, type: 'week', percent: 33.33, turnoverTimes: 1 }),
    ],
    LAK: [await insertOffer(system, { ...lakTerms, fixed: 50_00n * KIP_PER_BAHT })],
  };
  const promotionTerms = { kind: 'PROMOTION', maxReceived: 1 } as const;
  const promotionCodes = {
    BAHT: [
      await insertOffer(system, { ...baht, ...promotionTerms, fixed: 30_00n }),
      await insertOffer(system, { ...baht, ...promotionTerms, percent: 12.5 }),
      await insertOffer(system, { ...baht, ...promotionTerms, fixed: 77_77n }),
    ],
    LAK: [await insertOffer(system, { ...lakTerms, ...promotionTerms, fixed: 30_00n * KIP_PER_BAHT })],
  };
  await publishTestWheel(system, DAY_WHEEL);
  await setSettings(system, {
    invite: { isActive: true, percent: 10, percentSuccess: 110, percentFail: 60 },
    refund: {
      isActive: true,
      period: 'day',
      percent: 20,
      maximum: { BAHT: '5000.00', LAK: '3000000.00' },
      minimum: { BAHT: '0.01', LAK: '1.00' },
      floor: { BAHT: '100000000.00', LAK: '100000000.00' },
      percentSuccess: 110,
      percentFail: 60,
      info: { th: 'คืน {{percent}}%', la: 'ຄືນ {{percent}}%', en: '{{percent}}%' },
    },
    spinwheel: { isActive: true, coinPer: { BAHT: '100.00', LAK: '60000.00' }, couponDays: 30 },
  });
  return { bonuses: bonusCodes, promotions: promotionCodes };
}

type DayAct = (context: ActContext) => Promise<ApiReply>;

const redeemOffer =
  (offerKind: keyof DayOffers, path: string, grantSource: GrantSource): DayAct =>
  async ({ call, member: user, random, offers }) => {
    const code = random.pickItem(offers[offerKind][user.currency]);
    const reply = await call(user, path, { params: { code } });
    recordGrant(user.records, grantSource, reply.body?.amount, reply);
    return reply;
  };

/** Acts about incentives. */
export const INCENTIVE_ACTS: Readonly<Record<string, DayAct>> = {
  bonus: redeemOffer('bonuses', 'GET /api/bonus/activate/{code}', 'BONUS'),
  promotion: redeemOffer('promotions', 'GET /api/promotion/activate/{code}', 'PROMOTION'),
  'bonus given up': async ({ call, member: user }) => {
    const reply = await call(user, 'GET /api/bonus/clear');
    if (reply.status === 200) user.records.takenBack.push(parseMinor(reply.body.takenBack));
    if (reply.wasLost) user.records.unconfirmedReturns += 1;
    return reply;
  },
  'bonus out of time': async ({ system, call, member: user }) => {
    const { rowCount } = await system.database.query(
      `update incentive_condition set expires_at = now(), look_at = now()
        where member_id = $1 and kind in ('BONUS', 'PROMOTION') and state = 'ACTIVE' and expires_at is null`,
      [user.id],
    );
    user.records.unconfirmedReturns += rowCount;
    return call(user, 'GET /api/bonus/check/active');
  },
  refund: async ({ call, member: user }) => {
    const reply = await call(user, 'GET /api/refund/receive');
    recordGrant(user.records, 'REFUND', reply.body?.refundAmount, reply);
    if (!reply.wasLost) return reply;
    // Without a reply a member uses this button. The named refund is already granted.
    await call(user, 'GET /api/refund/addWallet');
    return reply;
  },
  'invite money': async ({ system, call, member: user }) => {
    await makeHourlyWorkDue(system);
    const reply = await call(user, 'GET /api/invite/bonus');
    recordGrant(user.records, 'INVITE', reply.body?.amount, reply);
    return reply;
  },
  spin: async ({ call, member: user }) => spinReply(await call(user, 'POST /api/spinwheel/spin')),
  coupon: claimNewestCoupon,
};

/** Makes the refresh of invitees' play due. */
async function makeHourlyWorkDue({ database }: Pick<System, 'database'>): Promise<void> {
  await database.query(`update invite_inviter set looked_at = looked_at - interval '1 hour'`);
}

/** Claims the newest coupon. */
async function claimNewestCoupon({ call, member: user, system }: ActContext): Promise<ApiReply> {
  const { body } = await system.api('GET /api/spinwheel/coupon', { token: user.token }).catch(() => ({ body: null }));
  const coupon = body?.coupons?.[0];
  if (!coupon) return { status: 404, headers: new Headers(), body: { message: 'no coupon' } };
  const claimReply = await call(user, 'POST /api/spinwheel/coupon/claim', { body: { coupon: coupon._id } });
  const reply = spinReply(claimReply);
  const { kind } = coupon.prize;
  if (kind === 'MONEY') recordGrant(user.records, 'LUCKYDRAW', coupon.amount, reply);
  if (kind === 'BONUS') recordGrant(user.records, 'BONUS', WHEEL_BONUS.amount[user.currency], reply);
  return reply;
}

/** The wheel reports a refusal in the body of a 200 reply. */
const spinReply = (reply: RetriedReply): RetriedReply =>
  reply.status === 200 && reply.body.success === false
    ? { ...reply, status: 409, body: { message: reply.body.error } }
    : reply;
