import { makeOffer } from '../bonus/bonus-world.ts';
import type { ApiReply } from '../harness/api-client.ts';
import { setSettings } from '../harness/operator.ts';
import type { System } from '../harness/system.ts';
import { money, publish, sliceOf, wheelOf } from '../spinwheel/wheel-world.ts';
import type { Acting } from './random-day-acts.ts';
import { type Giver, minorOf, noteGiven, type Told } from './random-day-notes.ts';

type Currency = 'BAHT' | 'LAK';
/** What is on offer during the day, by currency. */
export type Offers = Readonly<Record<'bonuses' | 'promotions', Readonly<Record<Currency, readonly string[]>>>>;

/** In minor units: more than any balance. */
const NO_BOUND = 1_000_000_000_00n;
/** Met soon, lost soon, and received as often as there is a deposit for it. */
const HANDY = { success: 115, fail: 70, windowHours: 72, rest: NO_BOUND, maxReceived: 100 };
const KIP = 600n;
/** What the seeded offer behind the wheel's bonus gives. */
const WHEEL_BONUS = { code: 'WHEEL', amount: { BAHT: 100, LAK: 60_000 } };

const WHEEL = wheelOf(
  sliceOf('HELD', 3, money('20.00', { percentSuccess: 150, percentFail: 20 })),
  sliceOf('FREE', 3, money('5.55')),
  sliceOf('COINS', 1, { kind: 'COINS', coins: 2 }),
  sliceOf('BONUS', 2, { kind: 'BONUS', bonus: WHEEL_BONUS.code }),
  sliceOf('NOTHING', 1, { kind: 'NONE' }),
);

/** Sets up, as an operator would, what gives people money all day long. */
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
  (kind: keyof Offers, path: string, by: Giver): Act =>
  async ({ call, person, random, offers }) => {
    const code = random.pick(offers[kind][person.currency]);
    const told = await call(person, path, { params: { code } });
    noteGiven(person.notes, by, told.body?.amount, told);
    return told;
  };

/** What people do about money that the house gives. */
export const INCENTIVES: Readonly<Record<string, Act>> = {
  bonus: offered('bonuses', 'GET /api/bonus/activate/{code}', 'BONUS'),
  promotion: offered('promotions', 'GET /api/promotion/activate/{code}', 'PROMOTION'),
  'bonus given up': async ({ call, person }) => {
    const told = await call(person, 'GET /api/bonus/clear');
    if (told.status === 200) person.notes.takenBack.push(minorOf(told.body.takenBack));
    if (told.wasLost) person.notes.maybeTakenBack += 1;
    return told;
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
    const told = await call(person, 'GET /api/refund/receive');
    noteGiven(person.notes, 'REFUND', told.body?.refundAmount, told);
    if (!told.wasLost) return told;
    // A member without an answer presses the button for that. What it names is given already.
    await call(person, 'GET /api/refund/addWallet');
    return told;
  },
  'invite money': async ({ system, call, person }) => {
    await letAnHourPass(system);
    const told = await call(person, 'GET /api/invite/bonus');
    noteGiven(person.notes, 'INVITE', told.body?.amount, told);
    return told;
  },
  spin: async ({ call, person }) => told(await call(person, 'POST /api/spinwheel/spin')),
  coupon: claimOne,
};

/** Invitees' play is refreshed once a minute: makes it due. */
async function letAnHourPass({ database }: Pick<System, 'database'>): Promise<void> {
  await database.query(`update invite_inviter set looked_at = looked_at - interval '1 hour'`);
}

/** Claims the newest coupon. */
async function claimOne({ call, person, system }: Acting): Promise<ApiReply> {
  const { body } = await system.api('GET /api/spinwheel/coupon', { token: person.token }).catch(() => ({ body: null }));
  const coupon = body?.coupons?.[0];
  if (!coupon) return { status: 404, headers: new Headers(), body: { message: 'no coupon' } };
  const claimed = await call(person, 'POST /api/spinwheel/coupon/claim', { body: { coupon: coupon._id } });
  const answer = told(claimed);
  const { kind } = coupon.prize;
  if (kind === 'MONEY') noteGiven(person.notes, 'LUCKYDRAW', coupon.amount, answer);
  if (kind === 'BONUS') noteGiven(person.notes, 'BONUS', WHEEL_BONUS.amount[person.currency], answer);
  return answer;
}

/** The wheel tells in the body why it did not do what was asked. */
const told = (reply: Told): Told =>
  reply.status === 200 && reply.body.success === false
    ? { ...reply, status: 409, body: { message: reply.body.error } }
    : reply;
