-- Rows of a module change in the commit that posts their operations: one call of a lane carries both, for all callers that wait.
-- A kind of step is two functions of the schema settlement, named by it:
--   KIND_admit(rows jsonb) returns text[]: writes the rows as if all operations will be applied, and answers a letter for each:
--     'o' admitted; any other: refused, nothing of it is written and none of its operations posted.
--   KIND_refused(rows jsonb, outcomes text[]) returns text[]: for admitted rows of which the ledger refused an operation, with
--     the outcome letters of post_batch in the order of the operations; writes what follows and answers a letter, or raises.
-- Kinds are called in the order of their names, so that what a `close` frees an `open` of the same call can take.
create schema settlement;

create function ledger.post_steps(
  p_lane smallint, p_kind_of text[], p_rows jsonb,
  -- Place of each operation's step, 0 for none.
  p_of int[],
  p_member text[], p_account_kind text[], p_currency text[],
  p_key uuid[], p_hash uuid[], p_type ledger.operation_type[], p_debit int[], p_credit int[], p_amount bigint[],
  p_slot int[], p_last int[], p_kind text[], p_reference text[], p_actor text[], p_slot_key uuid[],
  out batch_id text, out previous_batch text, out at text, out ids text, out outcomes text, out states text,
  out reasons text, out amounts text, out debit_posted text, out debit_held text, out credit_posted text,
  out credit_held text, out kept text, out letters text
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
  v_letters text[] := array_fill('o'::text, array[v_n]);
  v_kinds constant text[] := array(select distinct k from unnest(p_kind_of) k order by k);
  v_kind text; v_places int[]; v_rows jsonb; v_some text[]; v_outcomes text[]; v_kept int[]; v_k int; v_post record;
begin
  foreach v_kind in array v_kinds loop
    if cardinality(v_kinds) = 1 then
      v_rows := p_rows;
      execute format('select settlement.%I($1)', v_kind || '_admit') into v_letters using v_rows;
    else
      select array_agg(t.i::int order by t.i), jsonb_agg(p_rows -> (t.i - 1)::int order by t.i) into v_places, v_rows
        from unnest(p_kind_of) with ordinality t(kind, i) where t.kind = v_kind;
      execute format('select settlement.%I($1)', v_kind || '_admit') into v_some using v_rows;
      for v_k in 1..cardinality(v_places) loop v_letters[v_places[v_k]] := v_some[v_k]; end loop;
    end if;
  end loop;
  letters := array_to_string(v_letters, '');
  if length(letters) <> v_n then raise exception 'settlement: % letters for % steps', length(letters), v_n; end if;

  if letters ~ '[^o]' then
    -- Only the operations of steps that were admitted. A group belongs to one step, so it stays or goes as a whole.
    select array_agg(x.key order by x.n), array_agg(x.hash order by x.n), array_agg(x.type order by x.n),
           array_agg(x.debit order by x.n), array_agg(x.credit order by x.n), array_agg(x.amount order by x.n),
           array_agg(x.slot order by x.n), array_agg(x.last order by x.n), array_agg(x.kind order by x.n),
           array_agg(x.reference order by x.n), array_agg(x.actor order by x.n), array_agg(x.step order by x.n),
           array_agg(x.i order by x.n)
      into p_key, p_hash, p_type, p_debit, p_credit, p_amount, p_slot, p_last, p_kind, p_reference, p_actor, p_of, v_kept
      from (select y.*, (max(y.n) over (partition by y.old_last))::int as last
              from (select t.*, row_number() over (order by t.i) as n
                      from unnest(p_key, p_hash, p_type, p_debit, p_credit, p_amount, p_slot, p_last, p_kind,
                                  p_reference, p_actor, p_of) with ordinality
                           t(key, hash, type, debit, credit, amount, slot, old_last, kind, reference, actor, step, i)
                     where t.step = 0 or v_letters[t.step] = 'o') y) x;
    kept := coalesce(array_to_string(v_kept, ','), '');
  end if;
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
    select array_agg(x.step order by x.step), jsonb_agg(p_rows -> (x.step - 1) order by x.step),
           array_agg(x.outcome order by x.step)
      into v_places, v_rows, v_outcomes
      from (select o.step, string_agg(o.letter, '' order by o.i) as outcome
              from unnest(p_of, string_to_array(outcomes, null)) with ordinality o(step, letter, i)
             where o.step > 0 group by o.step) x
     where p_kind_of[x.step] = v_kind and x.outcome ~* '[^a]';
    continue when v_places is null;
    execute format('select settlement.%I($1, $2)', v_kind || '_refused') into v_some using v_rows, v_outcomes;
    for v_k in 1..cardinality(v_places) loop v_letters[v_places[v_k]] := v_some[v_k]; end loop;
  end loop;
  letters := array_to_string(v_letters, '');
end
$$;
