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
  select concat_ws(E'\x1f', (o).id, (o).idempotency_key, (o).request_hash, (o).debit, (o).credit, (o).amount, (o).pending,
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
  v_n constant int := cardinality(p_key);
  v_accounts constant int := cardinality(p_member);
  v_slots constant int := cardinality(p_slot_key);
  v_previous bytea;
  v_batch bigint;
  v_at timestamptz;
  v_now timestamptz;
  -- accounts, by index
  a_id bigint[]; a_posted bigint[]; a_held bigint[]; a_floor bigint[]; a_bounded boolean[]; a_seq bigint[];
  a_resolved bigint[];
  -- known keys, by index of the operation
  v_any_known boolean := false;
  k_id bigint[]; k_hash uuid[]; k_state ledger.operation_state[]; k_reason text[]; k_amount bigint[]; k_credit bigint[];
  -- holds, by slot
  s_id bigint[]; s_state ledger.operation_state[]; s_amount bigint[]; s_debit bigint[]; s_credit text[]; s_place int[];
  s_moved boolean[];
  -- operations to write, by index; r_write marks them
  r_id bigint[]; r_write boolean[]; r_state ledger.operation_state[]; r_reason text[]; r_amount bigint[];
  r_debit bigint[]; r_credit bigint[]; r_pending bigint[]; r_outcome text[];
  r_signed bigint[]; r_dp bigint[]; r_dh bigint[]; r_cp bigint[]; r_ch bigint[];
  -- entries to write
  e_place int[] := '{}'; e_account bigint[] := '{}'; e_seq bigint[] := '{}'; e_operation bigint[] := '{}';
  e_amount bigint[] := '{}'; e_balance bigint[] := '{}'; e_held bigint[] := '{}'; e_delta bigint[] := '{}';
  v_e int := 0; v_e_group int;
  v_i int := 1; v_k int; v_end int; v_known int; v_failed int; v_written int := 0;
  v_clash boolean; v_reason text; v_type ledger.operation_type;
  d int; c int; s int; v_amount bigint; v_delta bigint; v_swap boolean;
  v_row record;
begin
  -- 1. The lane's head, then all accounts in the order of ids: two calls never deadlock.
  for v_try in 1..3 loop
    select l.hash, l.last_batch into v_previous, previous_batch from ledger.lane l where l.id = p_lane for no key update;
    exit when found;
    insert into ledger.lane (id) values (p_lane) on conflict do nothing;
  end loop;
  for v_try in 1..3 loop
    select array_agg(o.id), array_agg(o.posted), array_agg(o.held), array_agg(o.floor), array_agg(o.bounded),
           array_agg(o.seq), array_agg(o.resolved), max(o.at)
      into a_id, a_posted, a_held, a_floor, a_bounded, a_seq, a_resolved, v_at
      from (select locked.* from (
        select t.i, a.id, a.posted, a.held, a.floor, a.bounded, a.seq, a.resolved, a.at
          from unnest(p_member, p_account_kind, p_currency) with ordinality t(member_id, kind, currency, i)
          join ledger.account a on a.member_id = t.member_id and a.kind = t.kind and a.currency = t.currency
           and a.stripe = case when t.member_id = '' then p_lane else 0 end
         order by a.id
           for no key update of a) locked
       order by locked.i) o;
    exit when cardinality(a_id) = v_accounts;
    -- Accounts open on first use: one without a row has never moved.
    insert into ledger.account (member_id, kind, currency, stripe, bounded)
    select t.member_id, t.kind, t.currency, case when t.member_id = '' then p_lane else 0 end, t.member_id <> ''
      from unnest(p_member, p_account_kind, p_currency) t(member_id, kind, currency)
    on conflict do nothing;
  end loop;
  if cardinality(a_id) is distinct from v_accounts then
    raise exception 'ledger: % accounts named, % found', v_accounts, cardinality(a_id);
  end if;
  -- Read after the locks, and never earlier than an entry of any of these accounts, even if the clock steps back.
  v_now := clock_timestamp();
  if v_now > v_at then v_at := v_now; end if;

  -- 2. Known keys. The row lock is a write: a replay waits for a synchronous standby, as the first call did.
  k_id := array_fill(null::bigint, array[v_n]);
  for v_row in
    select t.i, o.id, o.request_hash, o.state, o.reason, o.amount, o.credit
      from unnest(p_key) with ordinality t(key, i)
      join ledger.operation o on o.idempotency_key = t.key
     order by o.id
       for no key update of o
  loop
    v_any_known := true;
    k_id[v_row.i] := v_row.id; k_hash[v_row.i] := v_row.request_hash; k_state[v_row.i] := v_row.state;
    k_reason[v_row.i] := v_row.reason; k_amount[v_row.i] := v_row.amount; k_credit[v_row.i] := v_row.credit;
  end loop;

  -- 3. Holds to resolve. Their debit account is locked, so that no other call resolves them concurrently.
  if v_slots > 0 then
    s_state := array_fill(null::ledger.operation_state, array[v_slots]);
    s_id := array_fill(null::bigint, array[v_slots]);
    s_place := array_fill(0, array[v_slots]);
    s_moved := array_fill(false, array[v_slots]);
    for v_row in
      select t.i, o.id, o.state, o.amount, o.debit, a.member_id || '/' || a.kind as credit
        from unnest(p_slot_key) with ordinality t(key, i)
        join ledger.operation o on o.idempotency_key = t.key and o.type = 'hold'
        join ledger.account a on a.id = o.credit
    loop
      s_id[v_row.i] := v_row.id; s_state[v_row.i] := v_row.state; s_amount[v_row.i] := v_row.amount;
      s_debit[v_row.i] := v_row.debit; s_credit[v_row.i] := v_row.credit;
    end loop;
  end if;

  -- 4. One operation after another; each sees the effect of the earlier ones.
  v_batch := nextval('ledger.batch_id');
  -- Filled: an array starts at the first assigned index, and unnest would shift it.
  r_write := array_fill(false, array[v_n]);
  r_debit := array_fill(null::bigint, array[v_n]);
  r_credit := r_debit;
  r_amount := r_debit;
  r_id := array_fill(null::bigint, array[v_n]);
  r_reason := array_fill(null::text, array[v_n]);
  r_pending := array_fill(null::bigint, array[v_n]);
  while v_i <= v_n loop
    v_end := p_last[v_i];

    -- Replay: the first result again. A group of which only some keys are known is a conflict.
    if v_any_known then
      v_known := 0; v_clash := false;
      for v_k in v_i..v_end loop
        if k_id[v_k] is not null then
          v_known := v_known + 1;
          if k_hash[v_k] <> p_hash[v_k] then v_clash := true; end if;
        end if;
      end loop;
      if v_known > 0 then
        v_clash := v_clash or v_known <= v_end - v_i;
        for v_k in v_i..v_end loop
          d := p_debit[v_k]; c := p_credit[v_k];
          r_id[v_k] := k_id[v_k];
          r_state[v_k] := k_state[v_k];
          r_reason[v_k] := case when v_clash then 'key_reused' else k_reason[v_k] end;
          r_outcome[v_k] := case when v_clash then 'C' when k_state[v_k] = 'rejected' then 'R' else 'A' end;
          r_signed[v_k] := case when v_clash then 0
            when p_type[v_k] = 'adjust' and k_credit[v_k] <> a_id[c] then -k_amount[v_k] else k_amount[v_k] end;
          r_dp[v_k] := a_posted[d]; r_dh[v_k] := a_held[d]; r_cp[v_k] := a_posted[c]; r_ch[v_k] := a_held[c];
        end loop;
        v_i := v_end + 1;
        continue;
      end if;
    end if;

    v_e_group := v_e; v_failed := 0; v_reason := null;
    for v_k in v_i..v_end loop
      v_type := p_type[v_k]; d := p_debit[v_k]; c := p_credit[v_k]; s := p_slot[v_k]; v_amount := p_amount[v_k];
      v_swap := false;
      r_state[v_k] := 'applied';
      if v_type = 'transfer' then
        if a_bounded[d] and a_posted[d] - a_held[d] - v_amount < a_floor[d] then v_reason := 'insufficient'; end if;
        v_delta := 0;
      elsif v_type = 'hold' then
        if a_bounded[d] and a_posted[d] - a_held[d] - v_amount < a_floor[d] then v_reason := 'insufficient'; end if;
        v_delta := v_amount;
        r_state[v_k] := 'pending';
      elsif v_type = 'adjust' then
        -- v_amount is the target balance of the credit account. A lower target moves money the other way.
        v_amount := v_amount - a_posted[c];
        if v_amount < 0 then
          v_swap := true;
          v_amount := -v_amount;
          if a_bounded[c] and a_posted[c] - a_held[c] - v_amount < a_floor[c] then v_reason := 'insufficient'; end if;
        end if;
        v_delta := 0;
      elsif v_type = 'mark' then
        v_amount := 0;
        v_delta := 0;
      else
        if s_state[s] is null then v_reason := 'not_found';
        elsif s_state[s] <> 'pending' then v_reason := 'not_pending';
        elsif s_debit[s] <> a_id[d] or s_credit[s] <> p_member[c] || '/' || p_account_kind[c]
              or (v_amount > 0 and v_amount <> s_amount[s]) then v_reason := 'mismatch';
        else
          v_amount := s_amount[s];
          r_pending[v_k] := case when s_place[s] > 0 then v_batch * 1024 + s_place[s] else s_id[s] end;
        end if;
        v_delta := -v_amount;
      end if;
      r_amount[v_k] := v_amount;
      r_signed[v_k] := case when v_swap then -v_amount else v_amount end;
      r_debit[v_k] := a_id[case when v_swap then c else d end];
      r_credit[v_k] := a_id[case when v_swap then d else c end];
      if v_reason is not null then v_failed := v_k; exit; end if;

      -- The member account of a hold, post, void or mark is always the debit account.
      if v_type = 'hold' or v_type = 'void' or v_type = 'mark' then
        a_held[d] := a_held[d] + v_delta; a_seq[d] := a_seq[d] + 1;
        v_e := v_e + 1;
        e_place[v_e] := d; e_account[v_e] := a_id[d]; e_seq[v_e] := a_seq[d]; e_operation[v_e] := v_batch * 1024 + v_k;
        e_amount[v_e] := 0; e_balance[v_e] := a_posted[d]; e_held[v_e] := a_held[d]; e_delta[v_e] := v_delta;
      elsif v_amount <> 0 then
        if v_swap then s := d; d := c; c := s; s := 0; end if;
        a_posted[d] := a_posted[d] - v_amount; a_held[d] := a_held[d] + v_delta; a_seq[d] := a_seq[d] + 1;
        v_e := v_e + 1;
        e_place[v_e] := d; e_account[v_e] := a_id[d]; e_seq[v_e] := a_seq[d]; e_operation[v_e] := v_batch * 1024 + v_k;
        e_amount[v_e] := -v_amount; e_balance[v_e] := a_posted[d]; e_held[v_e] := a_held[d]; e_delta[v_e] := v_delta;
        a_posted[c] := a_posted[c] + v_amount; a_seq[c] := a_seq[c] + 1;
        v_e := v_e + 1;
        e_place[v_e] := c; e_account[v_e] := a_id[c]; e_seq[v_e] := a_seq[c]; e_operation[v_e] := v_batch * 1024 + v_k;
        e_amount[v_e] := v_amount; e_balance[v_e] := a_posted[c]; e_held[v_e] := a_held[c]; e_delta[v_e] := 0;
      end if;
      if s > 0 then
        if v_type = 'hold' then
          s_state[s] := 'pending'; s_amount[s] := v_amount; s_debit[s] := a_id[d]; s_place[s] := v_k;
          s_credit[s] := p_member[c] || '/' || p_account_kind[c];
        else
          s_state[s] := case v_type when 'post' then 'posted' else 'voided' end::ledger.operation_state;
          s_moved[s] := true;
          a_resolved[p_debit[v_k]] := a_resolved[p_debit[v_k]] + 1;
        end if;
      end if;
    end loop;

    -- An operation of the group failed: undo the group in reverse order, and reject all of it.
    if v_failed > 0 then
      for v_k in reverse v_e..v_e_group + 1 loop
        d := e_place[v_k];
        a_posted[d] := a_posted[d] - e_amount[v_k]; a_held[d] := a_held[d] - e_delta[v_k]; a_seq[d] := a_seq[d] - 1;
      end loop;
      v_e := v_e_group;
      for v_k in reverse v_failed - 1..v_i loop
        s := p_slot[v_k];
        if s > 0 then
          if p_type[v_k] = 'hold' then s_place[s] := 0;
          else
            s_state[s] := 'pending'; s_moved[s] := false;
            a_resolved[p_debit[v_k]] := a_resolved[p_debit[v_k]] - 1;
          end if;
        end if;
        r_pending[v_k] := null;
      end loop;
      for v_k in v_i..v_end loop
        r_state[v_k] := 'rejected';
        r_reason[v_k] := case when v_k = v_failed then v_reason else 'linked' end;
        if p_slot[v_k] > 0 and p_type[v_k] = 'hold' then s_state[p_slot[v_k]] := 'rejected'; end if;
        if v_k > v_failed then
          r_debit[v_k] := a_id[p_debit[v_k]]; r_credit[v_k] := a_id[p_credit[v_k]];
          r_amount[v_k] := case when p_type[v_k] = 'adjust' then 0 else p_amount[v_k] end;
          r_signed[v_k] := r_amount[v_k];
        end if;
      end loop;
    end if;

    for v_k in v_i..v_end loop
      d := p_debit[v_k]; c := p_credit[v_k];
      r_id[v_k] := v_batch * 1024 + v_k;
      r_write[v_k] := true;
      r_outcome[v_k] := case when v_failed > 0 then 'r' else 'a' end;
      r_dp[v_k] := a_posted[d]; r_dh[v_k] := a_held[d]; r_cp[v_k] := a_posted[c]; r_ch[v_k] := a_held[c];
      v_written := v_written + 1;
    end loop;
    v_i := v_end + 1;
  end loop;

  if v_written > 0 then
    -- 5. One statement writes accounts, operations, entries and the link of the chain: starting a statement costs as much as several
    -- rows. A hold that this batch resolved is written in its final state.
    for v_k in 1..v_slots loop
      if s_moved[v_k] and s_place[v_k] > 0 then r_state[s_place[v_k]] := s_state[v_k]; end if;
    end loop;
    with moved as (
      update ledger.account a
         set posted = t.posted, held = t.held, seq = t.seq, resolved = t.resolved, at = v_at
        from unnest(a_id, a_posted, a_held, a_seq, a_resolved) t(id, posted, held, seq, resolved)
       where a.id = t.id and a.seq <> t.seq
    ), operations as (
      insert into ledger.operation
        (id, idempotency_key, request_hash, debit, credit, amount, pending, type, state, kind, reference, actor, reason)
      select t.id, t.key, t.hash, t.debit, t.credit, t.amount, t.pending, t.type, t.state, t.kind, t.reference, t.actor,
             t.reason
        from unnest(r_write, r_id, p_key, p_hash, r_debit, r_credit, r_amount, r_pending, p_type, r_state, p_kind,
                    p_reference, p_actor, r_reason)
             t(write, id, key, hash, debit, credit, amount, pending, type, state, kind, reference, actor, reason)
       where t.write
      returning id, ledger.operation_line(operation) as line
    ), entries as (
      insert into ledger.entry (account_id, seq, operation_id, amount, balance, held, at)
      select t.account, t.seq, t.operation, t.amount, t.balance, t.held, v_at
        from unnest(e_account[1:v_e], e_seq[1:v_e], e_operation[1:v_e], e_amount[1:v_e], e_balance[1:v_e],
                    e_held[1:v_e]) t(account, seq, operation, amount, balance, held)
      returning operation_id, account_id, seq, ledger.entry_line(entry) as line
    ), link as (
      insert into ledger.batch (id, lane, first_operation, last_operation, at, previous_hash, hash)
      select v_batch, p_lane, v_batch * 1024 + 1, v_batch * 1024 + v_n, v_at, v_previous,
             sha256(v_previous || ledger.batch_text(p_lane, v_batch, v_at,
               (select string_agg(o.line, E'\n' order by o.id) from operations o),
               (select string_agg(e.line, E'\n' order by e.operation_id, e.account_id, e.seq) from entries e)))
      returning hash
    )
    update ledger.lane l set last_batch = v_batch, hash = link.hash from link where l.id = p_lane;
    if v_slots > 0 then
      update ledger.operation o set state = t.state
        from unnest(s_id, s_state, s_moved) t(id, state, moved)
       where t.moved and t.id is not null and o.id = t.id and o.state::text = 'pending';
      get diagnostics v_k = row_count;
      if v_k <> (select count(*) from unnest(s_id, s_moved) t(id, moved) where t.moved and t.id is not null) then
        raise exception 'ledger: a hold of batch % was not pending', v_batch;
      end if;
    end if;
    batch_id := v_batch;
  end if;

  at := to_char(v_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"');
  ids := array_to_string(r_id, ',', '');
  outcomes := array_to_string(r_outcome, '');
  states := array_to_string(r_state, ',', '');
  reasons := array_to_string(r_reason, ',', '');
  amounts := array_to_string(r_signed, ',', '');
  debit_posted := array_to_string(r_dp, ','); debit_held := array_to_string(r_dh, ',');
  credit_posted := array_to_string(r_cp, ','); credit_held := array_to_string(r_ch, ',');
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
  v_n constant int := cardinality(p_kind_of);
  v_all_applied constant text[] := array_fill('applied'::text, array[v_n]);
  v_outcomes text[] := v_all_applied;
  v_kinds constant text[] := array(select distinct k from unnest(p_kind_of) k order by k);
  v_kind text; v_positions int[]; v_rows jsonb; v_some text[]; v_verdicts text[]; v_posted int[]; v_k int; v_post record;
begin
  foreach v_kind in array v_kinds loop
    if cardinality(v_kinds) = 1 then
      execute format('select commands.%I($1)', v_kind || '_admit') into v_outcomes using p_rows;
    else
      select array_agg(t.i::int order by t.i), jsonb_agg(p_rows -> (t.i - 1)::int order by t.i) into v_positions, v_rows
        from unnest(p_kind_of) with ordinality t(kind, i) where t.kind = v_kind;
      execute format('select commands.%I($1)', v_kind || '_admit') into v_some using v_rows;
      for v_k in 1..cardinality(v_positions) loop v_outcomes[v_positions[v_k]] := v_some[v_k]; end loop;
    end if;
  end loop;
  if cardinality(v_outcomes) is distinct from v_n or array_position(v_outcomes, null) is not null then
    raise exception 'commands: outcomes % of % commands', v_outcomes, v_n;
  end if;

  if v_outcomes <> v_all_applied then
    -- Only operations of admitted commands. A group belongs to one command: all of it is posted, or none.
    select array_agg(x.key order by x.n), array_agg(x.hash order by x.n), array_agg(x.type order by x.n),
           array_agg(x.debit order by x.n), array_agg(x.credit order by x.n), array_agg(x.amount order by x.n),
           array_agg(x.slot order by x.n), array_agg(x.last order by x.n), array_agg(x.kind order by x.n),
           array_agg(x.reference order by x.n), array_agg(x.actor order by x.n), array_agg(x.command order by x.n),
           array_agg(x.i order by x.n)
      into p_key, p_hash, p_type, p_debit, p_credit, p_amount, p_slot, p_last, p_kind, p_reference, p_actor, p_command_of,
           v_posted
      from (select y.*, (max(y.n) over (partition by y.old_last))::int as last
              from (select t.*, row_number() over (order by t.i) as n
                      from unnest(p_key, p_hash, p_type, p_debit, p_credit, p_amount, p_slot, p_last, p_kind,
                                  p_reference, p_actor, p_command_of) with ordinality
                           t(key, hash, type, debit, credit, amount, slot, old_last, kind, reference, actor, command, i)
                     where t.command = 0 or v_outcomes[t.command] = 'applied') y) x;
    posted := coalesce(array_to_string(v_posted, ','), '');
  end if;
  command_outcomes := array_to_string(v_outcomes, ',');
  if coalesce(cardinality(p_key), 0) = 0 then return; end if;

  select * into v_post
    from ledger.post_batch(p_lane, p_member, p_account_kind, p_currency, p_key, p_hash, p_type, p_debit, p_credit,
                           p_amount, p_slot, p_last, p_kind, p_reference, p_actor, p_slot_key);
  batch_id := v_post.batch_id; previous_batch := v_post.previous_batch; at := v_post.at; ids := v_post.ids;
  outcomes := v_post.outcomes; states := v_post.states; reasons := v_post.reasons; amounts := v_post.amounts;
  debit_posted := v_post.debit_posted; debit_held := v_post.debit_held;
  credit_posted := v_post.credit_posted; credit_held := v_post.credit_held;
  if outcomes !~* '[^a]' then return; end if;

  foreach v_kind in array v_kinds loop
    select array_agg(x.command order by x.command), jsonb_agg(p_rows -> (x.command - 1) order by x.command),
           array_agg(x.verdicts order by x.command)
      into v_positions, v_rows, v_verdicts
      from (select o.command, bool_and(lower(o.code) = 'a') as is_applied,
                   string_agg(case lower(o.code) when 'a' then 'applied' when 'r' then 'rejected' else 'conflict' end, ','
                              order by o.i) as verdicts
              from unnest(p_command_of, string_to_array(outcomes, null)) with ordinality o(command, code, i)
             where o.command > 0 group by o.command) x
     where p_kind_of[x.command] = v_kind and not x.is_applied;
    continue when v_positions is null;
    execute format('select commands.%I($1, $2)', v_kind || '_refused') into v_some using v_rows, v_verdicts;
    for v_k in 1..cardinality(v_positions) loop v_outcomes[v_positions[v_k]] := v_some[v_k]; end loop;
  end loop;
  if array_position(v_outcomes, null) is not null then
    raise exception 'commands: outcomes % of % commands', v_outcomes, v_n;
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
  v_high bigint := coalesce((select a.seq from ledger.account a where a.id = p_account), 0);
  v_middle bigint;
begin
  while v_low < v_high loop
    v_middle := (v_low + v_high + 1) / 2;
    if (select e.at from ledger.entry e where e.account_id = p_account and e.seq = v_middle) < p_at then
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
  v_high bigint := coalesce((select a.seq from ledger.account a where a.id = p_account), 0);
  v_low bigint := v_high;
  v_step bigint := 1;
  v_middle bigint;
begin
  while v_low > 0 loop
    exit when (select e.operation_id from ledger.entry e where e.account_id = p_account and e.seq = v_low) <= p_operation;
    v_high := v_low - 1;
    v_low := greatest(v_low - v_step, 0);
    v_step := v_step * 2;
  end loop;
  while v_low < v_high loop
    v_middle := (v_low + v_high + 1) / 2;
    if (select e.operation_id from ledger.entry e where e.account_id = p_account and e.seq = v_middle) <= p_operation then
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
