-- migration: 0358

-- offer_receive: a member receives a bonus or promotion in one commit: the campaign's count, the receipt, the grant,
-- its condition and the credit. The caller decides without a lock, and names the versions of incentive_gate and of each
-- game account that it read. Outcomes: applied · replayed · wallet_suspended · campaign_exhausted: its quota or budget
-- is used up · stale_read: a version has changed, a withdrawal is open, or the offer was switched off · row_locked
create or replace function commands.offer_receive_admit(p_rows jsonb) returns text[] language plpgsql as $$
#variable_conflict use_column
declare
  v_outcomes text[] := array_fill('applied'::text, array[jsonb_array_length(p_rows)]);
  v_row record;
begin
  for v_row in
    select input.position, input.gate, input.games, input.code, input.currency, input.amount,
           gate.version as gate_version,
           exists (select from incentive_grant incentive where incentive.id = input.id) as is_applied,
           exists (select from wallet_suspension suspension where suspension.member_id = input.member) as is_suspended,
           exists (select from withdraw withdrawal
                    where withdrawal.member_id = input.member
                      and withdrawal.state not in ('PAID', 'FAILED')) as is_withdrawing,
           games.are_same, games.are_locked
      from (select input.*, item.position from jsonb_array_elements(p_rows) with ordinality item(row, position),
                   jsonb_to_record(item.row) input(id uuid, member uuid, gate bigint, games jsonb, code text,
                                                   currency text, amount bigint)
             order by input.member) input
           left join lateral (select gate.version from incentive_gate gate where gate.member_id = input.member
                                 for no key update skip locked) gate on true
           cross join lateral (
             select coalesce(jsonb_object_agg(account.game_code, account.version::text), '{}') = input.games
                      as are_same,
                    count(*) < (select count(*) from game_account active
                                 where active.member_id = input.member and active.state = 'ACTIVE') as are_locked
               from (select account.game_code, account.version from game_account account
                      where account.member_id = input.member and account.state = 'ACTIVE'
                        for share skip locked) account) games
  loop
    v_outcomes[v_row.position] := case
      when v_row.is_applied then 'replayed'
      when v_row.is_suspended then 'wallet_suspended'
      when v_row.gate_version is null or v_row.are_locked then 'row_locked'
      when v_row.gate_version <> v_row.gate or not v_row.are_same or v_row.is_withdrawing then 'stale_read'
      else commands.offer_count_receipt(v_row.code, v_row.currency, v_row.amount) end;
  end loop;

  update incentive_gate gate set version = gate.version + 1
    from jsonb_array_elements(p_rows) with ordinality item(row, position), jsonb_to_record(item.row) input(member uuid)
   where v_outcomes[item.position] = 'applied' and gate.member_id = input.member;
  insert into bonus_receipt (id, member_id, code, currency, amount, deposit_operation, received_at)
  select input.id, input.member, input.code, input.currency, input.amount, input.deposit, input.at
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(id uuid, member uuid, code text, currency text, amount bigint,
                                         deposit bigint, at timestamptz)
   where v_outcomes[item.position] = 'applied';
  insert into incentive_grant (id, member_id, currency, kind, source, name, reference, amount, state, created_at,
                               paid_at, leased_until)
  select input.id, input.member, input.currency, input.kind, input.source, input.name, input.reference, input.amount,
         'PAID', input.at, clock_timestamp(), clock_timestamp()
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(id uuid, member uuid, currency text, kind text, source text, name jsonb,
                                         reference text, amount bigint, at timestamptz)
   where v_outcomes[item.position] = 'applied';
  insert into incentive_condition (id, member_id, currency, kind, state, base, own, target, floor, percent_success,
                                   percent_fail, turnover_target, turnover_before, expires_at, started_at, look_at)
  select input.id, input.member, input.currency, input.kind, 'ACTIVE', input.base, input.own, input.target,
         input.floor, input.percent_success, input.percent_fail, input.turnover_target, input.turnover_before,
         input.expires_at, input.at, clock_timestamp() + input.lease_ms * interval '1 ms'
    from jsonb_array_elements(p_rows) with ordinality item(row, position),
         jsonb_to_record(item.row) input(id uuid, member uuid, currency text, kind text, base bigint, own bigint,
                                         target bigint, floor bigint, percent_success numeric, percent_fail numeric,
                                         turnover_target bigint, turnover_before jsonb, expires_at timestamptz,
                                         at timestamptz, lease_ms int)
   where v_outcomes[item.position] = 'applied';
  return v_outcomes;
end
$$;

-- The house account of a cost is never short: a refusal is a defect, and the call is rolled back.
create or replace function commands.offer_receive_refused(p_rows jsonb, p_verdicts text[])
returns text[] language plpgsql as $$
begin
  raise exception 'commands: the ledger refused the credit of an offer (%)', p_verdicts;
end
$$;
