-- Offers: bonuses, which members see in a list; promotions, which need a code; prizes, which are won and need no deposit. The first
-- start fills it from seed/bonuses.json.
create table bonus_offer (
  code text primary key,
  kind text not null,
  is_on boolean not null default true,
  -- Start inclusive, end exclusive; null: unlimited.
  starts_at timestamptz,
  ends_at timestamptz,
  -- How often a member can receive it: in all, per day, or per calendar week of Asia/Bangkok.
  type text not null default 'limit',
  max_received integer not null default 1,
  -- Percent of the deposit; null for a fixed amount.
  percent numeric(8, 2),
  -- Limits of the withdrawal condition, in percent of the deposit and the grant.
  percent_success numeric(8, 2) not null,
  percent_fail numeric(8, 2) not null,
  -- Turnover that also meets it, as a multiple of the same; null: turnover does not count.
  turnover_times numeric(8, 2),
  -- Maximum age of the deposit.
  window_hours integer not null,
  -- Limit for all members together, and how often it was given; counted only where there is a limit.
  quota integer,
  given integer not null default 0,
  -- {"th": "…", "la": "…", "en": "…"}
  name jsonb not null,
  -- HTML, sanitised when shown.
  description jsonb not null,
  -- [{"image": "…", "html": {"th": "…", "la": "…", "en": "…"}}]
  banners jsonb not null default '[]',
  position integer not null default 0,
  constraint bonus_offer_code check (code ~ '^[A-Z0-9_-]{1,32}$'),
  constraint bonus_offer_kind check (kind in ('BONUS', 'PROMOTION', 'PRIZE')),
  constraint bonus_offer_type check (type in ('limit', 'day', 'week')),
  constraint bonus_offer_max_received check (max_received between 1 and 1000),
  -- A code works once per member.
  constraint bonus_offer_promotion_once check (kind = 'BONUS' or (type = 'limit' and max_received = 1)),
  constraint bonus_offer_percent check (percent > 0),
  constraint bonus_offer_terms check (percent_fail >= 0 and percent_success > percent_fail and turnover_times > 0),
  constraint bonus_offer_dates check (starts_at < ends_at),
  constraint bonus_offer_window check (window_hours between 1 and 8760),
  constraint bonus_offer_quota check (quota >= 0 and given >= 0 and (quota is null or given <= quota))
);

-- Amounts of an offer, in minor units, per currency.
create table bonus_offer_amount (
  code text not null constraint bonus_offer_amount_offer_exists references bonus_offer (code),
  currency currency not null,
  -- Least deposit that qualifies.
  minimum_deposit bigint not null,
  -- Upper limit of a percentage, or the fixed amount.
  maximum bigint,
  fixed bigint,
  -- Most that a member may have in addition to the deposit, or in open bets.
  rest bigint not null,
  -- Limit for all members together, and the total given; counted only where there is a limit.
  budget bigint,
  given bigint not null default 0,
  primary key (code, currency),
  constraint bonus_offer_amount_amounts check (minimum_deposit > 0 and maximum > 0 and fixed > 0 and rest >= 0),
  constraint bonus_offer_amount_one check ((maximum is null) <> (fixed is null)),
  -- Kip has no fractions.
  constraint bonus_offer_amount_whole_kip check (currency <> 'LAK' or coalesce(fixed % 100 = 0, true)),
  constraint bonus_offer_amount_budget check (budget >= 0 and given >= 0 and (budget is null or given <= budget))
);

-- What members have received, written in the commit of the grant.
create table bonus_receipt (
  id uuid primary key,
  seq bigint generated always as identity,
  member_id uuid not null constraint bonus_receipt_member_exists references member (id),
  code text not null constraint bonus_receipt_offer_exists references bonus_offer (code),
  currency currency not null,
  amount bigint not null,
  -- The ledger operation of the deposit; null for a prize, which counts towards no limit.
  deposit_operation bigint,
  received_at timestamptz not null,
  -- One deposit earns one bonus or promotion, forever.
  constraint bonus_receipt_deposit unique (member_id, deposit_operation),
  constraint bonus_receipt_amount check (amount > 0)
);

create index bonus_receipt_of_member on bonus_receipt (member_id, code, seq desc);
create index bonus_receipt_of_offer on bonus_receipt (code);

-- offer_receive: a member receives a bonus or promotion in one commit: the campaign's count, the receipt, the grant, its condition
-- and the credit. The caller decides without a lock, and names the versions of incentive_gate and of each game account that it read.
-- Outcomes: applied · replayed · wallet_suspended · campaign_exhausted: its quota or budget is used up ·
-- stale_read: a version has changed, a withdrawal is open, or the offer was switched off · row_locked
create function commands.offer_receive_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('applied'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select t.i, t.gate, t.games, t.code, t.currency, t.amount, g.version as gate_version,
           exists (select from incentive_grant k where k.id = t.id) as is_applied,
           exists (select from wallet_suspension s where s.member_id = t.member) as is_suspended,
           exists (select from withdraw w where w.member_id = t.member and w.state not in ('PAID', 'FAILED')) as is_withdrawing,
           games.are_same, games.are_locked
      from (select n.*, r.i from jsonb_array_elements(p_rows) with ordinality r(row, i),
                   jsonb_to_record(r.row) n(id uuid, member uuid, gate bigint, games jsonb, code text, currency text, amount bigint)
             order by n.member) t
           left join lateral (select l.version from incentive_gate l where l.member_id = t.member
                                 for no key update skip locked) g on true
           cross join lateral (
             select coalesce(jsonb_object_agg(a.game_code, a.version::text), '{}') = t.games as are_same,
                    count(*) < (select count(*) from game_account c where c.member_id = t.member and c.state = 'ACTIVE') as are_locked
               from (select b.game_code, b.version from game_account b where b.member_id = t.member and b.state = 'ACTIVE'
                        for share skip locked) a) games
  loop
    v_outcomes[v_row.i] := case
      when v_row.is_applied then 'replayed'
      when v_row.is_suspended then 'wallet_suspended'
      when v_row.gate_version is null or v_row.are_locked then 'row_locked'
      when v_row.gate_version <> v_row.gate or not v_row.are_same or v_row.is_withdrawing then 'stale_read'
      else commands.offer_count_receipt(v_row.code, v_row.currency, v_row.amount) end;
  end loop;

  update incentive_gate g set version = g.version + 1
    from jsonb_array_elements(p_rows) with ordinality t(row, i), jsonb_to_record(t.row) n(member uuid)
   where v_outcomes[t.i] = 'applied' and g.member_id = n.member;
  insert into bonus_receipt (id, member_id, code, currency, amount, deposit_operation, received_at)
  select n.id, n.member, n.code, n.currency, n.amount, n.deposit, n.at
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(id uuid, member uuid, code text, currency text, amount bigint, deposit bigint, at timestamptz)
   where v_outcomes[t.i] = 'applied';
  insert into incentive_grant (id, member_id, currency, kind, source, name, reference, amount, state, created_at, paid_at, leased_until)
  select n.id, n.member, n.currency, n.kind, n.source, n.name, n.reference, n.amount, 'PAID', n.at, clock_timestamp(), clock_timestamp()
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(id uuid, member uuid, currency text, kind text, source text, name jsonb, reference text,
                                  amount bigint, at timestamptz)
   where v_outcomes[t.i] = 'applied';
  insert into incentive_condition (id, member_id, currency, kind, state, base, own, target, floor, percent_success, percent_fail,
                                   turnover_target, turnover_before, expires_at, started_at, look_at)
  select n.id, n.member, n.currency, n.kind, 'ACTIVE', n.base, n.own, n.target, n.floor, n.percent_success, n.percent_fail,
         n.turnover_target, n.turnover_before, n.expires_at, n.at, clock_timestamp() + n.lease_ms * interval '1 ms'
    from jsonb_array_elements(p_rows) with ordinality t(row, i),
         jsonb_to_record(t.row) n(id uuid, member uuid, currency text, kind text, base bigint, own bigint, target bigint, floor bigint,
                                  percent_success numeric, percent_fail numeric, turnover_target bigint, turnover_before jsonb,
                                  expires_at timestamptz, at timestamptz, lease_ms int)
   where v_outcomes[t.i] = 'applied';
  return v_outcomes;
end
$$;

-- Counts one receipt against the campaign's quota and budget, where it has any. Outcomes of offer_receive.
create function commands.offer_count_receipt(p_code text, p_currency text, p_amount bigint) returns text language plpgsql as $$
declare
  v_offer record;
begin
  select o.quota is not null as has_quota, coalesce(o.given < o.quota, true) as is_left, o.is_on into v_offer
    from bonus_offer o where o.code = p_code;
  if not v_offer.is_on then return 'stale_read'; end if;
  if v_offer.has_quota then
    select coalesce(o.given < o.quota, true) as is_left into v_offer from bonus_offer o where o.code = p_code for no key update skip locked;
    if not found then return 'row_locked'; end if;
    if not v_offer.is_left then return 'campaign_exhausted'; end if;
  end if;
  select a.budget is not null as has_budget into v_offer from bonus_offer_amount a where a.code = p_code and a.currency = p_currency::currency;
  if v_offer.has_budget then
    select coalesce(a.given + p_amount <= a.budget, true) as is_left into v_offer
      from bonus_offer_amount a where a.code = p_code and a.currency = p_currency::currency for no key update skip locked;
    if not found then return 'row_locked'; end if;
    if not v_offer.is_left then return 'campaign_exhausted'; end if;
    update bonus_offer_amount a set given = a.given + p_amount where a.code = p_code and a.currency = p_currency::currency;
  end if;
  update bonus_offer o set given = o.given + 1 where o.code = p_code and o.quota is not null;
  return 'applied';
end
$$;

-- The house account of a cost is never short: a refusal is a defect, and the call is rolled back.
create function commands.offer_receive_refused(p_rows jsonb, p_verdicts text[]) returns text[] language plpgsql as $$
begin
  raise exception 'commands: the ledger refused the credit of an offer (%)', p_verdicts;
end
$$;
