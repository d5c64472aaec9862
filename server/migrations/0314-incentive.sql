-- Money that the house gives: bonuses, promotions, refunds, invite money, coupons.

-- One row per member, locked while incentives are decided or a withdrawal opens: what was read stays true until the decision commits.
create table incentive_gate (
  member_id uuid primary key constraint incentive_gate_member_exists references member (id),
  -- Play counts for one condition only. Each condition stores its share; this row stores the position up to which play has been
  -- allocated. Last entry by ledger account: {"GAME:pg": "12"}; turnover by game: {"pg": "12300"}.
  counted_entries jsonb not null default '{}',
  counted_turnover jsonb not null default '{}',
  -- Raised whenever the row is locked for a decision, and by a withdrawal: a command decided at an earlier version is refused.
  version bigint not null default 0
);

-- Grants, once per source. Written in the commit that uses up the entitlement. The ledger key is `incentive:ID`; after a crash between
-- the two commits the row stays OPEN and a job finishes it.
create table incentive_grant (
  id uuid primary key,
  member_id uuid not null constraint incentive_grant_member_exists references member (id),
  currency currency not null,
  kind text not null,
  -- The entitlement, unique forever: `bonus:CODE:DEPOSIT`, `refund:2026-11-16`, `coupon:ID`.
  source text not null,
  -- Its name at that time, in every language.
  name jsonb not null,
  -- Its name in the statement.
  reference text not null,
  amount bigint not null,
  state text not null default 'OPEN',
  created_at timestamptz not null default now(),
  -- Lease of the caller that opened it and posts it.
  leased_until timestamptz not null,
  paid_at timestamptz,
  constraint incentive_grant_once unique (member_id, source),
  constraint incentive_grant_reference unique (member_id, reference),
  constraint incentive_grant_kind check (kind in ('BONUS', 'PROMOTION', 'REFUND', 'INVITE', 'COUPON')),
  constraint incentive_grant_amount check (amount > 0),
  constraint incentive_grant_state check (state in ('OPEN', 'PAID')),
  constraint incentive_grant_paid check ((state = 'PAID') = (paid_at is not null))
);

create index incentive_grant_open on incentive_grant (leased_until) where state = 'OPEN';
create index incentive_grant_of_member on incentive_grant (member_id, kind, created_at);

-- What must be met before money leaves: play since the grant's ledger operation, added to `base`.
create table incentive_condition (
  id uuid primary key constraint incentive_condition_grant_exists references incentive_grant (id),
  member_id uuid not null constraint incentive_condition_member_exists references member (id),
  currency currency not null,
  kind text not null,
  state text not null default 'OPENING',
  -- The deposit and the grant. Minor units.
  base bigint not null,
  -- The member's own share of it, kept when the condition is cancelled.
  own bigint not null,
  target bigint not null,
  floor bigint not null,
  percent_success numeric(8, 2) not null,
  percent_fail numeric(8, 2) not null,
  -- Turnover of settled bets that also meets it; null: turnover does not count.
  turnover_target bigint,
  -- Turnover by game when it was decided: {"pg": "12300"}; null until the provider reports it.
  turnover_before jsonb not null default '{}',
  -- Allocated to this condition: net winnings, and stakes of settled bets. Minor units.
  play bigint not null default 0,
  turnover bigint not null default 0,
  started_at timestamptz,
  expires_at timestamptz,
  -- The end, with the figures of that time.
  ended_at timestamptz,
  ended_current bigint,
  -- CLEARING: the amount to take back. Each attempt has its own ledger key, because a refusal is final for its key.
  takes_back bigint,
  clear_attempt integer not null default 0,
  -- Whether the ledger has the `finish_bonus` entry.
  is_told boolean not null default false,
  -- When it is due: for its progress, an unfinished cancellation, or the entry of its end. Also a lease.
  look_at timestamptz not null default now(),
  -- Staked in open bets when a condition without a deposit was decided: of what these bets pay, this much is the member's own money
  -- and is not taken back. Minor units.
  outstanding_before bigint not null default 0,
  constraint incentive_condition_kind check (kind in ('BONUS', 'PROMOTION', 'REFUND', 'INVITE', 'COUPON')),
  constraint incentive_condition_state check (state in ('OPENING', 'ACTIVE', 'CLEARING', 'SUCCESS', 'FAILED', 'CANCELLED', 'EXPIRED')),
  constraint incentive_condition_amounts check (base > 0 and own >= 0 and own <= base and target >= 0 and floor >= 0 and floor < target),
  constraint incentive_condition_counted check (turnover >= 0 and turnover_target > 0 and takes_back >= 0),
  constraint incentive_condition_outstanding check (outstanding_before >= 0),
  constraint incentive_condition_started check (started_at is not null or state in ('OPENING', 'FAILED')),
  constraint incentive_condition_ended check ((ended_at is not null) = (state in ('SUCCESS', 'FAILED', 'CANCELLED', 'EXPIRED')))
);

-- At most one bonus or promotion per member, under any concurrency.
create unique index incentive_condition_one_bonus on incentive_condition (member_id)
  where kind in ('BONUS', 'PROMOTION') and state in ('OPENING', 'ACTIVE', 'CLEARING');
create index incentive_condition_open on incentive_condition (member_id) where state in ('OPENING', 'ACTIVE', 'CLEARING');
-- Unfinished ones before active ones, which are only watched.
create index incentive_condition_due on incentive_condition ((state = 'ACTIVE'), look_at) where not is_told;

-- incentive_pay: credits a grant; its condition becomes active. Outcomes: applied · replayed · row_locked ·
-- books_refused: the ledger refused, nothing has changed
create function commands.incentive_pay_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, g.state,
           exists (select from incentive_condition c where c.id = t.id)
             and not exists (select from incentive_condition c where c.id = t.id for no key update skip locked) as is_locked
      from (select n.id, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid) order by n.id) t,
           lateral (select l.state from incentive_grant l where l.id = t.id for no key update skip locked) g
  loop
    v_outcomes[v_row.i] := case when v_row.state <> 'OPEN' then 'replayed' when v_row.is_locked then 'row_locked' else 'applied' end;
  end loop;
  update incentive_grant g set state = 'PAID', paid_at = clock_timestamp()
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid)
   where v_outcomes[t.i] = 'applied' and g.id = n.id;
  update incentive_condition c
     set state = 'ACTIVE', started_at = clock_timestamp(), look_at = clock_timestamp() + n.lease_ms * interval '1 ms'
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid, lease_ms int)
   where v_outcomes[t.i] = 'applied' and c.id = n.id and c.state = 'OPENING';
  return v_outcomes;
end
$$;

create function commands.incentive_pay_refused(p_rows jsonb, p_verdicts text[]) returns text[] language plpgsql as $$
begin
  update incentive_grant g set state = 'OPEN', paid_at = null
    from jsonb_to_recordset(p_rows) n(id uuid) where g.id = n.id;
  update incentive_condition c set state = 'OPENING', started_at = null
    from jsonb_to_recordset(p_rows) n(id uuid) where c.id = n.id;
  return array_fill('books_refused'::text, array[cardinality(p_verdicts)]);
end
$$;

-- incentive_end: the statement entry of a condition that has ended. Outcomes: applied · replayed · not_ended · row_locked ·
-- books_refused: the ledger refused, nothing has changed
create function commands.incentive_end_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, c.is_told, c.ended_at from (select n.id, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                                                   jsonb_to_record(r.row) n(id uuid) order by n.id) t,
           lateral (select l.is_told, l.ended_at from incentive_condition l where l.id = t.id for no key update skip locked) c
  loop
    v_outcomes[v_row.i] := case when v_row.is_told then 'replayed' when v_row.ended_at is null then 'not_ended' else 'applied' end;
  end loop;
  update incentive_condition c set is_told = true
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid)
   where v_outcomes[t.i] = 'applied' and c.id = n.id;
  return v_outcomes;
end
$$;

create function commands.incentive_end_refused(p_rows jsonb, p_verdicts text[]) returns text[] language plpgsql as $$
begin
  update incentive_condition c set is_told = false
    from jsonb_to_recordset(p_rows) n(id uuid) where c.id = n.id;
  return array_fill('books_refused'::text, array[cardinality(p_verdicts)]);
end
$$;

-- incentive_clear: ends a condition early and takes back what is left of its grant. Outcomes: applied · replayed ·
-- lease_lost: another attempt · row_locked · insufficient_funds: the condition stays active
create function commands.incentive_clear_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('row_locked'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, c.state, c.clear_attempt = t.attempt as is_own
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid, attempt int) order by n.id) t,
           lateral (select l.state, l.clear_attempt from incentive_condition l where l.id = t.id for no key update skip locked) c
  loop
    -- ACTIVE: an earlier call of this attempt was refused.
    v_outcomes[v_row.i] := case when not v_row.is_own then 'lease_lost' when v_row.state = 'CLEARING' then 'applied'
      when v_row.state = 'ACTIVE' then 'insufficient_funds' else 'replayed' end;
  end loop;
  update incentive_condition c set state = n."to", is_told = true, ended_at = clock_timestamp()
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(id uuid, "to" text)
   where v_outcomes[t.i] = 'applied' and c.id = n.id;
  return v_outcomes;
end
$$;

create function commands.incentive_clear_refused(p_rows jsonb, p_verdicts text[]) returns text[] language plpgsql as $$
begin
  update incentive_condition c set state = 'ACTIVE', is_told = false, ended_at = null, takes_back = null, ended_current = null
    from jsonb_to_recordset(p_rows) n(id uuid) where c.id = n.id;
  return array_fill('insufficient_funds'::text, array[cardinality(p_verdicts)]);
end
$$;
