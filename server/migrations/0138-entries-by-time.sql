-- How many entries an account had before a moment: 0 when there was none. Times never run backwards within an account, so
-- halving finds it in as many look-ups as the number of entries has bits, without an index on time.
create function ledger.seq_before(p_account bigint, p_at timestamptz) returns bigint language plpgsql stable as $$
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
$$;
