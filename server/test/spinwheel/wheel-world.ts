import assert from 'node:assert/strict';
import { changeCoins, publishWheel } from '../../src/modules/spinwheel/index.ts';
import { uuidV7 } from '../../src/platform/ids.ts';
import type { ApiReply } from '../harness/api-client.ts';
import type { TestMember } from '../harness/members.ts';
import type { System } from '../harness/system.ts';

type World = Pick<System, 'database' | 'api'>;

export const SIGNATURE = { by: 'nok', why: 'as was agreed' };

type PrizeFile =
  | { kind: 'NONE' | 'GOODS' }
  | {
      kind: 'MONEY';
      amount: { BAHT: string; LAK: string };
      condition?: { percentSuccess: number; percentFail: number };
    }
  | { kind: 'COINS'; coins: number }
  | { kind: 'BONUS'; bonus: string };

const words = (text: string) => ({ th: `${text} th`, la: `${text} la`, en: `${text} en` });

/** A slice as an operator writes it. */
export const sliceOf = (code: string, weight: number, prize: PrizeFile) => ({
  code,
  weight,
  bgColor: '#112233',
  textColor: '#ffffff',
  label: prize.kind === 'MONEY' ? { th: '{{amount}}', la: '{{amount}}', en: '{{amount}}' } : words(code),
  prizeName: words(`prize ${code}`),
  htmlDescription: words(`about ${code}`),
  prize,
});
export const wheelOf = (...slices: ReturnType<typeof sliceOf>[]) => ({ name: words('wheel'), slices });

export const money = (baht: string, condition?: { percentSuccess: number; percentFail: number }): PrizeFile => ({
  kind: 'MONEY',
  amount: { BAHT: baht, LAK: '1000.00' },
  ...(condition && { condition }),
});

/** A wheel on which every spin wins the same. */
export const onlyWheel = (prize: PrizeFile) => wheelOf(sliceOf('A', 1, prize), sliceOf('B', 1, prize));

/** Replaces the published wheel. @returns its version */
export const publish = ({ database }: Pick<World, 'database'>, wheel: unknown): Promise<number> =>
  publishWheel(database, wheel, SIGNATURE);

export async function giveCoins({ database }: Pick<World, 'database'>, memberId: string, coins: number): Promise<void> {
  const after = await changeCoins(database, { id: uuidV7(new Date()), memberId, coins }, SIGNATURE);
  assert.notEqual(after, undefined);
}

export const spin = (
  system: Pick<World, 'api'>,
  { token }: Pick<TestMember, 'token'>,
  key?: string,
): Promise<ApiReply> =>
  system.api('POST /api/spinwheel/spin', { token, ...(key !== undefined && { idempotencyKey: key }) });

export const claim = (
  system: Pick<World, 'api'>,
  { token }: Pick<TestMember, 'token'>,
  coupon: string,
): Promise<ApiReply> => system.api('POST /api/spinwheel/coupon/claim', { token, body: { coupon } });

/** A spin that was made. */
export async function spinOnce(system: World, member: TestMember, key?: string) {
  const { status, body } = await spin(system, member, key);
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
export async function win(system: World, member: TestMember, prize: PrizeFile): Promise<string> {
  await publish(system, onlyWheel(prize));
  await giveCoins(system, member.id, 1);
  return (await spinOnce(system, member)).spinId;
}

/** Purses where the movements don't add up to the coins, of all members. */
export async function brokenPurses({ database }: Pick<World, 'database'>): Promise<unknown[]> {
  const { rows } = await database.query<object>(
    `select p.member_id, p.coins, coalesce(m.sum, 0) as moved from spinwheel_purse p
       left join (select member_id, sum(coins)::int as sum from spinwheel_coin_movement group by 1) m using (member_id)
      where p.coins <> coalesce(m.sum, 0) or p.coins < 0`,
  );
  return rows;
}

/** The setting as it is seeded. */
export const SETTING = { isActive: true, coinPer: { BAHT: '300.00', LAK: '200000.00' }, couponDays: 30 };
