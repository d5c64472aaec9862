-- Made from the migrations by `npm run schema -- --write`; not to be edited.

create schema ledger;

create type ledger.operation_state as enum ('applied', 'rejected', 'pending', 'posted', 'voided');

create type ledger.operation_type as enum ('transfer', 'hold', 'post', 'void', 'adjust', 'mark');

create table ledger.account (
  id bigint not null generated always as identity,
  posted bigint not null default 0,
  held bigint not null default 0,
  floor bigint not null default 0,
  seq bigint not null default 0,
  resolved bigint not null default 0,
  at timestamp with time zone not null default '-infinity'::timestamp with time zone,
  stripe smallint not null default 0,
  bounded boolean not null,
  member_id text not null,
  kind text not null,
  currency currency not null,
  constraint account_bounded CHECK ((bounded = (member_id <> ''::text))),
  constraint account_floor CHECK (((NOT bounded) OR ((posted - held) >= floor))),
  constraint account_held CHECK (((held >= 0) AND (bounded OR (held = 0)))),
  constraint account_owner UNIQUE (member_id, kind, currency, stripe),
  constraint account_pkey PRIMARY KEY (id)
) with (fillfactor=50);

create table ledger.batch (
  id bigint not null,
  lane smallint not null,
  first_operation bigint not null,
  last_operation bigint not null,
  at timestamp with time zone not null,
  previous_hash bytea not null,
  hash bytea not null,
  constraint batch_pkey PRIMARY KEY (id)
);

create table ledger.entry (
  account_id bigint not null,
  seq bigint not null,
  operation_id bigint not null,
  amount bigint not null,
  balance bigint not null,
  held bigint not null,
  at timestamp with time zone not null,
  constraint entry_once PRIMARY KEY (account_id, seq)
);

create table ledger.lane (
  id smallint not null,
  last_batch bigint not null default 0,
  hash bytea not null default '\x'::bytea,
  constraint lane_pkey PRIMARY KEY (id)
) with (fillfactor=50);

create table ledger.operation (
  id bigint not null,
  idempotency_key uuid not null,
  request_hash uuid not null,
  debit bigint not null,
  credit bigint not null,
  amount bigint not null,
  pending bigint,
  type ledger.operation_type not null,
  state ledger.operation_state not null,
  kind text not null,
  reference text not null,
  actor text not null,
  reason text,
  constraint operation_amount CHECK (
CASE
    WHEN ((type)::text = 'mark'::text) THEN (amount = 0)
    ELSE ((amount > 0) OR ((amount = 0) AND ((state = 'rejected'::ledger.operation_state) OR (type = 'adjust'::ledger.operation_type))))
END),
  constraint operation_key UNIQUE (idempotency_key),
  constraint operation_legs CHECK ((debit <> credit)),
  constraint operation_pkey PRIMARY KEY (id),
  constraint operation_reason CHECK (((state = 'rejected'::ledger.operation_state) = (reason IS NOT NULL))),
  constraint operation_state CHECK ((((type = 'hold'::ledger.operation_type) = (state = ANY (ARRAY['pending'::ledger.operation_state, 'posted'::ledger.operation_state, 'voided'::ledger.operation_state]))) OR (state = 'rejected'::ledger.operation_state)))
);

CREATE INDEX batch_of_lane ON ledger.batch USING btree (lane, id);

CREATE INDEX operation_open ON ledger.operation USING btree (debit, id) WHERE (state = 'pending'::ledger.operation_state);

CREATE OR REPLACE FUNCTION ledger.batch_text(p_lane smallint, p_batch bigint, p_at timestamp with time zone, p_operations text, p_entries text)
 RETURNS bytea
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select convert_to(
    concat_ws(E'\x1f', p_lane, p_batch, to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'))
    || E'\n' || coalesce(p_operations, '') || E'\n' || coalesce(p_entries, ''), 'UTF8')
$function$
;

CREATE OR REPLACE FUNCTION ledger.entry_line(e ledger.entry)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select concat_ws(E'\x1f', (e).account_id, (e).seq, (e).operation_id, (e).amount, (e).balance, (e).held)
$function$
;

CREATE OR REPLACE FUNCTION ledger.operation_line(o ledger.operation)
 RETURNS text
 LANGUAGE sql
 STABLE PARALLEL SAFE
AS $function$
  select concat_ws(E'\x1f', (o).id, (o).idempotency_key, (o).request_hash, (o).debit, (o).credit, (o).amount,
         (o).pending,
    (o).type, case when (o).type = 'hold' and (o).state <> 'rejected' then 'pending' else (o).state end, (o).kind,
    (o).reference, (o).actor, (o).reason)
$function$
;

CREATE OR REPLACE FUNCTION ledger.post_batch(p_lane smallint, p_member text[], p_account_kind text[], p_currency text[], p_key uuid[], p_hash uuid[], p_type ledger.operation_type[], p_debit integer[], p_credit integer[], p_amount bigint[], p_slot integer[], p_last integer[], p_kind text[], p_reference text[], p_actor text[], p_slot_key uuid[], OUT batch_id text, OUT previous_batch text, OUT at text, OUT ids text, OUT outcomes text, OUT states text, OUT reasons text, OUT amounts text, OUT debit_posted text, OUT debit_held text, OUT credit_posted text, OUT credit_held text)
 RETURNS record
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_variable
declare
  v_operation_count constant int := cardinality(p_key);
  v_account_count constant int := cardinality(p_member);
  v_slot_count constant int := cardinality(p_slot_key);
  v_previous bytea;
  v_batch bigint;
  v_at timestamptz;
  v_now timestamptz;
  -- accounts, by their index in p_member
  account_ids bigint[]; account_posted bigint[]; account_held bigint[]; account_floors bigint[];
  account_bounded boolean[]; account_seqs bigint[]; account_resolved bigint[];
  -- known keys, by index of the operation
  v_has_known boolean := false;
  known_ids bigint[]; known_hashes uuid[]; known_states ledger.operation_state[]; known_reasons text[];
  known_amounts bigint[]; known_credits bigint[];
  -- holds, by slot
  hold_ids bigint[]; hold_states ledger.operation_state[]; hold_amounts bigint[]; hold_debits bigint[];
  hold_credits text[]; hold_positions int[]; hold_resolved boolean[];
  -- operations to write, by index; result_written marks them
  result_ids bigint[]; result_written boolean[]; result_states ledger.operation_state[]; result_reasons text[];
  result_amounts bigint[]; result_debits bigint[]; result_credits bigint[]; result_pending bigint[];
  result_outcomes text[];
  result_signed_amounts bigint[]; result_debit_posted bigint[]; result_debit_held bigint[];
  result_credit_posted bigint[]; result_credit_held bigint[];
  -- entries to write
  entry_positions int[] := '{}'; entry_accounts bigint[] := '{}'; entry_seqs bigint[] := '{}';
  entry_operations bigint[] := '{}'; entry_amounts bigint[] := '{}'; entry_balances bigint[] := '{}';
  entry_held bigint[] := '{}'; entry_held_changes bigint[] := '{}';
  v_entry_count int := 0; v_entry_count_before int;
  -- indexes of the first and last operation of the current group
  v_group_first int := 1; v_group_last int;
  v_index int; v_known_count int; v_failed_index int; v_written_count int := 0;
  v_is_conflict boolean; v_reason text; v_type ledger.operation_type;
  v_debit int; v_credit int; v_slot int; v_amount bigint; v_held_change bigint; v_is_swapped boolean;
  v_row record;
begin
  -- 1. Locks: the lane's head, then the accounts.
  -- Invariant: every call locks accounts in the order of their ids, so that two calls never deadlock.
  for v_try in 1..3 loop
    select lane.hash, lane.last_batch into v_previous, previous_batch
      from ledger.lane lane where lane.id = p_lane for no key update;
    exit when found;
    insert into ledger.lane (id) values (p_lane) on conflict do nothing;
  end loop;
  for v_try in 1..3 loop
    select array_agg(locked.id), array_agg(locked.posted), array_agg(locked.held), array_agg(locked.floor),
           array_agg(locked.bounded), array_agg(locked.seq), array_agg(locked.resolved), max(locked.at)
      into account_ids, account_posted, account_held, account_floors, account_bounded, account_seqs,
           account_resolved, v_at
      from (select account.* from (
        select input.position, account.id, account.posted, account.held, account.floor, account.bounded, account.seq,
               account.resolved, account.at
          from unnest(p_member, p_account_kind, p_currency)
                 with ordinality input(member_id, kind, currency, position)
          join ledger.account account on account.member_id = input.member_id and account.kind = input.kind
           and account.currency = input.currency
           and account.stripe = case when input.member_id = '' then p_lane else 0 end
         order by account.id
           for no key update of account) account
       order by account.position) locked;
    exit when cardinality(account_ids) = v_account_count;
    -- Accounts open on first use: one without a row has never moved.
    insert into ledger.account (member_id, kind, currency, stripe, bounded)
    select input.member_id, input.kind, input.currency, case when input.member_id = '' then p_lane else 0 end,
           input.member_id <> ''
      from unnest(p_member, p_account_kind, p_currency) input(member_id, kind, currency)
    on conflict do nothing;
  end loop;
  if cardinality(account_ids) is distinct from v_account_count then
    raise exception 'ledger: % accounts named, % found', v_account_count, cardinality(account_ids);
  end if;
  -- Read after the locks, and never earlier than an entry of any of these accounts, even if the clock steps back.
  v_now := clock_timestamp();
  if v_now > v_at then v_at := v_now; end if;

  -- 2. Known keys.
  -- Invariant: a replay waits for a synchronous standby, as the first call did. Its row lock is a write.
  known_ids := array_fill(null::bigint, array[v_operation_count]);
  for v_row in
    select input.position, operation.id, operation.request_hash, operation.state, operation.reason, operation.amount,
           operation.credit
      from unnest(p_key) with ordinality input(key, position)
      join ledger.operation operation on operation.idempotency_key = input.key
     order by operation.id
       for no key update of operation
  loop
    v_has_known := true;
    known_ids[v_row.position] := v_row.id; known_hashes[v_row.position] := v_row.request_hash;
    known_states[v_row.position] := v_row.state;
    known_reasons[v_row.position] := v_row.reason; known_amounts[v_row.position] := v_row.amount;
    known_credits[v_row.position] := v_row.credit;
  end loop;

  -- 3. Holds to resolve.
  -- Invariant: no other call resolves them concurrently, because their debit account is locked.
  if v_slot_count > 0 then
    hold_states := array_fill(null::ledger.operation_state, array[v_slot_count]);
    hold_ids := array_fill(null::bigint, array[v_slot_count]);
    hold_positions := array_fill(0, array[v_slot_count]);
    hold_resolved := array_fill(false, array[v_slot_count]);
    for v_row in
      select input.position, operation.id, operation.state, operation.amount, operation.debit,
             account.member_id || '/' || account.kind as credit
        from unnest(p_slot_key) with ordinality input(key, position)
        join ledger.operation operation on operation.idempotency_key = input.key and operation.type = 'hold'
        join ledger.account account on account.id = operation.credit
    loop
      hold_ids[v_row.position] := v_row.id; hold_states[v_row.position] := v_row.state;
      hold_amounts[v_row.position] := v_row.amount;
      hold_debits[v_row.position] := v_row.debit; hold_credits[v_row.position] := v_row.credit;
    end loop;
  end if;

  -- 4. Operations, one after another; each sees the effect of the earlier ones.
  -- Invariant: a group is applied or rejected as a whole, and no bounded account falls below its floor.
  v_batch := nextval('ledger.batch_id');
  -- Filled: an array starts at the first assigned index, and unnest would shift it.
  result_written := array_fill(false, array[v_operation_count]);
  result_debits := array_fill(null::bigint, array[v_operation_count]);
  result_credits := result_debits;
  result_amounts := result_debits;
  result_ids := array_fill(null::bigint, array[v_operation_count]);
  result_reasons := array_fill(null::text, array[v_operation_count]);
  result_pending := array_fill(null::bigint, array[v_operation_count]);
  while v_group_first <= v_operation_count loop
    v_group_last := p_last[v_group_first];

    -- Replay: the first result again. A group of which only some keys are known is a conflict.
    if v_has_known then
      v_known_count := 0; v_is_conflict := false;
      for v_index in v_group_first..v_group_last loop
        if known_ids[v_index] is not null then
          v_known_count := v_known_count + 1;
          if known_hashes[v_index] <> p_hash[v_index] then v_is_conflict := true; end if;
        end if;
      end loop;
      if v_known_count > 0 then
        v_is_conflict := v_is_conflict or v_known_count <= v_group_last - v_group_first;
        for v_index in v_group_first..v_group_last loop
          v_debit := p_debit[v_index]; v_credit := p_credit[v_index];
          result_ids[v_index] := known_ids[v_index];
          result_states[v_index] := known_states[v_index];
          result_reasons[v_index] := case when v_is_conflict then 'key_reused' else known_reasons[v_index] end;
          result_outcomes[v_index] := case
            when v_is_conflict then 'C' when known_states[v_index] = 'rejected' then 'R' else 'A' end;
          result_signed_amounts[v_index] := case when v_is_conflict then 0
            when p_type[v_index] = 'adjust' and known_credits[v_index] <> account_ids[v_credit]
              then -known_amounts[v_index]
            else known_amounts[v_index] end;
          result_debit_posted[v_index] := account_posted[v_debit]; result_debit_held[v_index] := account_held[v_debit];
          result_credit_posted[v_index] := account_posted[v_credit];
          result_credit_held[v_index] := account_held[v_credit];
        end loop;
        v_group_first := v_group_last + 1;
        continue;
      end if;
    end if;

    v_entry_count_before := v_entry_count; v_failed_index := 0; v_reason := null;
    for v_index in v_group_first..v_group_last loop
      v_type := p_type[v_index]; v_debit := p_debit[v_index]; v_credit := p_credit[v_index]; v_slot := p_slot[v_index];
      v_amount := p_amount[v_index];
      v_is_swapped := false;
      result_states[v_index] := 'applied';
      if v_type = 'transfer' then
        if account_bounded[v_debit]
           and account_posted[v_debit] - account_held[v_debit] - v_amount < account_floors[v_debit] then
          v_reason := 'insufficient';
        end if;
        v_held_change := 0;
      elsif v_type = 'hold' then
        if account_bounded[v_debit]
           and account_posted[v_debit] - account_held[v_debit] - v_amount < account_floors[v_debit] then
          v_reason := 'insufficient';
        end if;
        v_held_change := v_amount;
        result_states[v_index] := 'pending';
      elsif v_type = 'adjust' then
        -- v_amount is the target balance of the credit account. A lower target moves money the other way.
        v_amount := v_amount - account_posted[v_credit];
        if v_amount < 0 then
          v_is_swapped := true;
          v_amount := -v_amount;
          if account_bounded[v_credit]
             and account_posted[v_credit] - account_held[v_credit] - v_amount < account_floors[v_credit] then
            v_reason := 'insufficient';
          end if;
        end if;
        v_held_change := 0;
      elsif v_type = 'mark' then
        v_amount := 0;
        v_held_change := 0;
      else
        if hold_states[v_slot] is null then v_reason := 'not_found';
        elsif hold_states[v_slot] <> 'pending' then v_reason := 'not_pending';
        elsif hold_debits[v_slot] <> account_ids[v_debit]
              or hold_credits[v_slot] <> p_member[v_credit] || '/' || p_account_kind[v_credit]
              or (v_amount > 0 and v_amount <> hold_amounts[v_slot]) then v_reason := 'mismatch';
        else
          v_amount := hold_amounts[v_slot];
          result_pending[v_index] := case
            when hold_positions[v_slot] > 0 then v_batch * 1024 + hold_positions[v_slot] else hold_ids[v_slot] end;
        end if;
        v_held_change := -v_amount;
      end if;
      result_amounts[v_index] := v_amount;
      result_signed_amounts[v_index] := case when v_is_swapped then -v_amount else v_amount end;
      result_debits[v_index] := account_ids[case when v_is_swapped then v_credit else v_debit end];
      result_credits[v_index] := account_ids[case when v_is_swapped then v_debit else v_credit end];
      if v_reason is not null then v_failed_index := v_index; exit; end if;

      -- The member account of a hold, post, void or mark is always the debit account.
      if v_type = 'hold' or v_type = 'void' or v_type = 'mark' then
        account_held[v_debit] := account_held[v_debit] + v_held_change;
        account_seqs[v_debit] := account_seqs[v_debit] + 1;
        v_entry_count := v_entry_count + 1;
        entry_positions[v_entry_count] := v_debit; entry_accounts[v_entry_count] := account_ids[v_debit];
        entry_seqs[v_entry_count] := account_seqs[v_debit]; entry_operations[v_entry_count] := v_batch * 1024 + v_index;
        entry_amounts[v_entry_count] := 0; entry_balances[v_entry_count] := account_posted[v_debit];
        entry_held[v_entry_count] := account_held[v_debit]; entry_held_changes[v_entry_count] := v_held_change;
      elsif v_amount <> 0 then
        if v_is_swapped then v_slot := v_debit; v_debit := v_credit; v_credit := v_slot; v_slot := 0; end if;
        account_posted[v_debit] := account_posted[v_debit] - v_amount;
        account_held[v_debit] := account_held[v_debit] + v_held_change;
        account_seqs[v_debit] := account_seqs[v_debit] + 1;
        v_entry_count := v_entry_count + 1;
        entry_positions[v_entry_count] := v_debit; entry_accounts[v_entry_count] := account_ids[v_debit];
        entry_seqs[v_entry_count] := account_seqs[v_debit]; entry_operations[v_entry_count] := v_batch * 1024 + v_index;
        entry_amounts[v_entry_count] := -v_amount; entry_balances[v_entry_count] := account_posted[v_debit];
        entry_held[v_entry_count] := account_held[v_debit]; entry_held_changes[v_entry_count] := v_held_change;
        account_posted[v_credit] := account_posted[v_credit] + v_amount;
        account_seqs[v_credit] := account_seqs[v_credit] + 1;
        v_entry_count := v_entry_count + 1;
        entry_positions[v_entry_count] := v_credit; entry_accounts[v_entry_count] := account_ids[v_credit];
        entry_seqs[v_entry_count] := account_seqs[v_credit];
        entry_operations[v_entry_count] := v_batch * 1024 + v_index;
        entry_amounts[v_entry_count] := v_amount; entry_balances[v_entry_count] := account_posted[v_credit];
        entry_held[v_entry_count] := account_held[v_credit]; entry_held_changes[v_entry_count] := 0;
      end if;
      if v_slot > 0 then
        if v_type = 'hold' then
          hold_states[v_slot] := 'pending'; hold_amounts[v_slot] := v_amount;
          hold_debits[v_slot] := account_ids[v_debit]; hold_positions[v_slot] := v_index;
          hold_credits[v_slot] := p_member[v_credit] || '/' || p_account_kind[v_credit];
        else
          hold_states[v_slot] := case v_type when 'post' then 'posted' else 'voided' end::ledger.operation_state;
          hold_resolved[v_slot] := true;
          account_resolved[p_debit[v_index]] := account_resolved[p_debit[v_index]] + 1;
        end if;
      end if;
    end loop;

    -- An operation of the group failed: undo the group in reverse order, and reject all of it.
    if v_failed_index > 0 then
      for v_index in reverse v_entry_count..v_entry_count_before + 1 loop
        v_debit := entry_positions[v_index];
        account_posted[v_debit] := account_posted[v_debit] - entry_amounts[v_index];
        account_held[v_debit] := account_held[v_debit] - entry_held_changes[v_index];
        account_seqs[v_debit] := account_seqs[v_debit] - 1;
      end loop;
      v_entry_count := v_entry_count_before;
      for v_index in reverse v_failed_index - 1..v_group_first loop
        v_slot := p_slot[v_index];
        if v_slot > 0 then
          if p_type[v_index] = 'hold' then hold_positions[v_slot] := 0;
          else
            hold_states[v_slot] := 'pending'; hold_resolved[v_slot] := false;
            account_resolved[p_debit[v_index]] := account_resolved[p_debit[v_index]] - 1;
          end if;
        end if;
        result_pending[v_index] := null;
      end loop;
      for v_index in v_group_first..v_group_last loop
        result_states[v_index] := 'rejected';
        result_reasons[v_index] := case when v_index = v_failed_index then v_reason else 'linked' end;
        if p_slot[v_index] > 0 and p_type[v_index] = 'hold' then hold_states[p_slot[v_index]] := 'rejected'; end if;
        if v_index > v_failed_index then
          result_debits[v_index] := account_ids[p_debit[v_index]];
          result_credits[v_index] := account_ids[p_credit[v_index]];
          result_amounts[v_index] := case when p_type[v_index] = 'adjust' then 0 else p_amount[v_index] end;
          result_signed_amounts[v_index] := result_amounts[v_index];
        end if;
      end loop;
    end if;

    for v_index in v_group_first..v_group_last loop
      v_debit := p_debit[v_index]; v_credit := p_credit[v_index];
      result_ids[v_index] := v_batch * 1024 + v_index;
      result_written[v_index] := true;
      result_outcomes[v_index] := case when v_failed_index > 0 then 'r' else 'a' end;
      result_debit_posted[v_index] := account_posted[v_debit]; result_debit_held[v_index] := account_held[v_debit];
      result_credit_posted[v_index] := account_posted[v_credit]; result_credit_held[v_index] := account_held[v_credit];
      v_written_count := v_written_count + 1;
    end loop;
    v_group_first := v_group_last + 1;
  end loop;

  if v_written_count > 0 then
    -- 5. Rows: accounts, operations, entries and the link of the hash chain, in one statement: starting a statement
    -- costs as much as several rows.
    -- Invariant: a hold that this batch resolved is written once, in its final state.
    for v_index in 1..v_slot_count loop
      if hold_resolved[v_index] and hold_positions[v_index] > 0 then
        result_states[hold_positions[v_index]] := hold_states[v_index];
      end if;
    end loop;
    with moved as (
      update ledger.account account
         set posted = changed.posted, held = changed.held, seq = changed.seq, resolved = changed.resolved, at = v_at
        from unnest(account_ids, account_posted, account_held, account_seqs, account_resolved)
             changed(id, posted, held, seq, resolved)
       where account.id = changed.id and account.seq <> changed.seq
    ), operations as (
      insert into ledger.operation
        (id, idempotency_key, request_hash, debit, credit, amount, pending, type, state, kind, reference, actor, reason)
      select written.id, written.key, written.hash, written.debit, written.credit, written.amount, written.pending,
             written.type, written.state, written.kind, written.reference, written.actor, written.reason
        from unnest(result_written, result_ids, p_key, p_hash, result_debits, result_credits, result_amounts,
                    result_pending, p_type, result_states, p_kind, p_reference, p_actor, result_reasons)
             written(is_new, id, key, hash, debit, credit, amount, pending, type, state, kind, reference, actor, reason)
       where written.is_new
      returning id, ledger.operation_line(operation) as line
    ), entries as (
      insert into ledger.entry (account_id, seq, operation_id, amount, balance, held, at)
      select written.account, written.seq, written.operation, written.amount, written.balance, written.held, v_at
        from unnest(entry_accounts[1:v_entry_count], entry_seqs[1:v_entry_count], entry_operations[1:v_entry_count],
                    entry_amounts[1:v_entry_count], entry_balances[1:v_entry_count], entry_held[1:v_entry_count])
             written(account, seq, operation, amount, balance, held)
      returning operation_id, account_id, seq, ledger.entry_line(entry) as line
    ), link as (
      insert into ledger.batch (id, lane, first_operation, last_operation, at, previous_hash, hash)
      select v_batch, p_lane, v_batch * 1024 + 1, v_batch * 1024 + v_operation_count, v_at, v_previous,
             sha256(v_previous || ledger.batch_text(p_lane, v_batch, v_at,
               (select string_agg(operations.line, E'\n' order by operations.id) from operations),
               (select string_agg(entries.line, E'\n'
                                  order by entries.operation_id, entries.account_id, entries.seq) from entries)))
      returning hash
    )
    update ledger.lane lane set last_batch = v_batch, hash = link.hash from link where lane.id = p_lane;
    if v_slot_count > 0 then
      update ledger.operation operation set state = hold.state
        from unnest(hold_ids, hold_states, hold_resolved) hold(id, state, is_resolved)
       where hold.is_resolved and hold.id is not null and operation.id = hold.id
         and operation.state::text = 'pending';
      get diagnostics v_index = row_count;
      if v_index <> (select count(*) from unnest(hold_ids, hold_resolved) hold(id, is_resolved)
                      where hold.is_resolved and hold.id is not null) then
        raise exception 'ledger: a hold of batch % was not pending', v_batch;
      end if;
    end if;
    batch_id := v_batch;
  end if;

  -- 6. Results, in the order of the operations.
  at := to_char(v_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
  ids := array_to_string(result_ids, ',', '');
  outcomes := array_to_string(result_outcomes, '');
  states := array_to_string(result_states, ',', '');
  reasons := array_to_string(result_reasons, ',', '');
  amounts := array_to_string(result_signed_amounts, ',', '');
  debit_posted := array_to_string(result_debit_posted, ','); debit_held := array_to_string(result_debit_held, ',');
  credit_posted := array_to_string(result_credit_posted, ','); credit_held := array_to_string(result_credit_held, ',');
end
$function$
;

CREATE OR REPLACE FUNCTION ledger.post_commands(p_lane smallint, p_kind_of text[], p_rows jsonb, p_command_of integer[], p_member text[], p_account_kind text[], p_currency text[], p_key uuid[], p_hash uuid[], p_type ledger.operation_type[], p_debit integer[], p_credit integer[], p_amount bigint[], p_slot integer[], p_last integer[], p_kind text[], p_reference text[], p_actor text[], p_slot_key uuid[], OUT batch_id text, OUT previous_batch text, OUT at text, OUT ids text, OUT outcomes text, OUT states text, OUT reasons text, OUT amounts text, OUT debit_posted text, OUT debit_held text, OUT credit_posted text, OUT credit_held text, OUT posted text, OUT command_outcomes text)
 RETURNS record
 LANGUAGE plpgsql
 SET plan_cache_mode TO 'force_generic_plan'
 SET enable_seqscan TO 'off'
 SET enable_bitmapscan TO 'off'
 SET enable_hashjoin TO 'off'
 SET enable_mergejoin TO 'off'
AS $function$
#variable_conflict use_variable
declare
  v_command_count constant int := cardinality(p_kind_of);
  v_all_applied constant text[] := array_fill('applied'::text, array[v_command_count]);
  v_outcomes text[] := v_all_applied;
  v_kinds constant text[] := array(select distinct kind from unnest(p_kind_of) kind order by kind);
  v_kind text; v_positions int[]; v_rows jsonb; v_kind_outcomes text[]; v_verdicts text[]; v_posted int[]; v_index int;
  v_result record;
begin
  foreach v_kind in array v_kinds loop
    if cardinality(v_kinds) = 1 then
      execute format('select commands.%I($1)', v_kind || '_admit') into v_outcomes using p_rows;
    else
      select array_agg(command.position::int order by command.position),
             jsonb_agg(p_rows -> (command.position - 1)::int order by command.position) into v_positions, v_rows
        from unnest(p_kind_of) with ordinality command(kind, position) where command.kind = v_kind;
      execute format('select commands.%I($1)', v_kind || '_admit') into v_kind_outcomes using v_rows;
      for v_index in 1..cardinality(v_positions) loop
        v_outcomes[v_positions[v_index]] := v_kind_outcomes[v_index];
      end loop;
    end if;
  end loop;
  if cardinality(v_outcomes) is distinct from v_command_count or array_position(v_outcomes, null) is not null then
    raise exception 'commands: outcomes % of % commands', v_outcomes, v_command_count;
  end if;

  if v_outcomes <> v_all_applied then
    -- Only operations of admitted commands. A group belongs to one command: all of it is posted, or none.
    select array_agg(kept.key order by kept.number), array_agg(kept.hash order by kept.number),
           array_agg(kept.type order by kept.number), array_agg(kept.debit order by kept.number),
           array_agg(kept.credit order by kept.number), array_agg(kept.amount order by kept.number),
           array_agg(kept.slot order by kept.number), array_agg(kept.last order by kept.number),
           array_agg(kept.kind order by kept.number), array_agg(kept.reference order by kept.number),
           array_agg(kept.actor order by kept.number), array_agg(kept.command order by kept.number),
           array_agg(kept.position order by kept.number)
      into p_key, p_hash, p_type, p_debit, p_credit, p_amount, p_slot, p_last, p_kind, p_reference, p_actor,
           p_command_of, v_posted
      from (select numbered.*, (max(numbered.number) over (partition by numbered.old_last))::int as last
              from (select operation.*, row_number() over (order by operation.position) as number
                      from unnest(p_key, p_hash, p_type, p_debit, p_credit, p_amount, p_slot, p_last, p_kind,
                                  p_reference, p_actor, p_command_of) with ordinality
                           operation(key, hash, type, debit, credit, amount, slot, old_last, kind, reference, actor,
                                     command, position)
                     where operation.command = 0 or v_outcomes[operation.command] = 'applied') numbered) kept;
    posted := coalesce(array_to_string(v_posted, ','), '');
  end if;
  command_outcomes := array_to_string(v_outcomes, ',');
  if coalesce(cardinality(p_key), 0) = 0 then return; end if;

  select * into v_result
    from ledger.post_batch(p_lane, p_member, p_account_kind, p_currency, p_key, p_hash, p_type, p_debit, p_credit,
                           p_amount, p_slot, p_last, p_kind, p_reference, p_actor, p_slot_key);
  batch_id := v_result.batch_id; previous_batch := v_result.previous_batch; at := v_result.at; ids := v_result.ids;
  outcomes := v_result.outcomes; states := v_result.states; reasons := v_result.reasons; amounts := v_result.amounts;
  debit_posted := v_result.debit_posted; debit_held := v_result.debit_held;
  credit_posted := v_result.credit_posted; credit_held := v_result.credit_held;
  if outcomes !~* '[^a]' then return; end if;

  foreach v_kind in array v_kinds loop
    select array_agg(refused.command order by refused.command),
           jsonb_agg(p_rows -> (refused.command - 1) order by refused.command),
           array_agg(refused.verdicts order by refused.command)
      into v_positions, v_rows, v_verdicts
      from (select operation.command, bool_and(lower(operation.code) = 'a') as is_applied,
                   string_agg(case lower(operation.code)
                                when 'a' then 'applied' when 'r' then 'rejected' else 'conflict' end,
                              ',' order by operation.position) as verdicts
              from unnest(p_command_of, string_to_array(outcomes, null)) with ordinality
                   operation(command, code, position)
             where operation.command > 0 group by operation.command) refused
     where p_kind_of[refused.command] = v_kind and not refused.is_applied;
    continue when v_positions is null;
    execute format('select commands.%I($1, $2)', v_kind || '_refused') into v_kind_outcomes using v_rows, v_verdicts;
    for v_index in 1..cardinality(v_positions) loop
      v_outcomes[v_positions[v_index]] := v_kind_outcomes[v_index];
    end loop;
  end loop;
  if array_position(v_outcomes, null) is not null then
    raise exception 'commands: outcomes % of % commands', v_outcomes, v_command_count;
  end if;
  command_outcomes := array_to_string(v_outcomes, ',');
end
$function$
;

CREATE OR REPLACE FUNCTION ledger.seq_before(p_account bigint, p_at timestamp with time zone)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  v_low bigint := 0;
  v_high bigint := coalesce((select account.seq from ledger.account account where account.id = p_account), 0);
  v_middle bigint;
begin
  while v_low < v_high loop
    v_middle := (v_low + v_high + 1) / 2;
    if (select entry.at from ledger.entry entry where entry.account_id = p_account and entry.seq = v_middle) < p_at then
      v_low := v_middle;
    else
      v_high := v_middle - 1;
    end if;
  end loop;
  return v_low;
end
$function$
;

CREATE OR REPLACE FUNCTION ledger.seq_until(p_account bigint, p_operation bigint)
 RETURNS bigint
 LANGUAGE plpgsql
 STABLE
AS $function$
declare
  -- The entry v_low may belong to a later operation; all entries after v_high do.
  v_high bigint := coalesce((select account.seq from ledger.account account where account.id = p_account), 0);
  v_low bigint := v_high;
  v_step bigint := 1;
  v_middle bigint;
begin
  while v_low > 0 loop
    exit when (select entry.operation_id from ledger.entry entry
      where entry.account_id = p_account and entry.seq = v_low) <= p_operation;
    v_high := v_low - 1;
    v_low := greatest(v_low - v_step, 0);
    v_step := v_step * 2;
  end loop;
  while v_low < v_high loop
    v_middle := (v_low + v_high + 1) / 2;
    if (select entry.operation_id from ledger.entry entry
      where entry.account_id = p_account and entry.seq = v_middle) <= p_operation then
      v_low := v_middle;
    else
      v_high := v_middle - 1;
    end if;
  end loop;
  return v_low;
end
$function$
;

CREATE TRIGGER entry_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON ledger.entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
