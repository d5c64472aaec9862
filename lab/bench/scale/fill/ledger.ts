/**
 * Number of operations of a member; they have twenty entries. All members have the same operations, in sequence within each round, so
 * sequence and balance of each entry follow from its position, also on house accounts. Batches are hashed like in
 * `ledger.post_batch`; the audit finds no violation.
 */
export const OPERATIONS_PER_MEMBER = 11;

/** Lane of the history, with its own chain and stripes; no process uses it. */
export const LANE = 900;
/** Operations per batch, as on a busy evening. */
export const BATCH = 64;

// Amounts in hundredths. D: house account of deposits, P: of the provider, W: wallet, G: game account.
const ROUNDS_SQL = `(values
  (0, 'transfer', 'applied', 'deposit', 100000, 'D', 'W', null),
  (1, 'hold', 'posted', 'transfer', 10000, 'W', 'G', null),
  (2, 'post', 'applied', 'transfer', 10000, 'W', 'G', 1),
  (3, 'adjust', 'applied', 'play', 500, 'P', 'G', null),
  (4, 'adjust', 'applied', 'play', 500, 'G', 'P', null),
  (5, 'adjust', 'applied', 'play', 700, 'P', 'G', null),
  (6, 'hold', 'posted', 'transfer', 10000, 'W', 'G', null),
  (7, 'post', 'applied', 'transfer', 10000, 'W', 'G', 6),
  (8, 'adjust', 'applied', 'play', 700, 'G', 'P', null),
  (9, 'adjust', 'applied', 'play', 300, 'P', 'G', null),
  (10, 'transfer', 'applied', 'deposit', 50000, 'D', 'W', null)
) round(r, type, state, kind, amount, debit, credit, of)`;

// `k`: number of earlier entries of the account, `before`: balance before; on house accounts for all members together.
const LEGS_SQL = `(values
  (0, 'D', -100000, 0, 0, 0), (0, 'W', 100000, 0, 0, 0),
  (1, 'W', 0, 1, 100000, 10000),
  (2, 'W', -10000, 2, 100000, 0), (2, 'G', 10000, 0, 0, 0),
  (3, 'P', -500, 0, 0, 0), (3, 'G', 500, 1, 10000, 0),
  (4, 'G', -500, 2, 10500, 0), (4, 'P', 500, 1, -500, 0),
  (5, 'P', -700, 2, 0, 0), (5, 'G', 700, 3, 10000, 0),
  (6, 'W', 0, 3, 90000, 10000),
  (7, 'W', -10000, 4, 90000, 0), (7, 'G', 10000, 4, 10700, 0),
  (8, 'G', -700, 5, 20700, 0), (8, 'P', 700, 3, -700, 0),
  (9, 'P', -300, 4, 0, 0), (9, 'G', 300, 6, 20000, 0),
  (10, 'D', -50000, 1, -100000, 0), (10, 'W', 50000, 5, 80000, 0)
) leg(r, account, amount, k, before, held)`;

/** Positions of operations from 0, by round, then by member. */
const POSITIONS_SQL = `generate_series(p_from * ${BATCH}, least((p_to + 1) * ${BATCH}, ${OPERATIONS_PER_MEMBER} * p_members) - 1) i
  cross join lateral (select (i / p_members)::int as r, i % p_members + 1 as m, bench.operation_at(p_batch, i) as id) at`;

const OWNER_SQL = (name: string): string =>
  `case ${name} when 'W' then p_account + at.m when 'G' then p_account + p_members + at.m
    when 'D' then p_account + 2 * p_members + 1 else p_account + 2 * p_members + 2 end`;

// The first operation of a member with an open condition has the key of its grant.
const KEY_SQL = `case when i < p_members / 100
         then substr(encode(sha256(convert_to('incentive:' || bench.id('open', i + 1), 'UTF8')), 'hex'), 1, 32)::uuid
         else md5('key' || i)::uuid end`;

/** Functions for the fill, in a separate schema. */
export const FUNCTIONS = `
create schema bench;
-- A UUID of version 7, as the product's own: what is made later is greater.
create function bench.id(p_kind text, n bigint) returns uuid immutable language sql as $$
  select overlay(overlay(md5(p_kind || n) placing lpad(to_hex(1750000000000 + n * 7), 12, '0') || '7' from 1 for 13)
                 placing 'a' from 17 for 1)::uuid $$;
create function bench.operation_at(p_batch bigint, i bigint) returns bigint immutable language sql as $$
  select (p_batch + i / ${BATCH}) * 1024 + i % ${BATCH} + 1 $$;

create function bench.fill_ledger(p_members bigint, p_batch bigint, p_account bigint, p_start timestamptz, p_step interval,
                                  p_from bigint, p_to bigint, p_hash bytea) returns bytea language plpgsql as $$
declare
  v_row record; v_at timestamptz;
begin
  for v_row in
    with o as (
      insert into ledger.operation
        (id, idempotency_key, request_hash, debit, credit, amount, pending, type, state, kind, reference, actor)
      select at.id, ${KEY_SQL}, md5('request' || i)::uuid, ${OWNER_SQL('round.debit')}, ${OWNER_SQL('round.credit')},
             round.amount, bench.operation_at(p_batch, round.of * p_members + at.m - 1), round.type::ledger.operation_type,
             round.state::ledger.operation_state, round.kind, 'B' || coalesce(round.of, round.r) || 'M' || at.m, 'bench'
        from ${POSITIONS_SQL} join ${ROUNDS_SQL} on round.r = at.r
      returning id, ledger.operation_line(operation) as line
    ), e as (
      insert into ledger.entry (account_id, seq, operation_id, amount, balance, held, at)
      select ${OWNER_SQL('leg.account')},
             case when leg.account in ('D', 'P') then leg.k * p_members + at.m else leg.k + 1 end, at.id, leg.amount,
             case when leg.account in ('D', 'P') then leg.before * p_members + leg.amount * at.m else leg.before + leg.amount end,
             leg.held, p_start + (i / ${BATCH}) * p_step
        from ${POSITIONS_SQL} join ${LEGS_SQL} on leg.r = at.r
      returning operation_id, account_id, seq, ledger.entry_line(entry) as line
    )
    select batch, o.first, o.last, o.lines, e.lines as entries
      from (select id / 1024 as batch, min(id) as first, max(id) as last, string_agg(line, E'\\n' order by id) as lines
              from o group by 1) o
      join (select operation_id / 1024 as batch, string_agg(line, E'\\n' order by operation_id, account_id, seq) as lines
              from e group by 1) e using (batch)
     order by batch
  loop
    v_at := p_start + (v_row.batch - p_batch) * p_step;
    insert into ledger.batch (id, lane, first_operation, last_operation, at, previous_hash, hash)
    values (v_row.batch, ${LANE}, v_row.first, v_row.last, v_at, p_hash,
            sha256(p_hash || ledger.batch_text(${LANE}::smallint, v_row.batch, v_at, v_row.lines, v_row.entries)))
    returning hash into p_hash;
  end loop;
  return p_hash;
end $$;`;

/** Accounts after the history. Parameters: members, first account, start, time between batches. */
export const ACCOUNTS = `
insert into ledger.account (id, posted, held, seq, resolved, at, stripe, bounded, member_id, kind, currency)
overriding system value
select $2::bigint + m, 130000, 0, 6, 2, $3::timestamptz + ((10 * $1::bigint + m - 1) / ${BATCH}) * $4::interval, 0, true,
       bench.id('member', m)::text, 'WALLET', 'BAHT' from generate_series(1, $1::bigint) m
union all
select $2::bigint + $1::bigint + m, 20300, 0, 7, 0, $3::timestamptz + ((9 * $1::bigint + m - 1) / ${BATCH}) * $4::interval, 0, true,
       bench.id('member', m)::text, 'GAME:pg', 'BAHT' from generate_series(1, $1::bigint) m
union all
select $2::bigint + 2 * $1::bigint + 1, -150000 * $1::bigint, 0, 2 * $1::bigint, 0,
       $3::timestamptz + ((11 * $1::bigint - 1) / ${BATCH}) * $4::interval, ${LANE}, false, '', 'KBANK', 'BAHT'
union all
select $2::bigint + 2 * $1::bigint + 2, -300 * $1::bigint, 0, 5 * $1::bigint, 0,
       $3::timestamptz + ((10 * $1::bigint - 1) / ${BATCH}) * $4::interval, ${LANE}, false, '', 'provider:pg', 'BAHT'`;
