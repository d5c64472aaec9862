import type { Minor } from '@krapao/contract/money';
import { type GiftState, giftTransitions, isFinal } from '@krapao/contract/states';
import { type SnapshotField, snapshotField } from '../../../platform/database/batched-reads.ts';
import type { Queryable } from '../../../platform/database/database.ts';
import {
  type CreditSpeed,
  done,
  type Duration,
  open,
  type PendingEntry,
  stepAt,
  type Timeline,
} from '../../../platform/timeline.ts';

const METHOD = 'gift';

/** The member's links that are not settled. */
export const pendingGifts: SnapshotField<PendingEntry[]> = snapshotField(
  `select json_agg(json_build_object('reference', g.reference, 'state', g.state, 'since', g.created_at))
     from truelink_gift g where g.member_id = asked.member_id and g.state not in ('CREDITED', 'FAILED')`,
  (rows: { reference: string; state: GiftState; since: string }[] | null) =>
    (rows ?? []).map(({ reference, state, since }) => ({
      key: reference,
      kind: 'gift',
      state,
      amount: null,
      payAmount: null,
      place: 'WALLET_APP',
      since: new Date(since).toISOString(),
      expiresAt: null,
      target: null,
      expectation: { method: METHOD, since: new Date(since) },
    })),
);

type Row = {
  hash: string;
  state: GiftState;
  code: string | null;
  amount: Minor | null;
  createdAt: Date;
  redeemedAt: Date | null;
  endedAt: Date | null;
  bonusCode: string | null;
};

/** A link of the member as a timeline. */
export async function findGiftTimeline(
  on: Queryable,
  memberId: string,
  reference: string,
): Promise<Timeline | undefined> {
  const { rows } = await on.query<Row>(
    `select encode(hash_sha256, 'hex') as hash, state, code, amount, created_at as "createdAt",
            redeemed_at as "redeemedAt", ended_at as "endedAt", bonus_code as "bonusCode"
       from truelink_gift where reference = $1 and member_id = $2`,
    [reference, memberId],
    { name: 'gift-timeline' },
  );
  const [gift] = rows;
  if (!gift) return undefined;
  const { state, code, createdAt, redeemedAt, endedAt } = gift;
  const hasEnded = isFinal(giftTransitions, state);
  const received = done('received', createdAt);
  const isCredited = state === 'CREDITED';
  return {
    key: reference,
    kind: 'gift',
    status: isCredited ? 'SUCCESS' : hasEnded ? 'FAILED' : 'PROCESSING',
    requested: gift.amount,
    currency: 'BAHT',
    from: 'WALLET_APP',
    to: 'WALLET',
    account: null,
    bankReference: null,
    reason: hasEnded ? code : null,
    steps:
      state === 'FAILED'
        ? [received, stepAt('refused', endedAt)]
        : [received, stepAt('redeemed', redeemedAt), isCredited ? done('credited', endedAt) : open('credited')],
    expectation: hasEnded ? null : { method: METHOD, since: createdAt },
    bonusCode: gift.bonusCode,
    operations: isCredited ? [`deposit:gift:${gift.hash}`] : [],
    links: [],
  };
}

/** How long credited links took. @param since id made at the beginning of the period: ids are ordered by time */
export async function selectGiftDurations(on: Queryable, since: string): Promise<Duration[]> {
  const { rows } = await on.query<Duration>(
    `select '${METHOD}' as method, count(*)::int as samples,
            percentile_cont(0.9) within group (order by extract(epoch from ended_at - created_at) * 1000) as "p90Ms"
       from (select * from truelink_gift where id > $1 order by id desc limit 5000) g where state = 'CREDITED'
     having count(*) > 0`,
    [since],
  );
  return rows;
}

/** Time from sending the link to credit. @param since an id of the beginning of the week */
export async function selectGiftSpeeds(on: Queryable, since: string): Promise<CreditSpeed[]> {
  const { rows } = await on.query<CreditSpeed>(
    `select currency, percentile_disc(0.5) within group (order by ms) filter (where is_today) as "dayMs",
            (count(*) filter (where is_today))::int as "daySamples",
            percentile_disc(0.5) within group (order by ms) as "weekMs", count(*)::int as "weekSamples"
       from (select 'BAHT' as currency, ended_at > now() - interval '1 day' as is_today,
                    (extract(epoch from ended_at - created_at) * 1000)::float8 as ms
               from (select * from truelink_gift where id > $1 order by id desc limit 5000) newest
              where state = 'CREDITED') credited
      group by currency`,
    [since],
    { name: 'gift-speeds' },
  );
  return rows;
}
