import { strict as assert } from 'node:assert';
import type { Ledger } from '../../src/ledger/index.ts';
import type { ApiReply } from '../harness/api-client.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { fundWallet } from '../harness/money.ts';
import type { System } from '../harness/system.ts';

type SystemClients = Pick<System, 'api'>;
type TokenHolder = Pick<TestMember, 'token'>;

/** Default terms of an offer: equal to the deposit, met at three times both, lost at a tenth. */
const DEFAULT_TERMS = {
  kind: 'BONUS' as 'BONUS' | 'PROMOTION',
  isOn: true,
  startsAt: null as string | null,
  endsAt: null as string | null,
  type: 'limit' as 'limit' | 'day' | 'week',
  maxReceived: 1,
  percent: 100 as number | null,
  success: 300,
  fail: 10,
  turnoverTimes: null as number | null,
  windowHours: 24,
  quota: null as number | null,
  currency: 'BAHT',
  /** In minor units. */
  minimum: 100_00n,
  maximum: 1_000_00n as bigint | null,
  fixed: null as bigint | null,
  rest: 0n,
  budget: null as bigint | null,
  html: '<p>of the operator</p>',
};

let offerCount = 0;

/** Registers a member and makes these deposits one after another. */
export async function memberWithDeposits(
  system: System,
  ledger: Ledger,
  ...deposits: readonly string[]
): Promise<TestMember> {
  // The clocks of these tests advance by weeks.
  const member = await registerMember(system, { remember: true });
  for (const deposit of deposits) await fundWallet(ledger, member.id, deposit);
  return member;
}

/** Inserts an offer. @returns its code */
export async function insertOffer(
  { database }: Pick<System, 'database'>,
  offerTerms: Partial<typeof DEFAULT_TERMS> = {},
): Promise<string> {
  const offer = { ...DEFAULT_TERMS, ...offerTerms };
  offerCount += 1;
  const code = `OFFER-${offerCount}`;
  const localizedJson = (text: string): string =>
    JSON.stringify({ th: `${text} th`, la: `${text} la`, en: `${text} en` });
  await database.query(
    `insert into bonus_offer (code, kind, is_on, starts_at, ends_at, type, max_received, percent, percent_success, percent_fail,
       turnover_times, window_hours, quota, name, description, banners)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`,
    [
      code,
      offer.kind,
      offer.isOn,
      offer.startsAt,
      offer.endsAt,
      offer.type,
      offer.maxReceived,
      offer.fixed === null ? offer.percent : null,
      offer.success,
      offer.fail,
      offer.turnoverTimes,
      offer.windowHours,
      offer.quota,
      localizedJson(code),
      localizedJson(offer.html),
      `[{"image": "", "html": ${localizedJson(offer.html)}}]`,
    ],
  );
  await database.query(
    `insert into bonus_offer_amount (code, currency, minimum_deposit, maximum, fixed, rest, budget) values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      code,
      offer.currency,
      offer.minimum,
      offer.fixed === null ? offer.maximum : null,
      offer.fixed,
      offer.rest,
      offer.budget,
    ],
  );
  return code;
}

/** Updates a field of an offer. */
export async function updateOffer(
  { database }: Pick<System, 'database'>,
  code: string,
  column: 'is_on' | 'max_received' | 'quota' | 'starts_at' | 'ends_at',
  value: unknown,
): Promise<void> {
  const { rowCount } = await database.query(`update bonus_offer set ${column} = $2 where code = $1`, [code, value]);
  assert.equal(rowCount, 1, code);
}

export const receiveBonus = (system: SystemClients, { token }: TokenHolder, code: string): Promise<ApiReply> =>
  system.api('GET /api/bonus/activate/{code}', { token, params: { code } });

export const redeemPromotion = (system: SystemClients, { token }: TokenHolder, code: string): Promise<ApiReply> =>
  system.api('GET /api/promotion/activate/{code}', { token, params: { code } });

export const findPromotion = (system: SystemClients, { token }: TokenHolder, code: string): Promise<ApiReply> =>
  system.api('GET /api/promotion/find/{code}', { token, params: { code } });

export const clearBonus = (system: SystemClients, { token }: TokenHolder): Promise<ApiReply> =>
  system.api('GET /api/bonus/clear', { token });

/** The active bonus, its progress, and the effect of giving it up. */
// oxlint-disable-next-line typescript/no-explicit-any
export async function readActiveBonus(system: SystemClients, { token }: TokenHolder): Promise<any> {
  const { status, body } = await system.api('GET /api/bonus/check/active', { token });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** The bonuses in the member's list. */
// oxlint-disable-next-line typescript/no-explicit-any
export async function listBonuses(system: SystemClients, { token }: TokenHolder, language = 'EN'): Promise<any[]> {
  const { status, body } = await system.api('GET /api/bonus', { token, headers: { cookie: `language=${language}` } });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** Number of a member's receipts of an offer, in `bonus_receipt` and in the grants: both are equal. */
export async function countReceived({ database }: Pick<System, 'database'>, memberId: string): Promise<number> {
  const { rows } = await database.query<{ receipts: number; grants: number }>(
    `select (select count(*)::int from bonus_receipt where member_id = $1) as receipts,
            (select count(*)::int from incentive_grant where member_id = $1 and state = 'PAID') as grants`,
    [memberId],
  );
  assert.equal(rows[0]?.grants, rows[0]?.receipts, 'every receipt is a grant that was paid, and the other way round');
  return rows[0]?.receipts ?? 0;
}
