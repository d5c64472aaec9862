import type { Queryable } from '../../platform/database/database.ts';
import { asWrittenShape } from '../../platform/documents/fields.ts';
import { type ConfigGuard, type ConfigSubject, NO_OBJECTION, type Problem } from '../../platform/documents/subject.ts';
import { currenciesWithoutPrize } from '../bonus/index.ts';
import { lockTables, readSeed, settingSubject } from '../operator-data/index.ts';
import { spinwheelSetting, type Wheel, wheelShape } from './spinwheel.ts';
import {
  countCouponsOfOffer,
  insertWheel,
  markAllInactive,
  selectActiveWheel,
  selectActiveWheelText,
} from './wheel-queries.ts';

/** A wheel and its setting. A wheel is published as a new version; null retires every version. */
export const configSubjects: readonly ConfigSubject[] = [
  settingSubject(spinwheelSetting),
  {
    name: 'wheel',
    schema: asWrittenShape(wheelShape).nullable(),
    lock: (tx) => lockTables(tx, 'spinwheel_version'),
    read: selectActiveWheelText,
    apply: async (tx, wheel) => void (await (wheel === null ? markAllInactive(tx) : insertWheel(tx, wheel))),
    seed: () => readSeed('wheel'),
    preview: async (on, wheel) =>
      wheel === null
        ? { problems: [], effects: ['Every wheel is retired: members cannot spin.'] }
        : { problems: await findPrizeProblems(on, wheelShape.parse(wheel)), effects: [] },
  },
];

/** Members of every currency must be able to claim each prize. */
async function findPrizeProblems(on: Queryable, { slices }: Pick<Wheel, 'slices'>): Promise<Problem[]> {
  const problems: Problem[] = [];
  for (const [index, { prize }] of slices.entries()) {
    if (prize.kind !== 'BONUS') continue;
    const missingCurrencies = (await currenciesWithoutPrize(on, prize.bonus)).join(' and ');
    if (missingCurrencies === '') continue;
    const message = `no offer ${prize.bonus} with a fixed amount in ${missingCurrencies}`;
    problems.push({ path: ['slices', index, 'prize', 'bonus'], message });
  }
  return problems;
}

const OFFER_PREFIX = 'offer:';
type PrizeOffer = { kind: string; isOn: boolean; amounts: Record<string, { fixed: string | null }> };

/** Keeps offers that the wheel names, or an open coupon, usable as a prize. */
export const configGuard: ConfigGuard = {
  guards: (subjectName) => subjectName.startsWith(OFFER_PREFIX),
  async preview(on, subjectName, document) {
    const code = subjectName.slice(OFFER_PREFIX.length);
    const wheel = await selectActiveWheel(on);
    const slices = wheel?.slices.filter(({ prize }) => prize.kind === 'BONUS' && prize.bonus === code) ?? [];
    const coupons = await countCouponsOfOffer(on, code);
    if (slices.length === 0 && coupons === 0) return NO_OBJECTION;
    const offer = document as PrizeOffer | null;
    const users = [
      ...slices.map((slice) => `slice ${slice.code} of the wheel`),
      ...(coupons > 0 ? [`${coupons} open coupons`] : []),
    ].join(' and ');
    if (offer === null || offer.kind === 'PROMOTION' || ['BAHT', 'LAK'].some((name) => !offer.amounts[name]?.fixed)) {
      const message = `${users} need it as a BONUS or PRIZE with fixed amounts in BAHT and LAK`;
      return { problems: [{ path: [], message }], effects: [] };
    }
    return offer.isOn ? NO_OBJECTION : { problems: [], effects: [`Coupons of ${users} wait while the offer is off.`] };
  },
};
