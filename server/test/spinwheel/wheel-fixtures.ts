import assert from 'node:assert/strict';
import { changeCoins, publishWheel } from '../../src/modules/spinwheel/index.ts';
import { uuidV7 } from '../../src/platform/ids.ts';
import type { ApiReply } from '../harness/api-client.ts';
import type { TestMember } from '../harness/members.ts';
import type { System } from '../harness/system.ts';

type SystemClients = Pick<System, 'database' | 'api'>;

export const OPERATOR_SIGNATURE = { by: 'nok', why: 'as was agreed' };

type PrizeFile =
  | { kind: 'NONE' | 'GOODS' }
  | {
      kind: 'MONEY';
      amount: { BAHT: string; LAK: string };
      condition?: { percentSuccess: number; percentFail: number };
    }
  | { kind: 'COINS'; coins: number }
  | { kind: 'BONUS'; bonus: string };

const localizedText = (text: string) => ({ th: `${text} th`, la: `${text} la`, en: `${text} en` });

/** A slice in the operator's file format. */
export const wheelSlice = (code: string, weight: number, prize: PrizeFile) => ({
  code,
  weight,
  bgColor: '#112233',
  textColor: '#ffffff',
  label: prize.kind === 'MONEY' ? { th: '{{amount}}', la: '{{amount}}', en: '{{amount}}' } : localizedText(code),
  prizeName: localizedText(`prize ${code}`),
  htmlDescription: localizedText(`about ${code}`),
  prize,
});
export const wheelFileOf = (...slices: ReturnType<typeof wheelSlice>[]) => ({ name: localizedText('wheel'), slices });

export const moneyPrize = (baht: string, condition?: { percentSuccess: number; percentFail: number }): PrizeFile => ({
  kind: 'MONEY',
  amount: { BAHT: baht, LAK: '1000.00' },
  ...(condition && { condition }),
});

/** A wheel on which every spin wins the same. */
export const singlePrizeWheel = (prize: PrizeFile) => wheelFileOf(wheelSlice('A', 1, prize), wheelSlice('B', 1, prize));

/** Replaces the published wheel. @returns its version */
export const publishTestWheel = ({ database }: Pick<SystemClients, 'database'>, wheel: unknown): Promise<number> =>
  database.tx((tx) => publishWheel(tx, wheel, OPERATOR_SIGNATURE));

export async function giveCoins(
  { database }: Pick<SystemClients, 'database'>,
  memberId: string,
  coins: number,
): Promise<void> {
  const coinsAfter = await changeCoins(database, { id: uuidV7(new Date()), memberId, coins }, OPERATOR_SIGNATURE);
  assert.notEqual(coinsAfter, undefined);
}

export const spinWheel = (
  system: Pick<SystemClients, 'api'>,
  { token }: Pick<TestMember, 'token'>,
  key?: string,
): Promise<ApiReply> =>
  system.api('POST /api/spinwheel/spin', { token, ...(key !== undefined && { idempotencyKey: key }) });

export const claimCoupon = (
  system: Pick<SystemClients, 'api'>,
  { token }: Pick<TestMember, 'token'>,
  coupon: string,
): Promise<ApiReply> => system.api('POST /api/spinwheel/coupon/claim', { token, body: { coupon } });

/** Makes one successful spin. */
export async function spinOnce(system: SystemClients, member: TestMember, key?: string) {
  const { status, body } = await spinWheel(system, member, key);
  assert.equal(status, 200, JSON.stringify(body));
  assert.equal(body.success, true, JSON.stringify(body));
  return body.result as {
    spinId: string;
    code: string;
    label: string;
    remainingCoin: number;
    hasPrize: boolean;
    version: number;
    nonce: number;
  };
}

/** Wins a coupon for the prize; its id. */
export async function winCoupon(system: SystemClients, member: TestMember, prize: PrizeFile): Promise<string> {
  await publishTestWheel(system, singlePrizeWheel(prize));
  await giveCoins(system, member.id, 1);
  return (await spinOnce(system, member)).spinId;
}

/** Members whose coin movements don't add up to their coins. */
export async function findInconsistentCoinBalances({ database }: Pick<SystemClients, 'database'>): Promise<unknown[]> {
  const { rows } = await database.query<object>(
    `select p.member_id, p.coins, coalesce(m.sum, 0) as moved from spinwheel_purse p
       left join (select member_id, sum(coins)::int as sum from spinwheel_coin_movement group by 1) m using (member_id)
      where p.coins <> coalesce(m.sum, 0) or p.coins < 0`,
  );
  return rows;
}

/** The seeded setting. */
export const DEFAULT_WHEEL_SETTING = { isActive: true, coinPer: { BAHT: '300.00', LAK: '200000.00' }, couponDays: 30 };
