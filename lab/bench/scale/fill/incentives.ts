import { MEMBER_OF_ROW, timeOf, OPEN_CONDITIONS, type TableFill, perMember } from './table-fill.ts';

const ENDED_CONDITIONS = perMember(3 / 10);

const INSERT_GRANT = `insert into incentive_grant (id, member_id, currency, kind, source, name, reference, amount, state, created_at,
  leased_until, paid_at)`;
const INSERT_CONDITION = `insert into incentive_condition (id, member_id, currency, kind, state, base, own, target, floor, percent_success,
  percent_fail, started_at, expires_at, ended_at, is_told, look_at)`;

/** Bonuses, their conditions, invitees, and the spin wheel. */
export const INCENTIVES: readonly TableFill[] = [
  {
    name: 'incentive_gate',
    rows: perMember(1),
    sql: `insert into incentive_gate (member_id) select bench.id('member', n) from generate_series($1::bigint, $2) n`,
  },
  {
    name: 'grants that have ended',
    rows: ENDED_CONDITIONS,
    sql: `${INSERT_GRANT} select bench.id('ended', n), ${MEMBER_OF_ROW}, 'BAHT', 'BONUS', 'ended ' || n, '{"en": "Bench"}', 'BENCHE' || n, 10000,
             'PAID', t.at, t.at, t.at
        from generate_series($1::bigint, $2) n cross join lateral (select ${timeOf(':members * 0.3')} as at) t`,
  },
  {
    name: 'conditions that have ended',
    rows: ENDED_CONDITIONS,
    sql: `${INSERT_CONDITION} select bench.id('ended', n), ${MEMBER_OF_ROW}, 'BAHT', 'BONUS', 'SUCCESS', 20000, 10000, 100000, 100, 500, 1, t.at, t.at,
             t.at, true, t.at
        from generate_series($1::bigint, $2) n cross join lateral (select ${timeOf(':members * 0.3')} as at) t`,
  },
  {
    name: 'open grants',
    rows: OPEN_CONDITIONS,
    sql: `${INSERT_GRANT} select bench.id('open', n), ${MEMBER_OF_ROW}, 'BAHT', 'BONUS', 'open ' || n, '{"en": "Bench"}', 'BENCHO' || n, 10000,
             'PAID', now() - interval '20 days', now(), now() - interval '20 days'
        from generate_series($1::bigint, $2) n`,
  },
  {
    // Due times are spread over an hour. The turnover starts with the member's first operation, which has the key of the grant.
    name: 'open conditions',
    rows: OPEN_CONDITIONS,
    sql: `${INSERT_CONDITION} select bench.id('open', n), ${MEMBER_OF_ROW}, 'BAHT', 'BONUS', 'ACTIVE', 20000, 10000, 100000, 100, 500, 1,
             now() - interval '20 days', now() + interval '20 days', null, false,
             now() + (10 + n % 50) * interval '1 minute'
        from generate_series($1::bigint, $2) n`,
  },
  {
    name: 'bonus_receipt',
    rows: ENDED_CONDITIONS,
    sql: `insert into bonus_receipt (id, member_id, code, currency, amount, received_at)
      select bench.id('ended', n), ${MEMBER_OF_ROW}, (select min(code) from bonus_offer), 'BAHT', 10000, ${timeOf(':members * 0.3')}
        from generate_series($1::bigint, $2) n`,
  },
  {
    name: 'refund',
    rows: perMember(1 / 5),
    sql: `insert into refund (member_id, period_from, period_to, currency, paid_in, lost, percent, amount, source, created_at)
      select ${MEMBER_OF_ROW}, t.at, t.at + interval '1 day', 'BAHT', 10000, 10000, 5, 500, 'bench ' || n, t.at
        from generate_series($1::bigint, $2) n cross join lateral (select ${timeOf(':members / 5')} as at) t`,
  },
  {
    // Ten invitees per inviter.
    name: 'invite',
    rows: perMember(1 / 5),
    sql: `insert into invite (inviter_id, member_id, currency, created_at, has_deposit, played, claimed, earned, looked_at)
      select bench.id('member', :members - n / 10), bench.id('member', n), 'BAHT', now(), true, 1000, 1000, 10, now()
        from generate_series($1::bigint, $2) n`,
  },
  {
    name: 'invite_inviter',
    rows: perMember(1 / 50),
    sql: `insert into invite_inviter (member_id, currency, looked_at) select bench.id('member', :members - n + 1), 'BAHT', now()
        from generate_series($1::bigint, $2) n`,
  },
  {
    name: 'invite_play',
    rows: perMember(1 / 5),
    sql: `insert into invite_play (inviter_id, member_id, kind, losses, seq)
      select bench.id('member', :members - n / 10), bench.id('member', n), 'GAME:pg', 1000, 7 from generate_series($1::bigint, $2) n`,
  },
  {
    name: 'spinwheel_purse',
    rows: perMember(1),
    sql: `insert into spinwheel_purse (member_id, coins, deposits_seen, paid_in) select bench.id('member', n), 10, 6, 150000
        from generate_series($1::bigint, $2) n`,
  },
  {
    name: 'spinwheel_coin_movement',
    rows: perMember(2),
    sql: `insert into spinwheel_coin_movement (member_id, source, coins, coins_after, created_at)
      select ${MEMBER_OF_ROW}, 'bench ' || n, 5, 5, ${timeOf('2 * :members')} from generate_series($1::bigint, $2) n`,
  },
  {
    name: 'spinwheel_seed',
    rows: perMember(1),
    sql: `insert into spinwheel_seed (id, member_id, state, commitment, sealed_seed, client_seed, nonce)
      select bench.id('seed', n), ${MEMBER_OF_ROW}, 'CURRENT', md5(n::text), '\\x00', 'bench', 1 from generate_series($1::bigint, $2) n`,
  },
  {
    name: 'spinwheel_spin',
    rows: perMember(1),
    sql: `insert into spinwheel_spin (id, member_id, idempotency_key, seed_id, nonce, version, slice, slice_code, coins_after, created_at)
      select bench.id('spin', n), ${MEMBER_OF_ROW}, 'bench', bench.id('seed', n), 1, (select min(version) from spinwheel_version), 0, 'bench',
             4, ${timeOf(':members')}
        from generate_series($1::bigint, $2) n`,
  },
];
