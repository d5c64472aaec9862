import type { Currency, Minor } from '@krapao/contract/money';
import { canFollow, type NoticeState, noticeTransitions } from '@krapao/contract/states';
import type { Queryable } from '../../platform/database.ts';
import type { Arrival } from './arrival.ts';

/** All SQL of notices: a member's word that a transfer is on its way. */

type Sought = { house: string; currency: Currency; amount: Minor };

/** Notices that this money could be meant by: of exactly the amount, on this account or on any, not released yet. */
const SOUGHT = `pay_amount = $1 and currency = $2 and house in ('', $3) and release_at > now()`;

/** Members who have told that exactly this amount would come to this account. */
export async function selectMembersWhoTold(on: Queryable, { amount, currency, house }: Sought): Promise<string[]> {
  const { rows } = await on.query<{ memberId: string }>(
    `select distinct member_id as "memberId" from deposit_notice where ${SOUGHT} and state <> 'MATCHED'`,
    [amount, currency, house],
  );
  return rows.map(({ memberId }) => memberId);
}

/** Ends the member's oldest notice that this money was meant by, and lets its amount go. Repeating it changes nothing. */
export async function settleNotices(on: Queryable, arrival: Arrival, memberId: string): Promise<void> {
  await on.query(
    `with found as (
       select id from deposit_notice
       where ${SOUGHT} and member_id = $4 and state = any($6)
         and not exists (select from deposit_notice where arrival_id = $5 and state = 'MATCHED')
       order by created_at limit 1 for update),
     matched as (
       update deposit_notice set state = 'MATCHED', is_late = expires_at <= now(), arrival_id = $5,
         ended_at = coalesce(ended_at, now())
       where id in (select id from found) returning id)
     delete from reserved_amount where notice_id in (select id from matched)`,
    [arrival.amount, arrival.currency, arrival.house, memberId, arrival.id, noticeSourcesOf('MATCHED')],
  );
}

/** Tells a member that the amount they told of came from somebody else's account. */
export async function markThirdParty(on: Queryable, arrival: Arrival, memberId: string): Promise<void> {
  await on.query(
    `update deposit_notice set state = 'THIRD_PARTY', arrival_id = $5, ended_at = coalesce(ended_at, now())
     where ${SOUGHT} and member_id = $4 and state = any($6)`,
    [arrival.amount, arrival.currency, arrival.house, memberId, arrival.id, noticeSourcesOf('THIRD_PARTY')],
  );
}

export function noticeSourcesOf(target: NoticeState): NoticeState[] {
  const states = Object.keys(noticeTransitions) as NoticeState[];
  return states.filter((state) => canFollow<NoticeState>(noticeTransitions, state, target));
}
