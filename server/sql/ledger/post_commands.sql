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
$$;
