import { type Currency, toDecimal } from '@krapao/contract/money';
import type { Queryable, Tx } from '../../platform/database/database.ts';
import { minorToDecimalOrNull, decimalToMinorOrNull } from '../../platform/documents/fields.ts';
import type { OfferDocument } from './offer-subject.ts';

export async function selectOfferCodes(on: Queryable): Promise<string[]> {
  const { rows } = await on.query<{ code: string }>('select code from bonus_offer order by kind, position, code');
  return rows.map(({ code }) => code);
}

/** Receipts that count towards a quota or budget try again. Others are not delayed, because the lock leaves the key free. */
export async function lockOffer(tx: Tx, code: string): Promise<void> {
  await tx.query('select from bonus_offer where code = $1 for no key update', [code]);
  await tx.query('select from bonus_offer_amount where code = $1 order by currency for no key update', [code]);
}

type OfferFields = Omit<OfferDocument, 'amounts' | 'startsAt' | 'endsAt'>;
type OfferRow = { fields: OfferFields; startsAt: Date | null; endsAt: Date | null };
type AmountRow = { currency: Currency } & Record<'minimumDeposit' | 'rest', string> &
  Record<'maximum' | 'fixed' | 'budget', string | null>;

/** An offer as a document; null if it does not exist. An infinite date is no limit, like a missing one. */
export async function selectOfferDocument(on: Queryable, code: string): Promise<OfferDocument | null> {
  const { rows } = await on.query<OfferRow>(
    `select case when isfinite(starts_at) then starts_at end as "startsAt", case when isfinite(ends_at) then ends_at end as "endsAt",
       json_build_object('code', code, 'kind', kind, 'isOn', is_on, 'type', type, 'maxReceived', max_received,
         'percent', percent, 'percentSuccess', percent_success, 'percentFail', percent_fail, 'turnoverTimes', turnover_times,
         'windowHours', window_hours, 'quota', quota, 'name', name, 'description', description, 'banners', banners,
         'position', position) as fields
     from bonus_offer where code = $1`,
    [code],
  );
  const [row] = rows;
  if (!row) return null;
  const { code: ownCode, kind, isOn, position, ...terms } = row.fields;
  return {
    code: ownCode,
    kind,
    isOn,
    startsAt: row.startsAt?.toISOString() ?? null,
    endsAt: row.endsAt?.toISOString() ?? null,
    ...terms,
    amounts: await selectAmounts(on, code),
    position,
  };
}

async function selectAmounts(on: Queryable, code: string): Promise<OfferDocument['amounts']> {
  const { rows } = await on.query<AmountRow>(
    `select currency, minimum_deposit::text as "minimumDeposit", maximum::text, fixed::text, rest::text, budget::text
       from bonus_offer_amount where code = $1 order by currency`,
    [code],
  );
  return Object.fromEntries(
    rows.map(({ currency, minimumDeposit, maximum, fixed, rest, budget }) => [
      currency,
      {
        minimumDeposit: toDecimal(BigInt(minimumDeposit)),
        maximum: minorToDecimalOrNull(maximum),
        fixed: minorToDecimalOrNull(fixed),
        rest: toDecimal(BigInt(rest)),
        budget: minorToDecimalOrNull(budget),
      },
    ]),
  );
}

/** Inserts or changes an offer. Counts of receipts stay. */
export async function saveOffer(tx: Tx, { amounts, ...offer }: OfferDocument): Promise<void> {
  await tx.query(
    `insert into bonus_offer (code, kind, is_on, starts_at, ends_at, type, max_received, percent, percent_success, percent_fail,
       turnover_times, window_hours, quota, name, description, banners, position)
     select o.* from jsonb_to_record($1) o(code text, kind text, "isOn" boolean, "startsAt" timestamptz, "endsAt" timestamptz,
       type text, "maxReceived" int, percent numeric, "percentSuccess" numeric, "percentFail" numeric,
       "turnoverTimes" numeric, "windowHours" int, quota int, name jsonb, description jsonb, banners jsonb, position int)
     on conflict (code) do update set kind = excluded.kind, is_on = excluded.is_on, starts_at = excluded.starts_at,
       ends_at = excluded.ends_at, type = excluded.type, max_received = excluded.max_received, percent = excluded.percent,
       percent_success = excluded.percent_success, percent_fail = excluded.percent_fail,
       turnover_times = excluded.turnover_times, window_hours = excluded.window_hours, quota = excluded.quota,
       name = excluded.name, description = excluded.description, banners = excluded.banners, position = excluded.position`,
    [JSON.stringify(offer)],
  );
  await tx.query('delete from bonus_offer_amount where code = $1 and currency::text <> all($2)', [
    offer.code,
    Object.keys(amounts),
  ]);
  for (const [currency, { minimumDeposit, maximum, fixed, rest, budget }] of Object.entries(amounts)) {
    await tx.query(
      `insert into bonus_offer_amount (code, currency, minimum_deposit, maximum, fixed, rest, budget)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (code, currency) do update set minimum_deposit = excluded.minimum_deposit, maximum = excluded.maximum,
         fixed = excluded.fixed, rest = excluded.rest, budget = excluded.budget`,
      [
        offer.code,
        currency,
        decimalToMinorOrNull(minimumDeposit),
        decimalToMinorOrNull(maximum),
        decimalToMinorOrNull(fixed),
        decimalToMinorOrNull(rest),
        decimalToMinorOrNull(budget),
      ],
    );
  }
}

export async function deleteOffer(tx: Tx, code: string): Promise<void> {
  await tx.query('delete from bonus_offer_amount where code = $1', [code]);
  await tx.query('delete from bonus_offer where code = $1', [code]);
}

/** What refers to an offer. `counted` and `spent`: receipts and money that its quota and budgets have counted. */
export type OfferUse = {
  receipts: number;
  /** Deposits whose chosen bonus is not received yet. */
  waiting: number;
  counted: number;
  amounts: { currency: Currency; spent: bigint; spentText: string }[];
};

export async function selectOfferUse(on: Queryable, code: string): Promise<OfferUse> {
  const { rows } = await on.query<Omit<OfferUse, 'amounts'>>(
    `select (select count(*)::int from bonus_receipt r where r.code = $1) as receipts,
            (select count(*)::int from deposit_bonus d where d.code = $1 and d.state = 'DUE') as waiting,
            coalesce((select o.given from bonus_offer o where o.code = $1), 0) as counted`,
    [code],
  );
  const { rows: amounts } = await on.query<{ currency: Currency; spent: bigint }>(
    'select currency, given as spent from bonus_offer_amount where code = $1',
    [code],
  );
  const [use] = rows;
  if (!use) throw new Error('a statement without a table returned no row');
  return { ...use, amounts: amounts.map((amount) => ({ ...amount, spentText: toDecimal(amount.spent) })) };
}
