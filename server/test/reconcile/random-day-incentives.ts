import { makeOffer } from '../bonus/bonus-world.ts';
import type { ApiReply } from '../harness/api-client.ts';
import { setSettings } from '../harness/operator.ts';
import type { System } from '../harness/system.ts';
import { money, publish, sliceOf, wheelOf } from '../spinwheel/wheel-world.ts';
import type { Acting } from './random-day-acts.ts';
import { type GrantSource, minorOf, noteGrant, type RetriedReply } from './random-day-notes.ts';

type Currency = 'BAHT' | 'LAK';
/** Offers of the day, by currency. */
export type Offers = Readonly<Record<'bonuses' | 'promotions', Readonly<Record<Currency, readonly string[]>>>>;

/** In minor units: more than any balance. */
const NO_BOUND = 1_000_000_000_00n;
/** Quickly met or lost, and available for every deposit. */
const HANDY = { success: 115, fail: 70, windowHours: 72, rest: NO_BOUND, maxReceived: 100 };
const KIP = 600n;
/** Amounts of the seeded offer behind the wheel's bonus. */
const WHEEL_BONUS = { code: 'WHEEL', amount: { BAHT: 100, LAK: 60_000 } };

const WHEEL = wheelOf(
  sliceOf('HELD', 3, money('20.00', { percentSuccess: 150, percentFail: 20 })),
  sliceOf('FREE', 3, money('5.55')),
  sliceOf('COINS', 1, { kind: 'COINS', coins: 2 }),
  sliceOf('BONUS', 2, { kind: 'BONUS', bonus: WHEEL_BONUS.code }),
  sliceOf('NOTHING', 1, { kind: 'NONE' }),
);

/** Configures incentives for the whole day, like an operator. */
export async function arrangeIncentives(system: System): Promise<Offers> {
  const baht = { ...HANDY, minimum: 10_00n };
  const lak = { ...HANDY, currency: 'LAK', minimum: 10_00n * KIP };
  const bonuses = {
    BAHT: [
      await makeOffer(system, { ...baht, percent: 20 }),
      await makeOffer(system, { ...baht, type: 'day', fixed: 50_00n }),
      await makeOffer(system, { ...baht, type: 'week', percent: 33.33, turnoverTimes: 1 }),
    ],
    LAK: [await makeOffer(system, { ...lak, fixed: 50_00n * KIP })],
  };
  const promotion = { kind: 'PROMOTION', maxReceived: 1 } as const;
  const promotions = {
    BAHT: [
      await makeOffer(system, { ...baht, ...promotion, fixed: 30_00n }),
      await makeOffer(system, { ...baht, ...promotion, percent: 12.5 }),
      await makeOffer(system, { ...baht, ...promotion, fixed: 77_77n }),
    ],
    LAK: [await makeOffer(system, { ...lak, ...promotion, fixed: 30_00n * KIP })],
  };
  await publish(system, WHEEL);
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
  return { bonuses, promotions };
}

type Act = (acting: Acting) => Promise<ApiReply>;

const offered =
  (kind: keyof Offers, path: string, by: GrantSource): Act =>
  async ({ call, person, random, offers }) => {
    const code = random.pick(offers[kind][person.currency]);
    const reply = await call(person, path, { params: { code } });
    noteGrant(person.notes, by, reply.body?.amount, reply);
    return reply;
  };

/** Acts about incentives. */
export const INCENTIVES: Readonly<Record<string, Act>> = {
  bonus: offered('bonuses', 'GET /api/bonus/activate/{code}', 'BONUS'),
  promotion: offered('promotions', 'GET /api/promotion/activate/{code}', 'PROMOTION'),
  'bonus given up': async ({ call, person }) => {
    const reply = await call(person, 'GET /api/bonus/clear');
    if (reply.status === 200) person.notes.takenBack.push(minorOf(reply.body.takenBack));
    if (reply.wasLost) person.notes.maybeTakenBack += 1;
    return reply;
  },
  'bonus out of time': async ({ system, call, person }) => {
    const { rowCount } = await system.database.query(
      `update incentive_condition set expires_at = now(), look_at = now()
        where member_id = $1 and kind in ('BONUS', 'PROMOTION') and state = 'ACTIVE' and expires_at is null`,
      [person.id],
    );
    person.notes.maybeTakenBack += rowCount;
    return call(person, 'GET /api/bonus/check/active');
  },
  refund: async ({ call, person }) => {
    const reply = await call(person, 'GET /api/refund/receive');
    noteGrant(person.notes, 'REFUND', reply.body?.refundAmount, reply);
    if (!reply.wasLost) return reply;
    // Without a reply a member uses this button. The named refund is already granted.
    await call(person, 'GET /api/refund/addWallet');
    return reply;
  },
  'invite money': async ({ system, call, person }) => {
    await letAnHourPass(system);
    const reply = await call(person, 'GET /api/invite/bonus');
    noteGrant(person.notes, 'INVITE', reply.body?.amount, reply);
    return reply;
  },
  spin: async ({ call, person }) => spinReply(await call(person, 'POST /api/spinwheel/spin')),
  coupon: claimOne,
};

/** Makes the refresh of invitees' play due. */
async function letAnHourPass({ database }: Pick<System, 'database'>): Promise<void> {
  await database.query(`update invite_inviter set looked_at = looked_at - interval '1 hour'`);
}

/** Claims the newest coupon. */
async function claimOne({ call, person, system }: Acting): Promise<ApiReply> {
  const { body } = await system.api('GET /api/spinwheel/coupon', { token: person.token }).catch(() => ({ body: null }));
  const coupon = body?.coupons?.[0];
  if (!coupon) return { status: 404, headers: new Headers(), body: { message: 'no coupon' } };
  const claimed = await call(person, 'POST /api/spinwheel/coupon/claim', { body: { coupon: coupon._id } });
  const reply = spinReply(claimed);
  const { kind } = coupon.prize;
  if (kind === 'MONEY') noteGrant(person.notes, 'LUCKYDRAW', coupon.amount, reply);
  if (kind === 'BONUS') noteGrant(person.notes, 'BONUS', WHEEL_BONUS.amount[person.currency], reply);
  return reply;
}

/** The wheel reports a refusal in the body of a 200 reply. */
const spinReply = (reply: RetriedReply): RetriedReply =>
  reply.status === 200 && reply.body.success === false
    ? { ...reply, status: 409, body: { message: reply.body.error } }
    : reply;
