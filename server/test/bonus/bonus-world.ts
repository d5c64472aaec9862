import { strict as assert } from 'node:assert';
import type { Ledger } from '../../src/ledger/index.ts';
import type { ApiReply } from '../harness/api-client.ts';
import { registerMember, type TestMember } from '../harness/members.ts';
import { fund } from '../harness/money.ts';
import type { System } from '../harness/system.ts';

type World = Pick<System, 'api'>;
type Holder = Pick<TestMember, 'token'>;

/** Default terms of an offer: equal to the deposit, met at three times both, lost at a tenth. */
const PLAIN = {
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

let made = 0;

/** A new member with these deposits, made one after the other. */
export async function memberWith(system: System, ledger: Ledger, ...deposits: readonly string[]): Promise<TestMember> {
  // Clocks of these tests advance by weeks.
  const member = await registerMember(system, { remember: true });
  for (const deposit of deposits) await fund(ledger, member.id, deposit);
  return member;
}

/** Makes an offer, as an operator would. @returns its code */
export async function makeOffer(
  { database }: Pick<System, 'database'>,
  terms: Partial<typeof PLAIN> = {},
): Promise<string> {
  const offer = { ...PLAIN, ...terms };
  made += 1;
  const code = `OFFER-${made}`;
  const say = (text: string): string => JSON.stringify({ th: `${text} th`, la: `${text} la`, en: `${text} en` });
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
      say(code),
      say(offer.html),
      `[{"image": "", "html": ${say(offer.html)}}]`,
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

/** Changes an offer, as an operator would. */
export async function changeOffer(
  { database }: Pick<System, 'database'>,
  code: string,
  column: 'is_on' | 'max_received' | 'quota' | 'starts_at' | 'ends_at',
  value: unknown,
): Promise<void> {
  const { rowCount } = await database.query(`update bonus_offer set ${column} = $2 where code = $1`, [code, value]);
  assert.equal(rowCount, 1, code);
}

export const receive = (system: World, { token }: Holder, code: string): Promise<ApiReply> =>
  system.api('GET /api/bonus/activate/{code}', { token, params: { code } });

export const redeem = (system: World, { token }: Holder, code: string): Promise<ApiReply> =>
  system.api('GET /api/promotion/activate/{code}', { token, params: { code } });

export const find = (system: World, { token }: Holder, code: string): Promise<ApiReply> =>
  system.api('GET /api/promotion/find/{code}', { token, params: { code } });

export const clear = (system: World, { token }: Holder): Promise<ApiReply> =>
  system.api('GET /api/bonus/clear', { token });

/** What is active, how far it is, and what giving it up would do. */
// oxlint-disable-next-line typescript/no-explicit-any
export async function active(system: World, { token }: Holder): Promise<any> {
  const { status, body } = await system.api('GET /api/bonus/check/active', { token });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** The bonuses that a member sees. */
// oxlint-disable-next-line typescript/no-explicit-any
export async function listed(system: World, { token }: Holder, language = 'EN'): Promise<any[]> {
  const { status, body } = await system.api('GET /api/bonus', { token, headers: { cookie: `language=${language}` } });
  assert.equal(status, 200, JSON.stringify(body));
  return body;
}

/** How often a member has received an offer, by the books of offers and by those of grants: both are the same. */
export async function receivedTimes({ database }: Pick<System, 'database'>, memberId: string): Promise<number> {
  const { rows } = await database.query<{ receipts: number; grants: number }>(
    `select (select count(*)::int from bonus_receipt where member_id = $1) as receipts,
            (select count(*)::int from incentive_grant where member_id = $1 and state = 'PAID') as grants`,
    [memberId],
  );
  assert.equal(rows[0]?.grants, rows[0]?.receipts, 'every receipt is a grant that was paid, and the other way round');
  return rows[0]?.receipts ?? 0;
}
