-- migration: 0358

-- arrival_suspense: the transfer waits for an operator, and its money moves to the suspense account. Outcomes: applied
-- · replayed · already_decided: credited, assigned to a member or to a gateway · row_locked
create or replace function commands.arrival_suspense(p_row jsonb) returns text language plpgsql as $$
declare
  v_arrival deposit_arrival;
begin
  select * into v_arrival from deposit_arrival where id = (p_row ->> 'id')::uuid for no key update skip locked;
  case
    when not found then return 'row_locked';
    when v_arrival.state = 'SUSPENSE' then return 'replayed';
    when v_arrival.state <> 'NEW' or v_arrival.member_id is not null then return 'already_decided';
    else
  end case;
  update deposit_arrival set state = 'SUSPENSE', reason = p_row ->> 'reason', suspended_at = now(), work_at = null,
         candidates = array(select jsonb_array_elements_text(p_row -> 'candidates'))::uuid[]
   where id = v_arrival.id;
  return 'applied';
end
$$;

create or replace function commands.arrival_suspense_admit(p_rows jsonb) returns text[] language sql as $$
  select array_agg(commands.arrival_suspense(item.row) order by item.position)
    from jsonb_array_elements(p_rows) with ordinality item(row, position)
$$;

create or replace function commands.arrival_suspense_refused(p_rows jsonb, p_verdicts text[])
returns text[] language sql as $$
  select commands.deposit_refused(p_rows)
$$;
