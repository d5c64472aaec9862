-- migration: 0358

-- Number of entries that an account had before a time. Times never decrease within an account, so that bisection needs
-- no index on time.
create or replace function ledger.seq_before(p_account bigint, p_at timestamptz)
returns bigint language plpgsql stable as $$
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
$$;
