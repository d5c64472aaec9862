-- migration: 0358

create or replace function ledger.post_commands(
  p_lane smallint, p_kind_of text[], p_rows jsonb,
  -- Position of each operation's command, 0 for none.
  p_command_of int[],
  p_member text[], p_account_kind text[], p_currency text[],
  p_key uuid[], p_hash uuid[], p_type ledger.operation_type[], p_debit int[], p_credit int[], p_amount bigint[],
  p_slot int[], p_last int[], p_kind text[], p_reference text[], p_actor text[], p_slot_key uuid[],
  -- As post_batch returns them, for the operations that were posted.
  out batch_id text, out previous_batch text, out at text, out ids text, out outcomes text, out states text,
  out reasons text, out amounts text, out debit_posted text, out debit_held text, out credit_posted text,
  out credit_held text,
  -- Positions of the operations that were posted; null: all.
  out posted text,
  -- One outcome per command, joined by ",".
  out command_outcomes text
) language plpgsql
set plan_cache_mode to 'force_generic_plan'
set enable_seqscan to 'off'
set enable_bitmapscan to 'off'
set enable_hashjoin to 'off'
set enable_mergejoin to 'off'
as $$
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
$$;
