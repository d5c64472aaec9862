import type { Currency, Minor } from '@krapao/contract/money';
import { type CashEntry, cashSinceField } from '../../ledger/index.ts';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { hideFromPlanner } from '../../platform/database/statements.ts';
import { suspended } from '../account/index.ts';
import { type ConditionGate, memberLockVersion } from '../incentive/index.ts';
import type { Offer, OfferKind } from './bonus.ts';

type OfferRow = Omit<Offer, 'percent' | 'percentSuccess' | 'percentFail' | 'turnoverTimes'> & {
  percent: string | null;
  percentSuccess: string;
  percentFail: string;
  turnoverTimes: string | null;
};

/** Selects one offer for a member. */
type OfferSelector = { kind: OfferKind; code: string; currency: Currency; now: Date };

const SELECT_OFFER_SQL = `select o.code, o.kind, a.currency, o.is_on as "isOn", o.type, o.max_received as "maxReceived", o.percent, a.fixed, a.maximum,
    a.minimum_deposit as "minimumDeposit", o.percent_success as "percentSuccess", o.percent_fail as "percentFail",
    o.turnover_times as "turnoverTimes", o.window_hours as "windowHours", a.rest, o.quota - o.given as "leftCount",
    a.budget - a.given as "leftBudget", o.name, o.description, o.banners
  from bonus_offer o join bonus_offer_amount a on a.code = o.code`;
const IS_OFFERED_SQL = `o.is_on and coalesce(o.starts_at <= $3, true) and coalesce(o.ends_at > $3, true)`;

function toOffer({ percent, percentSuccess, percentFail, turnoverTimes, ...row }: OfferRow): Offer {
  return {
    ...row,
    percent: percent === null ? null : Number(percent),
    percentSuccess: Number(percentSuccess),
    percentFail: Number(percentFail),
    turnoverTimes: turnoverTimes === null ? null : Number(turnoverTimes),
  };
}

/** Offers that members of a currency can receive at a time, in display order. */
export async function selectOffers(on: Queryable, kind: OfferKind, currency: Currency, now: Date): Promise<Offer[]> {
  const { rows } = await on.query<OfferRow>(
    `${SELECT_OFFER_SQL} where o.kind = $1 and a.currency = $2 and ${IS_OFFERED_SQL} order by o.position, o.code`,
    [kind, currency, now],
    { name: 'offers' },
  );
  return rows.map(toOffer);
}

/** One offer that members of a currency can receive at a time, by its code. */
export async function findOffered(
  on: Queryable,
  { kind, code, currency, now }: OfferSelector,
): Promise<Offer | undefined> {
  const { rows } = await on.query<OfferRow>(
    `${SELECT_OFFER_SQL} where o.kind = $1 and a.currency = $2 and ${IS_OFFERED_SQL} and o.code = $4`,
    [kind, currency, now, code],
    { name: 'offer by its code' },
  );
  return rows[0] && toOffer(rows[0]);
}

/** An offer by its code, even if it is switched off or has ended. */
export async function findOffer(on: Queryable, code: string, currency: Currency): Promise<Offer | undefined> {
  const { rows } = await on.query<OfferRow>(`${SELECT_OFFER_SQL} where o.code = $1 and a.currency = $2`, [
    code,
    currency,
  ]);
  return rows[0] && toOffer(rows[0]);
}

export type Receipt = { id: string; code: string; receivedAt: Date };

/** Newest receipts of a member that count towards a limit, at most `limit` per offer code. */
export async function selectReceipts(
  on: Queryable,
  memberId: string,
  codes: readonly string[],
  limit: number,
): Promise<Receipt[]> {
  const { rows } = await on.query<Receipt>(
    `select r.id, r.code, r.received_at as "receivedAt"
       from unnest(${hideFromPlanner('$2::text[]')}) wanted (code)
       cross join lateral (
         select * from bonus_receipt
          where member_id = $1 and code = wanted.code and deposit_operation is not null order by seq desc limit ${hideFromPlanner('$3::bigint')}) r`,
    [memberId, codes, limit],
  );
  return rows;
}

/** State read before the games are queried. The decision uses {@link ClaimableOffer}. */
export type ClaimPreview = { isOffered: boolean; isSuspended: boolean; hasConditions: boolean };

/** Reads in one statement whether the offer exists, the wallet is suspended and a condition is open. */
export async function previewClaim(
  on: Queryable,
  memberId: string,
  { kind, code, currency, now }: OfferSelector,
): Promise<ClaimPreview> {
  const { rows } = await on.query<Omit<ClaimPreview, 'hasConditions'> & { gate: never }>(
    `select offered.code is not null as "isOffered", (${suspended.sql}) as "isSuspended", (${memberLockVersion.sql}) as gate
       from (select $5::uuid as member_id) asked
       left join (${SELECT_OFFER_SQL} where o.kind = $1 and a.currency = $2 and ${IS_OFFERED_SQL} and o.code = $4) offered on true`,
    [kind, currency, now, code, memberId],
    { name: 'preview of a claim' },
  );
  const [row] = rows;
  if (!row) throw new Error('a preview has no row');
  const { gate, ...preview } = row;
  return { ...preview, hasConditions: memberLockVersion.read(gate).hasConditions };
}

/** An offer with the member's data that decide a claim. */
export type ClaimableOffer = {
  offer: Offer;
  /** Number of receipts that count towards the offer's limit. */
  received: number;
  /** Newest deposit that an offer was already received on. */
  lastUsed: bigint | null;
  /** Times of the newest receipts of the offer, at most `maxReceived`. */
  receipts: readonly Date[];
  /** Deposits and withdrawals in the offer's time window, newest first. */
  cash: readonly CashEntry[];
  gate: ConditionGate;
};

type ClaimableRow = OfferRow &
  Pick<ClaimableOffer, 'received' | 'lastUsed' | 'receipts'> &
  Record<'cash' | 'gate', never>;

const CASH_ENTRIES_MAX = 200;
const cashInWindowField = cashSinceField(`$3 - offered."windowHours" * interval '1 hour'`, CASH_ENTRIES_MAX);

/**
 * Reads in one statement an offer, the member's receipts of it, and the deposits that may qualify.
 * @param periodStarts start of the current day and week, for the receipts that count
 */
export async function findClaimable(
  on: Queryable,
  memberId: string,
  { kind, code, currency, now }: OfferSelector,
  periodStarts: Readonly<Record<'day' | 'week', Date>>,
): Promise<ClaimableOffer | undefined> {
  const { rows } = await on.query<ClaimableRow>(
    `select offered.*, (
         select count(*)::int from bonus_receipt r
          where r.member_id = asked.member_id and r.code = offered.code and r.deposit_operation is not null
            and r.received_at >= case offered.type when 'limit' then '-infinity' when 'day' then $6::timestamptz else $7 end) as received,
       (select max(r.deposit_operation) from bonus_receipt r where r.member_id = asked.member_id) as "lastUsed",
       array(select r.received_at from bonus_receipt r
              where r.member_id = asked.member_id and r.code = offered.code and r.deposit_operation is not null
              order by r.seq desc limit offered."maxReceived") as receipts,
       (${cashInWindowField.sql}) as cash, (${memberLockVersion.sql}) as gate
      from (select $5::uuid as member_id) asked
      cross join (${SELECT_OFFER_SQL} where o.kind = $1 and a.currency = $2 and ${IS_OFFERED_SQL} and o.code = $4) offered`,
    [kind, currency, now, code, memberId, periodStarts.day, periodStarts.week],
    { name: 'offer to claim' },
  );
  const [row] = rows;
  if (!row) return undefined;
  const { received, lastUsed, receipts, cash: cashEntries, gate, ...offer } = row;
  return {
    offer: toOffer(offer),
    received,
    lastUsed,
    receipts,
    cash: cashInWindowField.read(cashEntries),
    gate: memberLockVersion.read(gate),
  };
}

/** Code of the offer that a member received last, prizes included. */
export async function findLastReceivedCode(on: Queryable, memberId: string): Promise<string | undefined> {
  const { rows } = await on.query<{ code: string }>(
    `select code from bonus_receipt where member_id = $1 order by seq desc limit 1`,
    [memberId],
  );
  return rows[0]?.code;
}

export async function insertReceipt(
  tx: Tx,
  receipt: {
    id: string;
    memberId: string;
    code: string;
    currency: Currency;
    amount: Minor;
    depositOperation: bigint | null;
    receivedAt: Date;
  },
): Promise<void> {
  await tx.query(
    `insert into bonus_receipt (id, member_id, code, currency, amount, deposit_operation, received_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      receipt.id,
      receipt.memberId,
      receipt.code,
      receipt.currency,
      receipt.amount,
      receipt.depositOperation,
      receipt.receivedAt,
    ],
  );
}

export type NewOffer = {
  code: string;
  kind: OfferKind;
  startsAt: string | null;
  endsAt: string | null;
  type: string;
  maxReceived: number;
  percent: number | null;
  percentSuccess: number;
  percentFail: number;
  turnoverTimes: number | null;
  windowHours: number;
  quota: number | null;
  name: object;
  description: object;
  banners: readonly object[];
};
export type NewOfferAmount = {
  minimumDeposit: bigint;
  maximum: bigint | null;
  fixed: bigint | null;
  rest: bigint;
  budget: bigint | null;
};

// Seeding keeps offers that already exist.

export async function insertOffer(tx: Tx, offer: NewOffer, position: number): Promise<void> {
  await tx.query(
    `insert into bonus_offer (code, kind, starts_at, ends_at, type, max_received, percent, percent_success, percent_fail,
       turnover_times, window_hours, quota, name, description, banners, position)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) on conflict do nothing`,
    [
      offer.code,
      offer.kind,
      offer.startsAt,
      offer.endsAt,
      offer.type,
      offer.maxReceived,
      offer.percent,
      offer.percentSuccess,
      offer.percentFail,
      offer.turnoverTimes,
      offer.windowHours,
      offer.quota,
      JSON.stringify(offer.name),
      JSON.stringify(offer.description),
      JSON.stringify(offer.banners),
      position,
    ],
  );
}

export async function insertOfferAmount(tx: Tx, code: string, currency: string, amount: NewOfferAmount): Promise<void> {
  await tx.query(
    `insert into bonus_offer_amount (code, currency, minimum_deposit, maximum, fixed, rest, budget)
     values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`,
    [code, currency, amount.minimumDeposit, amount.maximum, amount.fixed, amount.rest, amount.budget],
  );
}

/** An offer in one currency as shown to an operator. Amounts in minor units. */
export type ListedOffer = {
  code: string;
  kind: OfferKind;
  currency: Currency;
  isOn: boolean;
  startsAt: Date | null;
  endsAt: Date | null;
  /** Receipts of members with this currency, prizes included, and the number of those members. */
  receipts: number;
  members: number;
  amount: Minor;
  /** Remaining receipts and money for all members together; null without a limit. */
  leftCount: number | null;
  leftBudget: Minor | null;
};

/** Every offer, in display order. */
export async function selectAllOffers(on: Queryable): Promise<ListedOffer[]> {
  const { rows } = await on.query<ListedOffer>(
    `select o.code, o.kind, a.currency, o.is_on as "isOn", o.starts_at as "startsAt", o.ends_at as "endsAt",
            coalesce(r.receipts, 0) as receipts, coalesce(r.members, 0) as members, coalesce(r.amount, 0) as amount,
            o.quota - o.given as "leftCount", a.budget - a.given as "leftBudget"
       from bonus_offer o
       join bonus_offer_amount a on a.code = o.code
       left join (select code, currency, count(*)::int as receipts, count(distinct member_id)::int as members,
                         sum(amount)::bigint as amount
                    from bonus_receipt group by code, currency) r on r.code = a.code and r.currency = a.currency
      order by o.kind, o.position, o.code, a.currency`,
  );
  return rows;
}

/** @returns false if the offer does not exist or already has this state */
export async function saveOfferSwitch(tx: Tx, code: string, isOn: boolean): Promise<boolean> {
  const { rowCount } = await tx.query('update bonus_offer set is_on = $2 where code = $1 and is_on <> $2', [
    code,
    isOn,
  ]);
  return rowCount === 1;
}
