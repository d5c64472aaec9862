-- seq of the last entry of an account that belongs to the operation or to an earlier one; 0 when there is none. Within
-- one account the ids of operations only grow, so that no index on operation_id is needed. Steps back from the last entry,
-- twice as far each time, then halves what is left: most callers ask about one of the last entries, or about an account
-- that has not moved since, and the search by halves alone read all levels for each of them.
create or replace function ledger.seq_until(p_account bigint, p_operation bigint) returns bigint language plpgsql stable as $$
declare
  -- The entry v_low, if there is one, may still be a later one; all after v_high are.
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
$$;
