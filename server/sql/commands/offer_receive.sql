-- migration: 0358

-- offer_receive: a member receives a bonus or promotion in one commit: the campaign's count, the receipt, the grant, its condition
-- and the credit. The caller decides without a lock, and names the versions of incentive_gate and of each game account that it read.
-- Outcomes: applied · replayed · wallet_suspended · campaign_exhausted: its quota or budget is used up ·
-- stale_read: a version has changed, a withdrawal is open, or the offer was switched off · row_locked
create or replace function commands.offer_receive_admit(p_rows jsonb) returns text[] language plpgsql as $$
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

-- The house account of a cost is never short: a refusal is a defect, and the call is rolled back.
create or replace function commands.offer_receive_refused(p_rows jsonb, p_verdicts text[]) returns text[] language plpgsql as $$
begin
  raise exception 'commands: the ledger refused the credit of an offer (%)', p_verdicts;
end
$$;
