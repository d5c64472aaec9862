-- Holds that a batch resolves are updated by primary key, in one statement. `o.id = X and o.state = 'pending'` was planned as a scan
-- of the whole partial index operation_open, dead entries included: 0.25 to 0.6 ms per hold, growing until the next vacuum. The cast keeps
-- the condition out of reach of the partial index.
do $migration$
declare
  v_old constant text := $old$
    for v_k in 1..v_slots loop
      if s_moved[v_k] and s_id[v_k] is not null then
        update ledger.operation o set state = s_state[v_k] where o.id = s_id[v_k] and o.state = 'pending';
        if not found then raise exception 'ledger: hold % was not pending', s_id[v_k]; end if;
      end if;
    end loop;
$old$;
  v_new constant text := $new$
    if v_slots > 0 then
      update ledger.operation o set state = t.state
        from unnest(s_id, s_state, s_moved) t(id, state, moved)
       where t.moved and t.id is not null and o.id = t.id and o.state::text = 'pending';
      get diagnostics v_k = row_count;
      if v_k <> (select count(*) from unnest(s_id, s_moved) t(id, moved) where t.moved and t.id is not null) then
        raise exception 'ledger: a hold of batch % was not pending', v_batch;
      end if;
    end if;
$new$;
  v_source constant text := pg_get_functiondef('ledger.post_batch'::regproc);
begin
  if strpos(v_source, v_old) = 0 then raise exception 'ledger.post_batch is not the function of 0129-ledger-mark'; end if;
  execute replace(v_source, v_old, v_new);
end
$migration$;
